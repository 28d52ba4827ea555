// `global`: the process, its rights and its limits.
#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compiler/keywords/keyword.h"

namespace hawser::compiler {
namespace {

// HAProxy says so, keeps the first, and goes on. It takes a value of nothing (user root) for one that is not set.
template <class T>
bool already_set(ReadContext& cx, const Args& args, const model::Setting<T>& setting, std::string_view what) {
  if (!setting.is_set() || *setting == T{}) return false;
  refuse(cx, args.voice, args.keyword_span(), fmt::format("{} already specified. Continuing.", what))
      .not_fatal()
      .label(setting.span, "it stands here");
  return true;
}

constexpr Param kDirectory[] = {{.name = "directory", .missing = "'chroot' expects a directory as an argument."}};
void lower_chroot(ReadContext& cx, const Args& args) {
  auto& chroot = cx.config.global.chroot;
  if (!already_set(cx, args, chroot, "'chroot'")) chroot = args.text_setting(0);
}

void lower_daemon(ReadContext& cx, const Args& args) { cx.config.global.daemon = {true, args.keyword_span()}; }

constexpr Param kText[] = {{.name = "text", .take = Take::rest, .missing = "'description' expects a string argument."}};
void lower_description(ReadContext& cx, const Args& args) {
  cx.config.global.description = {args.joined(0), args.span(0)};
}

// `uid` and `gid` take a word that is no number for 0, and say so.
void set_number(ReadContext& cx, const Args& args, model::Setting<std::uint32_t>& setting, std::string_view relative) {
  if (!read_loose_integer(args.text(0)).whole) {
    cx.diagnostics.warning(args.span(0),
                           " {}: string '{}' is not a number.\n"
                           "   | You might want to use the '{}' parameter to use a system {} name.",
                           args.keyword(), args.text(0), relative, relative);
  }
  setting = {static_cast<std::uint32_t>(read_loose_integer(args.text(0)).value), args.span(0)};
}

constexpr Param kUid[] = {{.name = "number", .missing = "'uid' expects an integer argument."}};
void lower_uid(ReadContext& cx, const Args& args) {
  auto& uid = cx.config.global.uid;
  if (!already_set(cx, args, uid, "user/uid")) set_number(cx, args, uid, "user");
}

constexpr Param kGid[] = {{.name = "number", .missing = "'gid' expects an integer argument."}};
void lower_gid(ReadContext& cx, const Args& args) {
  auto& gid = cx.config.global.gid;
  if (!already_set(cx, args, gid, "gid/group was")) set_number(cx, args, gid, "group");
}

constexpr Param kUser[] = {{.name = "name", .missing = "cannot find user id for '' (0:Success)"}};
void lower_user(ReadContext& cx, const Args& args) {
  auto& uid = cx.config.global.uid;
  if (already_set(cx, args, uid, "user/uid")) return;
  const passwd* found = ::getpwnam(std::string(args.text(0)).c_str());
  if (found == nullptr) {
    refuse(cx, args.voice, args.span(0), fmt::format("cannot find user id for '{}' (0:Success)", args.text(0)));
    return;
  }
  uid = {found->pw_uid, args.span(0)};
}

constexpr Param kGroup[] = {{.name = "name", .missing = "cannot find group id for '' (0:Success)"}};
void lower_group(ReadContext& cx, const Args& args) {
  auto& gid = cx.config.global.gid;
  if (already_set(cx, args, gid, "gid/group was")) return;
  const group* found = ::getgrnam(std::string(args.text(0)).c_str());
  if (found == nullptr) {
    refuse(cx, args.voice, args.span(0), fmt::format("cannot find group id for '{}' (0:Success)", args.text(0)));
    return;
  }
  gid = {found->gr_gid, args.span(0)};
}

constexpr Param kConnections[] = {{.name = "number", .take = Take::loose_integer}};
void lower_maxconn(ReadContext& cx, const Args& args) {
  auto& maxconn = cx.config.global.maxconn;
  if (!already_set(cx, args, maxconn, "'maxconn'")) maxconn = args.count_setting(0);
}

constexpr Param kThreads[] = {{.name = "number",
                               .take = Take::integer,
                               .min = 1,
                               .max = 1024,
                               .missing = "'nbthread' passed a missing or unparsable integer value in ''",
                               .invalid = "'nbthread' passed a missing or unparsable integer value in '{}'",
                               .out_of_range = "'nbthread' value must be between 1 and 1024 (was {})"}};
void lower_nbthread(ReadContext& cx, const Args& args) { cx.config.global.threads = args.setting<std::uint32_t>(0); }

constexpr std::string_view kNodeExpects =
    "'node' requires valid node name - non-empty string with digits(0-9), letters(A-Z, a-z), dot(.), hyphen(-) or "
    "underscode(_).";
constexpr Param kNode[] = {{.name = "name", .missing = kNodeExpects}};
void lower_node(ReadContext& cx, const Args& args) {
  const std::string_view name = args.text(0);
  const bool sound = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
  });
  if (!sound) {
    refuse(cx, args.voice, args.span(0), kNodeExpects);
    return;
  }
  cx.config.global.node = args.text_setting(0);
}

