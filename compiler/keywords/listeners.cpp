// bind, and what bounds the connections that it accepts.
#include <grp.h>
#include <pwd.h>

#include <fmt/format.h>

#include "compiler/keywords/addresses.h"
#include "compiler/keywords/keyword.h"
#include "compiler/keywords/options.h"
#include "compiler/keywords/thread_sets.h"

namespace hawser::compiler {
namespace {

constexpr Param kName[] = {{.name = "name", .missing = "'name' : missing name"}};
void lower_name(ReadContext&, model::Bind& bind, const Args& args) { bind.name = args.text(0); }

constexpr Param kId[] = {{.name = "id",
                          .take = Take::integer,
                          .missing = "'id' : expects an integer argument",
                          .invalid = "'id' : expects an integer argument, found '{}'"}};
void lower_id(ReadContext& cx, model::Bind& bind, const Args& args) {
  if (bind.addresses.size() > 1) {
    refuse(cx, args.voice, args.keyword_span(), "'id' can only be used with a single socket");
    return;
  }
  if (args.number(0) <= 0) {
    refuse(cx, args.voice, args.span(0), "'id' : custom id has to be > 0");
    return;
  }
  const auto id = static_cast<std::uint32_t>(args.number(0));
  if (cx.proxy != nullptr) {
    for (const model::Bind& other : cx.proxy->binds) {
      if (other.id != id) continue;
      refuse(cx, args.voice, args.span(0),
             fmt::format("'id' : custom id {} already used at {} ('bind {}')", id, cx.place_of(other.span), other.text))
          .label(other.span, "it is used here");
      return;
    }
  }
  bind.id = id;
}

constexpr Param kMaxconn[] = {{.name = "conns", .take = Take::loose_integer, .missing = "'maxconn' : missing value"}};
void lower_bind_maxconn(ReadContext& cx, model::Bind& bind, const Args& args) {
  if (args.number(0) < 0) {
    refuse(cx, args.voice, args.span(0), fmt::format("'maxconn' : invalid value {}, must be >= 0", args.number(0)));
    return;
  }
  bind.maxconn = static_cast<std::uint32_t>(args.number(0));
}

constexpr Param kBacklog[] = {{.name = "conns", .take = Take::loose_integer, .missing = "'backlog' : missing value"}};
void lower_bind_backlog(ReadContext& cx, model::Bind& bind, const Args& args) {
  if (args.number(0) < 0) {
    refuse(cx, args.voice, args.span(0), fmt::format("'backlog' : invalid value {}, must be > 0", args.number(0)));
    return;
  }
  bind.backlog = static_cast<std::uint32_t>(args.number(0));
}

constexpr Param kMode[] = {{.name = "mode", .missing = "'mode' : missing or invalid mode '' (octal integer expected)"}};
void lower_mode(ReadContext& cx, model::Bind& bind, const Args& args) {
  const std::string text(args.text(0));
  const bool octal = !text.empty() && text.find_first_not_of("01234567") == std::string::npos && text.size() <= 6;
  if (!octal) {
    refuse(cx, args.voice, args.span(0),
           fmt::format("'mode' : missing or invalid mode '{}' (octal integer expected)", text));
    return;
  }
  bind.mode = static_cast<std::uint32_t>(std::stoul(text, nullptr, 8));
}

constexpr Param kUser[] = {{.name = "name", .missing = "'user' : missing user name"}};
void lower_user(ReadContext& cx, model::Bind& bind, const Args& args) {
  const passwd* found = ::getpwnam(std::string(args.text(0)).c_str());
  if (found == nullptr) {
    refuse(cx, args.voice, args.span(0), fmt::format("'user' : unknown user name '{}'", args.text(0)));
    return;
  }
  bind.uid = found->pw_uid;
}

constexpr Param kGroup[] = {{.name = "name", .missing = "'group' : missing group name"}};
void lower_group(ReadContext& cx, model::Bind& bind, const Args& args) {
  const group* found = ::getgrnam(std::string(args.text(0)).c_str());
  if (found == nullptr) {
    refuse(cx, args.voice, args.span(0), fmt::format("'group' : unknown group name '{}'", args.text(0)));
    return;
  }
  bind.gid = found->gr_gid;
}

constexpr Param kUid[] = {{.name = "number", .take = Take::loose_integer, .missing = "'uid' : missing value"}};
void lower_uid(ReadContext&, model::Bind& bind, const Args& args) {
  bind.uid = static_cast<std::uint32_t>(args.number(0));
}

constexpr Param kGid[] = {{.name = "number", .take = Take::loose_integer, .missing = "'gid' : missing value"}};
void lower_gid(ReadContext&, model::Bind& bind, const Args& args) {
  bind.gid = static_cast<std::uint32_t>(args.number(0));
}

constexpr Param kInterface[] = {{.name = "name", .missing = "'interface' : missing interface name"}};
void lower_interface(ReadContext&, model::Bind& bind, const Args& args) { bind.interface = args.text(0); }

constexpr std::string_view kMssExpects = "'mss' : expects an MSS with and absolute value between 1 and 65535";
constexpr Param kMss[] = {{.name = "bytes", .take = Take::loose_integer, .missing = "'mss' : missing MSS value"}};
void lower_mss(ReadContext& cx, model::Bind& bind, const Args& args) {
  const std::int64_t bytes = args.number(0);
  if (bytes == 0 || bytes > 65535 || bytes < -65535) {
    refuse(cx, args.voice, args.span(0), kMssExpects);
    return;
  }
  if (bytes < 0) {
    not_supported(cx, args.voice, args.span(0), "a negative 'mss'");
    return;
  }
  bind.segment_bytes = static_cast<std::int32_t>(bytes);
}

constexpr std::string_view kUserTimeoutExpects = "'tcp-ut' : expects a positive delay in milliseconds";
constexpr Param kUserTimeout[] = {{.name = "time",
                                   .take = Take::duration,
                                   .missing = "'tcp-ut' : missing TCP User Timeout value",
                                   .invalid = kUserTimeoutExpects}};
void lower_user_timeout(ReadContext&, model::Bind& bind, const Args& args) {
  bind.user_timeout_ms = static_cast<std::uint32_t>(args.number(0));
}

void lower_defer_accept(ReadContext&, model::Bind& bind, const Args&) { bind.defer_accept = true; }
void lower_tfo(ReadContext&, model::Bind& bind, const Args&) { bind.fast_open = true; }
void lower_transparent(ReadContext&, model::Bind& bind, const Args&) { bind.transparent = true; }
void lower_v4v6(ReadContext&, model::Bind& bind, const Args&) { bind.v4v6 = true; }
void lower_v6only(ReadContext&, model::Bind& bind, const Args&) { bind.v6_only = true; }

// "1-4", "odd", or "1/1-4": there is one group of threads.
constexpr std::string_view kThreadExpects = "'{0}' : '{0}' is not a valid number/range.";
constexpr Param kThread[] = {
    {.name = "threads", .missing = "'' : '' is not a valid number/range. It supports numbers from 1 to 64."}};
void lower_thread(ReadContext& cx, model::Bind& bind, const Args& args) {
  std::string_view text = args.text(0);
  if (text.starts_with("1/")) text.remove_prefix(2);
  const std::optional<std::uint64_t> threads = read_number_set(text);
  if (!threads) {
    refuse(cx, args.voice, args.span(0), fmt::format(kThreadExpects, args.text(0)));
    return;
  }
  bind.threads |= *threads;
}

constexpr BindOption kBindOptions[] = {
    {.name = "backlog",
     .params = kBacklog,
     .summary = "Hint at how many connections may wait to be accepted.",
     .lower = lower_bind_backlog},
    {.name = "defer-accept",
     .summary = "Accept connections when their first bytes are there.",
     .lower = lower_defer_accept},
    {.name = "gid", .params = kGid, .summary = "Give a UNIX socket to the group of this number.", .lower = lower_gid},
    {.name = "group", .params = kGroup, .summary = "Give a UNIX socket to a group.", .lower = lower_group},
    {.name = "id", .params = kId, .summary = "Number the socket in the statistics.", .lower = lower_id},
    {.name = "interface",
     .params = kInterface,
     .summary = "Accept only what comes in by this interface.",
     .lower = lower_interface},
    {.name = "maxconn",
     .params = kMaxconn,
     .summary = "Set the most connections that these sockets have at a time.",
     .lower = lower_bind_maxconn},
    {.name = "mode", .params = kMode, .summary = "Set the octal mode of a UNIX socket.", .lower = lower_mode},
    {.name = "mss", .params = kMss, .summary = "Announce no larger TCP segments.", .lower = lower_mss},
    {.name = "name", .params = kName, .summary = "Name the sockets in the statistics.", .lower = lower_name},
    {.name = "tcp-ut",
     .params = kUserTimeout,
     .summary = "Set how long sent bytes may stay without an answer.",
     .lower = lower_user_timeout},
    {.name = "tfo", .summary = "Take data with the first packet (TCP Fast Open).", .lower = lower_tfo},
    {.name = "thread",
     .params = kThread,
     .summary = "Let only these worker threads serve what comes here.",
     .lower = lower_thread},
    {.name = "transparent",
     .summary = "Accept connections to addresses that are not ours.",
     .lower = lower_transparent},
    {.name = "uid", .params = kUid, .summary = "Give a UNIX socket to the user of this number.", .lower = lower_uid},
    {.name = "user", .params = kUser, .summary = "Give a UNIX socket to a user.", .lower = lower_user},
    {.name = "v4v6", .summary = "Take IPv4 as well on an IPv6 address.", .lower = lower_v4v6},
    {.name = "v6only", .summary = "Take no IPv4 on an IPv6 address.", .lower = lower_v6only},
};
static_assert(complete(kBindOptions));

constexpr std::string_view kBindExpects =
    "'bind' expects {{<path>|[addr1]:port1[-end1]}}{{,[addr]:port[-end]}}... as arguments.";
constexpr Param kBindParams[] = {{.name = "address", .missing = kBindExpects},
                                 {.name = "option …", .take = Take::rest, .optional = true}};
void lower_bind(ReadContext& cx, const Args& args) {
  const auto addresses = read_listen_addresses(cx, {.before = "'bind' : "}, args.word(0));
  if (!addresses) return;
  model::Bind bind;
  bind.addresses = *addresses;
  bind.text = args.text(0);
  bind.span = args.line().span;
  const std::string lead = fmt::format("'bind {}' in section '{}'", bind.text, section_name(cx.section));
  const OptionVoice voice{.known = {.before = lead + " : "}, .unknown = {.before = lead + ": ", .after = "."}};
  if (!read_options(cx, bind_options(), later_words(WordKind::bind), args, 1, voice, bind)) return;
  // In a backend the line was checked and means nothing.
  if (cx.proxy->frontend()) cx.proxy->binds.push_back(std::move(bind));
}

constexpr Param kRate[] = {{.name = "sessions",
                            .take = Take::loose_integer,
                            .missing = "'rate-limit sessions' expects expects an integer value (in sessions/second)"}};
void lower_rate_limit(ReadContext& cx, const Args& args) {
  const std::string_view text = args.text(0);
  if (!read_loose_integer(text).whole) {
    const std::size_t wrong = text.find_first_not_of("-0123456789");
    refuse(cx, args.voice, args.span(0),
           fmt::format("'rate-limit sessions' : unexpected character '{}' in integer value '{}'",
                       text.substr(std::min(wrong, text.size()), 1), text));
    return;
  }
  cx.proxy->sessions_per_second = args.count_setting(0);
}

constexpr Param kConns[] = {{.name = "conns", .take = Take::loose_integer}};
void lower_maxconn(ReadContext& cx, const Args& args) { cx.proxy->maxconn = args.count_setting(0); }
void lower_backlog(ReadContext& cx, const Args& args) { cx.proxy->backlog = args.count_setting(0); }

constexpr Keyword kRows[] = {
    {.name = "backlog",
     .sections = kClientSide,
     .params = kConns,
     .summary = "Hint at how many connections may wait to be accepted on each socket.",
     .lower = lower_backlog},
    {.name = "bind",
     .sections = Section::frontend | Section::listen,
     .params = kBindParams,
     .summary = "Accept connections on one or more addresses.",
     .lower = lower_bind},
    {.name = "maxconn",
     .sections = kClientSide,
     .params = kConns,
     .summary = "Set the most connections that a frontend has at a time.",
     .lower = lower_maxconn,
     .elsewhere = {.text = "'{0}' ignored because {1} has no {2} capability. Maybe you want 'fullconn' instead ?"}},
    {.name = "rate-limit sessions",
     .sections = kClientSide,
     .params = kRate,
     .summary = "Set the most sessions that a frontend begins a second.",
     .lower = lower_rate_limit},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> listener_keywords() { return kRows; }
std::span<const BindOption> bind_options() { return kBindOptions; }

}  // namespace hawser::compiler
