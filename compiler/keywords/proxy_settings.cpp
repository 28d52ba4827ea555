// What a proxy is: mode, id, description, enabled or not, its default backend, its error pages.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compiler/keywords/keyword.h"
#include "runtime/base/ascii.h"

namespace hawser::compiler {
namespace {

constexpr std::string_view kLaterModes[] = {"haterm", "log", "spop"};
constexpr Param kModeParams[] = {{.name = "mode", .missing = "unknown proxy mode ''."}};
void lower_mode(ReadContext& cx, const Args& args) {
  const std::string_view mode = args.text(0);
  if (mode == "tcp" || mode == "http") {
    cx.proxy->mode = {mode == "http" ? abi::Mode::http : abi::Mode::tcp, args.span(0)};
  } else if (mode == "health") {
    refuse(cx, args.voice, args.span(0),
           "'mode health' doesn't exist anymore. Please use 'http-request return status 200' instead.");
  } else if (std::find(std::begin(kLaterModes), std::end(kLaterModes), mode) != std::end(kLaterModes)) {
    not_supported(cx, args.voice, args.span(0), fmt::format("'mode {}'", mode));
  } else {
    refuse(cx, args.voice, args.span(0), fmt::format("unknown proxy mode '{}'.", mode))
        .suggest(grammar::did_you_mean(mode, {"tcp", "http"}));
  }
}

constexpr Param kIdParams[] = {{.name = "id", .take = Take::loose_integer}};
void lower_id(ReadContext& cx, const Args& args) {
  if (args.number(0) <= 0) {
    refuse(cx, args.voice, args.span(0), "custom id has to be > 0.");
    return;
  }
  const auto id = static_cast<std::uint32_t>(args.number(0));
  const auto [taken, is_new] = cx.config.proxies_by_id.emplace(id, cx.own_id());
  const model::Proxy& other = cx.config.proxies[taken->second];
  if (!is_new && &other != cx.proxy) {
    refuse(cx, args.voice, args.span(0),
           fmt::format("{} {} reuses same custom id as {} {} (declared at {}).", proxy_type(*cx.proxy), cx.proxy->name,
                       proxy_type(other), other.name, cx.place_of(other.span)))
        .label(other.span, "the other stands here");
    return;
  }
  cx.proxy->id = id;
}

constexpr Param kDescriptionParams[] = {
    {.name = "text", .take = Take::rest, .missing = "'description' expects a string argument."}};
void lower_description(ReadContext& cx, const Args& args) { cx.proxy->description = args.joined(0); }

void lower_disabled(ReadContext& cx, const Args& args) { cx.proxy->disabled = {true, args.keyword_span()}; }
void lower_enabled(ReadContext& cx, const Args& args) { cx.proxy->disabled = {false, args.keyword_span()}; }

constexpr Param kBackendParams[] = {{.name = "backend", .missing = "'default_backend' expects a backend name."}};
void lower_default_backend(ReadContext& cx, const Args& args) { cx.proxy->default_backend = args.text_setting(0); }

// Where a whole reply is not one: the message after the file's name.
std::optional<std::string> wrong_with_reply(std::string_view text) {
  const std::size_t first_end = text.find('\n');
  const bool status_line = text.substr(0, 7) == "HTTP/1." && text.size() > 12 && text[8] == ' ' &&
                           text.substr(9, 3).find_first_not_of("0123456789") == std::string_view::npos;
  if (!status_line || first_end == std::string_view::npos) return "unable to parse headers (error offset: 0)";
  std::optional<std::uint64_t> announced;
  for (std::size_t at = first_end + 1; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    std::string_view line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::size_t body = end + 1;
    if (line.empty()) {
      if (announced && *announced != text.size() - body) {
        return fmt::format("payload size does not match the announced content-length ({} != {})", text.size() - body,
                           *announced);
      }
      return std::nullopt;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0)
      return fmt::format("unable to parse headers (error offset: {})", at);
    if (equal_ignoring_case(line.substr(0, colon), "content-length")) {
      announced = static_cast<std::uint64_t>(read_loose_integer(line.substr(colon + 1)).value);
    }
    at = body;
  }
  return fmt::format("unable to parse headers (error offset: {})", text.size());
}

bool has_error_page(std::int64_t status) {
  return std::find(std::begin(abi::kErrorStatus), std::end(abi::kErrorStatus), status) != std::end(abi::kErrorStatus);
}

constexpr std::string_view kErrorfileExpects = "errorfile : expects <status_code> and <file> as arguments.";
constexpr Param kErrorfileParams[] = {{.name = "status", .take = Take::loose_integer, .missing = kErrorfileExpects},
                                      {.name = "file", .missing = kErrorfileExpects}};
void lower_errorfile(ReadContext& cx, const Args& args) {
  if (!has_error_page(args.number(0))) {
    refuse(cx, args.voice, args.span(0), fmt::format("errorfile : status code '{}' not handled.", args.number(0)));
    return;
  }
  const std::string path(args.text(1));
  Result<std::string> text = read_whole_file(path);
  if (!text) {
    const bool missing = text.error().code == ENOENT || text.error().code == EACCES;
    refuse(cx, args.voice, args.span(1),
           fmt::format("errorfile : error {} file '{}'.", missing ? "opening" : "reading", path))
        .with_hint(text.error().message);
    return;
  }
  // What does not fit the buffer is cut off, as haproxy 2.6 does.
  const auto& set_bytes = cx.config.global.buffer_bytes;
  const std::size_t bytes_max = set_bytes.is_set() ? *set_bytes : abi::Global{}.buffer_bytes;
  if (text->size() > bytes_max) {
    warn(cx, {.origin = grammar::Origin::config}, args.span(1),
         fmt::format("custom error message file '{}' larger than {} bytes. Truncating.", path, bytes_max));
    text.value().resize(bytes_max);
  }
  model::Reply reply;
  reply.status = static_cast<std::uint16_t>(args.number(0));
  reply.silent = text->empty();
  reply.raw = true;
  reply.body = *std::move(text);
  reply.span = args.line().span;
  if (!reply.silent) {
    if (const auto wrong = wrong_with_reply(reply.body)) {
      refuse(cx, args.voice, args.span(1), fmt::format("errorfile : '{}': {}", path, *wrong));
      return;
    }
  }
  cx.proxy->error_files[reply.status] = cx.config.replies.add(std::move(reply));
}

// A redirection in place of an error page: what an error file with the same words would be.
void add_error_location(ReadContext& cx, const Args& args, std::string_view name, std::string_view status_line) {
  if (!has_error_page(args.number(0))) {
    refuse(cx, args.voice, args.span(0), fmt::format("{} : status code '{}' not handled.", name, args.number(0)));
    return;
  }
  if (args.text(1).find_first_of("\r\n") != std::string_view::npos) {  // a field's value is one line
    refuse(cx, args.voice, args.span(1), fmt::format("{} : unable to parse headers (a line break in the URL).", name));
    return;
  }
  model::Reply reply;
  reply.status = static_cast<std::uint16_t>(args.number(0));
  reply.raw = true;
  reply.body = fmt::format("HTTP/1.1 {}\r\nCache-Control: no-cache\r\nContent-length: 0\r\nLocation: {}\r\n\r\n",
                           status_line, args.text(1));
  reply.span = args.line().span;
  cx.proxy->error_files[reply.status] = cx.config.replies.add(std::move(reply));
}

constexpr std::string_view kErrorlocExpects = "errorloc : expects <status_code> and <url> as arguments.";
constexpr std::string_view kErrorloc302Expects = "errorloc302 : expects <status_code> and <url> as arguments.";
constexpr std::string_view kErrorloc303Expects = "errorloc303 : expects <status_code> and <url> as arguments.";
constexpr Param kErrorlocParams[] = {{.name = "status", .take = Take::loose_integer, .missing = kErrorlocExpects},
                                     {.name = "url", .missing = kErrorlocExpects}};
constexpr Param kErrorloc302Params[] = {{.name = "status", .take = Take::loose_integer, .missing = kErrorloc302Expects},
                                        {.name = "url", .missing = kErrorloc302Expects}};
constexpr Param kErrorloc303Params[] = {{.name = "status", .take = Take::loose_integer, .missing = kErrorloc303Expects},
                                        {.name = "url", .missing = kErrorloc303Expects}};
void lower_errorloc(ReadContext& cx, const Args& args) { add_error_location(cx, args, "errorloc", "302 Found"); }
void lower_errorloc302(ReadContext& cx, const Args& args) { add_error_location(cx, args, "errorloc302", "302 Found"); }
void lower_errorloc303(ReadContext& cx, const Args& args) {
  add_error_location(cx, args, "errorloc303", "303 See Other");
}

constexpr Keyword kRows[] = {
    {.name = "default_backend",
     .sections = kClientSide,
     .params = kBackendParams,
     .summary = "Name the backend for traffic that no `use_backend` takes.",
     .lower = lower_default_backend},
    {.name = "description",
     .sections = kProxies,
     .params = kDescriptionParams,
     .summary = "Describe the proxy to whoever reads its statistics.",
     .lower = lower_description,
     .origin = grammar::Origin::tokens},
    {.name = "disabled",
     .sections = Section::defaults | kProxies,
     .summary = "Check the proxy but do not start it.",
     .lower = lower_disabled},
    {.name = "enabled",
     .sections = Section::defaults | kProxies,
     .summary = "Cancel an inherited `disabled`.",
     .lower = lower_enabled},
    {.name = "errorfile",
     .sections = Section::defaults | kProxies,
     .modes = Modes::http,
     .params = kErrorfileParams,
     .summary = "Answer with the contents of a file instead of the built-in error page of a status.",
     .lower = lower_errorfile,
     .extra = kUnread},
    {.name = "errorloc",
     .sections = Section::defaults | kProxies,
     .modes = Modes::http,
     .params = kErrorlocParams,
     .summary = "Redirect with 302 to a URL instead of sending the error page of a status.",
     .lower = lower_errorloc,
     .extra = kUnread},
    {.name = "errorloc302",
     .sections = Section::defaults | kProxies,
     .modes = Modes::http,
     .params = kErrorloc302Params,
     .summary = "Redirect with 302 to a URL instead of sending the error page of a status.",
     .lower = lower_errorloc302,
     .extra = kUnread},
    {.name = "errorloc303",
     .sections = Section::defaults | kProxies,
     .modes = Modes::http,
     .params = kErrorloc303Params,
     .summary = "Redirect with 303 to a URL instead of sending the error page of a status.",
     .lower = lower_errorloc303,
     .extra = kUnread},
    {.name = "id",
     .sections = kProxies,
     .params = kIdParams,
     .summary = "Number the proxy in the statistics.",
     .lower = lower_id,
     .origin = grammar::Origin::tokens},
    {.name = "mode",
     .sections = Section::defaults | kProxies,
     .params = kModeParams,
     .summary = "Speak HTTP, or pass bytes on.",
     .lower = lower_mode},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> proxy_keywords() { return kRows; }

}  // namespace hawser::compiler