constexpr Param kPidfile[] = {{.name = "file", .missing = "'pidfile' expects a file name as an argument."}};
void lower_pidfile(ReadContext& cx, const Args& args) {
  auto& pidfile = cx.config.global.pidfile;
  if (!already_set(cx, args, pidfile, "'pidfile'")) pidfile = args.text_setting(0);
}

void lower_strict_limits(ReadContext& cx, const Args& args) {
  cx.config.global.strict_limits = {!args.negated, args.keyword_span()};
}

constexpr Keyword kRows[] = {
    {.name = "chroot",
     .sections = Section::global,
     .params = kDirectory,
     .summary = "Confine the process to a directory before it gives up its rights.",
     .lower = lower_chroot},
    {.name = "daemon", .sections = Section::global, .summary = "Run in the background.", .lower = lower_daemon},
    {.name = "description",
     .sections = Section::global,
     .params = kText,
     .summary = "Describe this instance to whoever reads its statistics.",
     .lower = lower_description,
     .origin = grammar::Origin::tokens},
    {.name = "gid",
     .sections = Section::global,
     .params = kGid,
     .summary = "Serve as the group with this number.",
     .lower = lower_gid},
    {.name = "group",
     .sections = Section::global,
     .params = kGroup,
     .summary = "Serve as the group of this name.",
     .lower = lower_group},
    {.name = "maxconn",
     .sections = Section::global,
     .params = kConnections,
     .summary = "Set the most client connections that the process accepts at a time.",
     .lower = lower_maxconn},
    {.name = "nbthread",
     .sections = Section::global,
     .params = kThreads,
     .summary = "Set the number of worker threads.",
     .lower = lower_nbthread},
    {.name = "node",
     .sections = Section::global,
     .params = kNode,
     .summary = "Name this instance in its statistics.",
     .lower = lower_node,
     .origin = grammar::Origin::tokens},
    {.name = "pidfile",
     .sections = Section::global,
     .params = kPidfile,
     .summary = "Write the process number to a file when running in the background.",
     .lower = lower_pidfile},
    {.name = "strict-limits",
     .sections = Section::global,
     .summary = "Refuse to start when the limits of the system are too low.",
     .lower = lower_strict_limits,
     .prefixes = Prefixes::no},
    {.name = "uid",
     .sections = Section::global,
     .params = kUid,
     .summary = "Serve as the user with this number.",
     .lower = lower_uid},
    {.name = "user",
     .sections = Section::global,
     .params = kUser,
     .summary = "Serve as the user of this name.",
     .lower = lower_user},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> global_process_keywords() { return kRows; }

}  // namespace hawser::compiler
