// `global`: the sockets on which commands are taken.
#include <fmt/format.h>

#include "compiler/keywords/addresses.h"
#include "compiler/keywords/keyword.h"
#include "compiler/keywords/options.h"

namespace hawser::compiler {
namespace {

constexpr std::string_view kExposable[] = {"listeners"};
constexpr Param kExposeFd[] = {{.name = "what",
                                .take = Take::choice,
                                .choices = kExposable,
                                .missing = "'expose-fd' only supports 'listeners' (got '')",
                                .invalid = "'expose-fd' only supports 'listeners' (got '{}')"}};
void lower_expose_fd(ReadContext&, model::Bind& bind, const Args&) { bind.expose_listeners = true; }

// In the order of abi::AccessLevel.
constexpr std::string_view kLevels[] = {"user", "operator", "admin"};
constexpr Param kLevel[] = {{.name = "level",
                             .take = Take::choice,
                             .choices = kLevels,
                             .missing = "'level' only supports 'user', 'operator', and 'admin' (got '')",
                             .invalid = "'level' only supports 'user', 'operator', and 'admin' (got '{}')"}};
void lower_level(ReadContext&, model::Bind& bind, const Args& args) {
  bind.level = static_cast<abi::AccessLevel>(static_cast<int>(abi::AccessLevel::user) + args.number(0));
}

constexpr BindOption kOwnOptions[] = {
    {.name = "expose-fd",
     .params = kExposeFd,
     .summary = "Let a new process ask for the listening sockets.",
     .lower = lower_expose_fd},
    {.name = "level",
     .params = kLevel,
     .summary = "Set which commands are allowed: user, operator or admin.",
     .lower = lower_level},
};
static_assert(complete(kOwnOptions));

constexpr Param kSocketParams[] = {
    {.name = "address", .missing = "'stats socket' in global section expects an address or a path to a UNIX socket"},
    {.name = "option …", .take = Take::rest, .optional = true}};
void lower_socket(ReadContext& cx, const Args& args) {
  const auto addresses = read_listen_addresses(cx, {.before = "'stats socket' : "}, args.word(0));
  if (!addresses) return;
  model::Bind bind;
  bind.addresses = *addresses;
  bind.text = args.text(0);
  bind.span = args.line().span;
  const OptionVoice voice{.known = {.before = "'stats socket' : '", .after = "'"},
                          .unknown = {.before = "'stats socket' : ", .after = "."}};
  if (read_options(cx, command_socket_options(), later_words(WordKind::bind), args, 1, voice, bind)) {
    cx.config.global.command_sockets.push_back(std::move(bind));
  }
}

constexpr Param kTimeout[] = {{.name = "time",
                               .take = Take::duration,
                               .missing = "'stats timeout' : unexpected character ''",
                               .invalid = "'stats timeout' : unexpected character '{}'"}};
void lower_timeout(ReadContext& cx, const Args& args) {
  cx.config.global.command_timeout_ms = args.setting<std::uint32_t>(0);
}

constexpr std::string_view kPositive = "'stats maxconn' expects a positive value";
constexpr Param kMaxconn[] = {{.name = "number",
                               .take = Take::loose_integer,
                               .min = 1,
                               .max = UINT32_MAX,
                               .missing = kPositive,
                               .out_of_range = kPositive}};
void lower_maxconn(ReadContext& cx, const Args& args) {
  cx.config.global.command_maxconn = args.setting<std::uint32_t>(0);
}

constexpr Keyword kRows[] = {
    {.name = "stats maxconn",
     .sections = Section::global,
     .params = kMaxconn,
     .summary = "Set the most connections that the command sockets have at a time.",
     .lower = lower_maxconn,
     .extra = kUnread},
    {.name = "stats socket",
     .sections = Section::global,
     .params = kSocketParams,
     .summary = "Take commands on a socket.",
     .lower = lower_socket},
    {.name = "stats timeout",
     .sections = Section::global,
     .params = kTimeout,
     .summary = "Close a command connection that is silent for so long.",
     .lower = lower_timeout,
     .extra = kUnread},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> command_socket_keywords() { return kRows; }

std::span<const BindOption> command_socket_options() {
  // Whatever `bind` takes, and its own.
  static const std::vector<BindOption> all = [] {
    std::vector<BindOption> rows(bind_options().begin(), bind_options().end());
    rows.insert(rows.end(), std::begin(kOwnOptions), std::end(kOwnOptions));
    return rows;
  }();
  return all;
}

}  // namespace hawser::compiler
