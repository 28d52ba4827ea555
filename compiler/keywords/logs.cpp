// log, log-tag, log-format: where a proxy's log lines go, and what stands in them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compiler/keywords/addresses.h"
#include "compiler/keywords/keyword.h"
#include "compiler/resolve/rules.h"

namespace hawser::compiler {
namespace {

// In the order of their numbers (RFC 5424, 6.2.1).
constexpr std::string_view kFacilities[] = {
    "kern", "user",  "mail",  "daemon", "auth",   "syslog", "lpr",    "news",   "uucp",   "cron",   "auth2",  "ftp",
    "ntp",  "audit", "alert", "cron2",  "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"};
constexpr std::string_view kLevels[] = {"emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"};

struct NamedFormat {
  std::string_view name;
  abi::LogTarget::Format format;
};
constexpr NamedFormat kFormats[] = {
    {"iso", abi::LogTarget::Format::iso},           {"local", abi::LogTarget::Format::local},
    {"priority", abi::LogTarget::Format::priority}, {"raw", abi::LogTarget::Format::raw},
    {"rfc3164", abi::LogTarget::Format::rfc3164},   {"rfc5424", abi::LogTarget::Format::rfc5424},
    {"short", abi::LogTarget::Format::short_},      {"timed", abi::LogTarget::Format::timed}};

constexpr std::int64_t kLineBytesMin = 80;
constexpr std::int64_t kLineBytesMax = 65535;

template <std::size_t count>
std::optional<std::uint8_t> index_of(const std::string_view (&names)[count], std::string_view name) {
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<std::uint8_t>(found - std::begin(names));
}

template <std::size_t count>
void hint_of(grammar::Diagnostic& said, const std::string_view (&names)[count], std::string_view word) {
  said.suggest(grammar::did_you_mean(word, {std::begin(names), std::end(names)}));
}

Voice log_voice() { return {.before = "log : "}; }

// `len`, `format`, and what we refuse, between the address and the facility. Moves `at` on to the facility.
bool read_log_options(ReadContext& cx, const Args& args, std::size_t& at, model::LogTarget& target) {
  for (; args.has(at); at += 2) {
    const std::string_view option = args.text(at);
    const std::string_view value = args.text(at + 1);
    if (option == "len") {
      const LooseInteger length = read_loose_integer(value);
      if (length.value < kLineBytesMin || length.value > kLineBytesMax) {
        refuse(cx, log_voice(), args.span(at + 1),
               fmt::format("invalid log length '{}', must be between {} and {}", value, kLineBytesMin, kLineBytesMax));
        return false;
      }
      target.length_max = static_cast<std::uint32_t>(length.value);
    } else if (option == "format") {
      const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                      [&](const NamedFormat& one) { return one.name == value; });
      if (found == std::end(kFormats)) {
        refuse(cx, log_voice(), args.span(at + 1), fmt::format("unknown log format '{}'", value));
        return false;
      }
      target.format = found->format;
    } else if (option == "sample" || option == "profile") {
      not_supported(cx, log_voice(), args.span(at), fmt::format("'{}'", option));
      return false;
    } else {
      return true;
    }
  }
  return true;
}

bool read_facility_and_levels(ReadContext& cx, const Args& args, std::size_t at, model::LogTarget& target) {
  const auto facility = index_of(kFacilities, args.text(at));
  if (!facility) {
    hint_of(refuse(cx, log_voice(), args.span(at), fmt::format("unknown log facility '{}'", args.text(at))),
            kFacilities, args.text(at));
    return false;
  }
  target.facility = *facility;
  constexpr std::string_view kMessages[] = {"unknown optional log level '{}'",
                                            "unknown optional minimum log level '{}'"};
  std::uint8_t* const levels[] = {&target.level_max, &target.level_min};
  for (std::size_t which = 0; which < 2 && args.has(at + 1 + which); ++which) {
    const std::string_view text = args.text(at + 1 + which);
    const auto level = index_of(kLevels, text);
    if (!level) {
      hint_of(refuse(cx, log_voice(), args.span(at + 1 + which), fmt::format(fmt::runtime(kMessages[which]), text)),
              kLevels, text);
      return false;
    }
    *levels[which] = *level;
  }
  if (args.has(at + 3)) {
    refuse(cx, log_voice(), args.span(at + 3),
           fmt::format("cannot handle unexpected argument '{}'", args.text(at + 3)));
    return false;
  }
  return true;
}

std::optional<model::LogTarget> read_log_target(ReadContext& cx, const Args& args) {
  model::LogTarget target;
  target.span = args.line().from(args.first());
  std::size_t at = 1;
  if (!read_log_options(cx, args, at, target)) return std::nullopt;
  if (!args.has(at)) {
    refuse(cx, log_voice(), args.keyword_span(),
           cx.section == Section::global ? "expects <address> and <facility>  as arguments"
                                         : "expects <address> and <facility> or global as arguments");
    return std::nullopt;
  }
  const auto address = read_log_address(cx, log_voice(), args.word(0));
  if (!address || !read_facility_and_levels(cx, args, at, target)) return std::nullopt;
  target.address = *address;
  if (address->family == abi::Address::Family::descriptor) target.kind = abi::LogTarget::Kind::descriptor;
  return target;
}

constexpr Param kLogParams[] = {{.name = "target …", .take = Take::rest, .optional = true}};
void lower_log(ReadContext& cx, const Args& args) {
  const bool in_global = cx.section == Section::global;
  std::vector<model::LogTarget>& logs = in_global ? cx.config.global.logs : cx.proxy->logs;
  if (args.negated) {
    if (args.has(0)) {
      refuse(cx, log_voice(), args.span(0), "'no log' does not expect arguments");
    } else {
      logs.clear();
    }
    return;
  }
  if (args.text(0) == "global" && args.count() == 1) {
    if (in_global) {
      refuse(cx, log_voice(), args.span(0), "'global' is not supported for a global syslog server");
      return;
    }
    // Once is enough.
    const auto again = std::find_if(logs.begin(), logs.end(), [](const model::LogTarget& log) { return log.global; });
    if (again != logs.end()) return;
    logs.emplace_back().global = true;
    logs.back().span = args.span(0);
    return;
  }
  if (auto target = read_log_target(cx, args)) logs.push_back(std::move(*target));
}

constexpr Param kTag[] = {{.name = "tag", .missing = "'log-tag' expects a tag for use in syslog."}};
void lower_log_tag(ReadContext& cx, const Args& args) {
  if (cx.section == Section::global) {
    cx.config.global.log_tag = args.text_setting(0);
  } else {
    cx.proxy->log_tag = args.text(0);
  }
}

constexpr Param kFormat[] = {{.name = "format", .missing = "log-format expects an argument."}};
void lower_log_format(ReadContext& cx, const Args& args) {
  cx.proxy->log_format_word = args.word(0);
  read_log_format(cx, args.line());
}

constexpr Keyword kRows[] = {
    {.name = "log",
     .sections = Section::global | Section::defaults | kProxies,
     .params = kLogParams,
     .summary = "Send log lines to a target, with a facility and levels.",
     .lower = lower_log,
     .prefixes = Prefixes::no},
    {.name = "log-format",
     .sections = kClientSide,
     .params = kFormat,
     .summary = "Say what stands in the log line of a session or an exchange.",
     .lower = lower_log_format,
     .elsewhere = {.text = "{1} : '{0}' directive is ignored in backends."},
     .extra = {.refusal = "{0} expects only one argument, don't forget to escape spaces!"}},
    {.name = "log-tag",
     .sections = Section::global | Section::defaults | kProxies,
     .params = kTag,
     .summary = "Set the name under which log lines are sent.",
     .lower = lower_log_tag,
     .extra = kUnread},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> log_keywords() { return kRows; }

}  // namespace hawser::compiler
