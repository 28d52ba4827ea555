#include "runtime/tables/live_reference.h"

#include <algorithm>

namespace hawser::tables {

LivePatterns& LiveReference::method(abi::Match match, bool ignore_case) {
  for (const auto& each : methods) {
    if (each->match() == match && each->ignore_case() == ignore_case) return *each;
  }
  methods.push_back(std::make_unique<LivePatterns>(match, ignore_case));
  LivePatterns& made = *methods.back();
  for (auto& [number, contents] : versions) {
    contents.parsed.resize(methods.size());
    PatternRows& rows = contents.parsed.back();
    if (reads_text(match)) continue;
    // Patterns that mean nothing to the new method match nothing by it.
    contents.texts.each([&](const PatternChunk& chunk, std::uint32_t at) {
      const std::string_view text = chunk.text(at);
      if (const auto parsed = kernels::parse_pattern(text, match, {.ignore_case = ignore_case})) {
        rows.append(chunk.number(at), text, *parsed);
      }
    });
  }
  return made;
}

void LiveReference::forget_unused_methods() {
  if (users.empty()) return;
  for (std::size_t at = methods.size(); at-- > 0;) {
    const LivePatterns& method = *methods[at];
    const bool used = std::any_of(users.begin(), users.end(), [&](const User& user) {
      const kernels::SetView& set = user.sets->sets_[user.set];
      return set.match == method.match() && set.ignore_case == method.ignore_case();
    });
    if (used) continue;
    methods.erase(methods.begin() + static_cast<std::ptrdiff_t>(at));
    for (auto& [number, contents] : versions) {
      if (at < contents.parsed.size()) contents.parsed.erase(contents.parsed.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

std::size_t LiveReference::patterns() const noexcept {
  if (!loaded) return users.empty() ? texts.size() : users.front().count;
  std::size_t sum = 0;
  for (const auto& [number, contents] : versions) sum += contents.texts.size();
  return sum;
}

void LiveReference::load() {
  if (loaded) return;
  loaded = true;
  Contents& contents = versions[current];
  contents.parsed.resize(methods.size());
  const std::uint64_t first = numbers + 1;
  const auto rows_of = [&](const User& user) {
    kernels::SetView view = user.sets->sets_[user.set];
    view.patterns = view.patterns.subspan(user.first, user.count);
    if (!view.expressions.empty()) view.expressions = view.expressions.subspan(user.first, user.count);
    return PatternRows::of_image(view, first);
  };
  if (users.empty()) {
    for (const std::string& text : texts) contents.texts.append(++numbers, text, {});
    return;
  }
  contents.texts = rows_of(users.front());
  numbers += users.front().count;
  for (std::size_t at = 0; at < methods.size(); ++at) {
    const LivePatterns& method = *methods[at];
    if (reads_text(method.match())) continue;
    for (const User& user : users) {
      const kernels::SetView& set = user.sets->sets_[user.set];
      if (set.match != method.match() || set.ignore_case != method.ignore_case()) continue;
      contents.parsed[at] = rows_of(user);
      break;
    }
  }
}

Result<std::vector<kernels::ParsedPattern>, std::string> LiveReference::parse(std::string_view text) const {
  std::vector<kernels::ParsedPattern> parsed;
  for (const auto& method : methods) {
    auto one = kernels::parse_pattern(text, method->match(), {.ignore_case = method->ignore_case()});
    if (!one) return one.error();
    parsed.push_back(std::move(one).value());
  }
  return parsed;
}

void LiveReference::add(Contents& contents, std::string_view text, const std::vector<kernels::ParsedPattern>& parsed) {
  contents.texts.append(++numbers, text, {});
  contents.parsed.resize(methods.size());
  for (std::size_t at = 0; at < methods.size(); ++at) {
    if (!reads_text(methods[at]->match())) contents.parsed[at].append(numbers, text, parsed[at]);
  }
}

void LiveReference::erase(Contents& contents, std::uint64_t number) {
  contents.texts.erase(number);
  for (PatternRows& rows : contents.parsed) rows.erase(number);
}

void LiveReference::own() {
  for (auto& [number, contents] : versions) {
    contents.texts.own();
    for (PatternRows& rows : contents.parsed) rows.own();
  }
}

}  // namespace hawser::tables
