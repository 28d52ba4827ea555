// server, default-server, and how a backend uses its servers.
#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "compiler/keywords/addresses.h"
#include "compiler/keywords/keyword.h"
#include "compiler/keywords/options.h"

namespace hawser::compiler {
namespace {

Voice server_voice(const ReadContext& cx, std::string_view name, std::string_view after) {
  const std::string before = name.empty() ? "" : fmt::format("'server {}/{}' : ", cx.proxy->name, name);
  return {.before = before, .after = std::string(after), .origin = grammar::Origin::server};
}

void lower_disabled(ReadContext&, model::Server& server, const Args&) { server.disabled = true; }
void lower_enabled(ReadContext&, model::Server& server, const Args&) { server.disabled = false; }

constexpr Param kId[] = {{.name = "id", .take = Take::loose_integer, .missing = "'id' : expects an integer argument"}};
void lower_id(ReadContext& cx, model::Server& server, const Args& args) {
  if (server.name.empty()) {
    refuse(cx, args.voice, args.keyword_span(), "'id' option is not accepted in default-server sections").not_fatal();
    return;
  }
  if (args.number(0) <= 0) {
    refuse(cx, args.voice, args.span(0), "'id' : custom id has to be > 0");
    return;
  }
  const auto id = static_cast<std::uint32_t>(args.number(0));
  for (const model::Server& other : cx.proxy->servers) {
    if (other.id != id) continue;
    refuse(cx, args.voice, args.span(0),
           fmt::format("'id' : custom id {} already used at {} ('server {}')", id, cx.place_of(other.span), other.name))
        .label(other.span, "it is used here");
    return;
  }
  server.id = id;
}

constexpr std::int64_t kWeightMax = 256;
// Without a value it is 0, as haproxy 2.6 reads it.
constexpr Param kWeight[] = {{.name = "weight", .take = Take::loose_integer, .optional = true}};
void lower_weight(ReadContext& cx, model::Server& server, const Args& args) {
  if (args.number(0) < 0 || args.number(0) > kWeightMax) {
    refuse(cx, args.voice, args.span(0),
           fmt::format("weight of server {} is not within 0 and {} ({}).", server.name, kWeightMax, args.number(0)));
    return;
  }
  server.weight = static_cast<std::uint32_t>(args.number(0));
}

constexpr ServerOption kServerOptions[] = {
    {.name = "disabled", .summary = "Begin in maintenance: no traffic until it is enabled.", .lower = lower_disabled},
    {.name = "enabled", .summary = "Cancel an inherited `disabled`.", .lower = lower_enabled},
    {.name = "id", .params = kId, .summary = "Number the server in the statistics.", .lower = lower_id},
    {.name = "weight",
     .params = kWeight,
     .summary = "Set the server's share of the traffic, among the weights of the others.",
     .lower = lower_weight},
};
static_assert(complete(kServerOptions));

bool sound_name(std::string_view name, std::size_t& wrong) {
  wrong = 0;
  while (wrong < name.size()) {
    const auto c = static_cast<unsigned char>(name[wrong]);
    if (std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.' && c != ':') return false;
    ++wrong;
  }
  return true;
}

constexpr Param kServerParams[] = {{.name = "name", .optional = true},
                                   {.name = "address", .optional = true},
                                   {.name = "option …", .take = Take::rest, .optional = true}};
void lower_server(ReadContext& cx, const Args& args) {
  if (args.text(0).empty() || args.text(1).empty()) {
    refuse(cx, server_voice(cx, "", ""), args.keyword_span(),
           "'server' expects <name> and <addr>[:<port>] as arguments.");
    return;
  }
  const grammar::Word& name = args.word(0);
  if (std::size_t wrong = 0; !sound_name(name.text, wrong)) {
    refuse(cx, server_voice(cx, "", ""), name.part(wrong, 1),
           fmt::format("character '{}' is not permitted in server name '{}'.", name.text[wrong], name.text));
    return;
  }
  const auto address = read_server_address(cx, server_voice(cx, name.text, ""), args.word(1));
  if (!address) return;
  model::Server server = cx.proxy->default_server;
  server.name = name.text;
  server.address = address->address;
  server.port_given = address->port_given;
  server.port_offset = address->port_offset;
  server.span = args.line().span;
  const OptionVoice voice{.known = server_voice(cx, name.text, "."), .unknown = server_voice(cx, name.text, ".")};
  if (read_options(cx, server_options(), later_words(WordKind::server), args, 2, voice, server)) {
    cx.proxy->servers.push_back(std::move(server));
  }
}

constexpr Param kDefaultServerParams[] = {{.name = "option …", .take = Take::rest, .optional = true}};
void lower_default_server(ReadContext& cx, const Args& args) {
  const OptionVoice voice{.known = server_voice(cx, "", ""),
                          .unknown = server_voice(cx, "", ". Hint: no address was expected for this server.")};
  model::Server settings = cx.proxy->default_server;
  settings.span = args.line().span;
  if (read_options(cx, server_options(), later_words(WordKind::server), args, 0, voice, settings)) {
    cx.proxy->default_server = std::move(settings);
  }
}

constexpr std::string_view kOtherAlgorithms[] = {"first",    "hash",   "hdr",       "leastconn",
                                                 "log-hash", "random", "source",    "static-rr",
                                                 "sticky",   "uri",    "url_param", "rdp-cookie"};
constexpr Param kBalanceParams[] = {{.name = "algorithm", .optional = true}};
void lower_balance(ReadContext& cx, const Args& args) {
  const std::string_view algorithm = args.text(0);
  // Without an algorithm it is round robin, as haproxy 2.6 reads it.
  if (algorithm.empty() || algorithm == "roundrobin") {
    cx.proxy->balance = {"roundrobin", args.span(0)};
    return;
  }
  const std::string_view base = algorithm.substr(0, algorithm.find('('));
  if (std::find(std::begin(kOtherAlgorithms), std::end(kOtherAlgorithms), base) != std::end(kOtherAlgorithms)) {
    not_supported(cx, args.voice, args.span(0), fmt::format("'balance {}'", algorithm));
    return;
  }
  refuse(cx, args.voice, args.span(0),
         "balance only supports 'roundrobin', 'static-rr', 'leastconn', 'source', 'uri', 'url_param', 'hdr(name)' and "
         "'rdp-cookie(name)' options.");
}

constexpr Param kRetriesParams[] = {{.name = "number",
                                     .take = Take::loose_integer,
                                     .missing = "'retries' expects an integer argument (dispatch counts for one)."}};
void lower_retries(ReadContext& cx, const Args& args) { cx.proxy->retries = args.count_setting(0); }

// In the order of abi::Reuse.
constexpr std::string_view kReuseChoices[] = {"never", "safe", "aggressive", "always"};
constexpr Param kReuseParams[] = {{.name = "policy", .take = Take::choice, .choices = kReuseChoices}};
void lower_http_reuse(ReadContext& cx, const Args& args) {
  cx.proxy->reuse = {static_cast<abi::Reuse>(args.number(0)), args.span(0)};
}

constexpr Keyword kRows[] = {
    {.name = "balance",
     .sections = kServerSide,
     .params = kBalanceParams,
     .summary = "Choose how traffic is shared among the servers.",
     .lower = lower_balance,
     .extra = kUnread},
    {.name = "default-server",
     .sections = kServerSide,
     .params = kDefaultServerParams,
     .summary = "Set options for the servers that follow.",
     .lower = lower_default_server,
     .elsewhere = {.fatal = true, .text = "'{0}' not allowed because {1} has no {2} capability."}},
    {.name = "http-reuse",
     .sections = kServerSide,
     .modes = Modes::http,
     .params = kReuseParams,
     .summary = "Say when clients may share idle connections to the servers.",
     .lower = lower_http_reuse,
     .extra = {.refusal = "'{0} {2}' cannot handle unexpected argument '{1}'."}},
    {.name = "retries",
     .sections = kServerSide,
     .params = kRetriesParams,
     .summary = "Set how often a failed connection to a server is tried again.",
     .lower = lower_retries},
    {.name = "server",
     .sections = Section::listen | Section::backend,
     .params = kServerParams,
     .summary = "Add a server, its address and its options.",
     .lower = lower_server,
     .elsewhere = {.fatal = true, .text = "'{0}' not allowed because {1} has no {2} capability."}},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> server_keywords() { return kRows; }
std::span<const ServerOption> server_options() { return kServerOptions; }

}  // namespace hawser::compiler
