// Collecting messages, and the search for the word that was meant.
#include "grammar/diagnostics.h"

#include <algorithm>
#include <cstddef>

#include "runtime/base/ascii.h"

namespace hawser::grammar {

Diagnostic& Diagnostic::label(Span where, std::string what) {
  labels.push_back({where, std::move(what)});
  return *this;
}

Diagnostic& Diagnostic::with_hint(std::string what) {
  hint = std::move(what);
  return *this;
}

Diagnostic& Diagnostic::suggest(std::string_view guess) {
  return guess.empty() ? *this : with_hint(fmt::format("did you mean '{}'?", guess));
}

Diagnostic& Diagnostic::not_fatal() {
  fatal = false;
  return *this;
}

Diagnostic& Diagnostic::from(Origin where) {
  origin = where;
  return *this;
}

Diagnostic& Diagnostics::add(Diagnostic diagnostic) {
  if (!prefix_.empty()) diagnostic.text.insert(0, prefix_);
  if (origin_) diagnostic.origin = *origin_;
  settled_fatals_ = fatal_count();
  all_.push_back(std::move(diagnostic));
  return all_.back();
}

bool Diagnostics::has_warning() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const Diagnostic& one) { return one.level == Level::warning; });
}

std::size_t Diagnostics::fatal_count() const noexcept {
  return settled_fatals_ + (!all_.empty() && all_.back().fatal ? 1 : 0);
}

Within::Within(Diagnostics& diagnostics, std::string_view prefix, std::optional<Origin> origin)
    : diagnostics_(diagnostics), prefix_bytes_(diagnostics.prefix_.size()), origin_(diagnostics.origin_) {
  diagnostics_.prefix_ += prefix;
  if (origin) diagnostics_.origin_ = origin;
}

Within::~Within() {
  diagnostics_.prefix_.resize(prefix_bytes_);
  diagnostics_.origin_ = origin_;
}

namespace {

constexpr std::size_t kGuessBytesMax = 64;  // longer words are no slips of the keyboard

// Insertions, removals, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cells((a.size() + 1) * width);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& { return cells[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) cell(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cell(i - 1, j - 1) + (to_lower(a[i - 1]) == to_lower(b[j - 1]) ? 0 : 1);
      std::size_t best = std::min({replaced, cell(i - 1, j) + 1, cell(i, j - 1) + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        best = std::min(best, cell(i - 2, j - 2) + 1);
      }
      cell(i, j) = best;
    }
  }
  return cell(a.size(), b.size());
}

}  // namespace

std::string_view did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.empty() || word.size() > kGuessBytesMax) return {};
  // One slip in a short word, one more for every further three bytes.
  const std::size_t slips_max = word.size() <= 3 ? 1 : 1 + word.size() / 4;
  std::string_view best;
  std::size_t best_distance = slips_max + 1;
  for (const std::string_view candidate : known) {
    const std::size_t gap =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (candidate.size() > kGuessBytesMax || gap >= best_distance) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance || distance >= std::max(word.size(), candidate.size())) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace hawser::grammar
