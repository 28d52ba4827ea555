#include "runtime/tables/live_patterns.h"

#include <algorithm>

namespace hawser::tables {
namespace {

using Part = PatternRows::Part;

constexpr std::size_t kIndexedMin = 64;  // rows: fewer are searched in order
// As many rows are searched in order beside an index: a tenth of the list within these bounds.
constexpr std::size_t kRestMin = 1024;
constexpr std::size_t kRestMax = 8192;

std::vector<kernels::SetView> views_of(const std::vector<Part>& parts, abi::Match match, bool ignore_case) {
  std::vector<kernels::SetView> views;
  views.reserve(parts.size());
  for (const Part& part : parts) views.push_back(part.chunk->view(part.rows, match, ignore_case));
  return views;
}

kernels::Choice choice_of(const std::vector<kernels::SetView>& views) {
  std::vector<kernels::ChoiceCase> cases;
  cases.reserve(views.size());
  for (const kernels::SetView& view : views) {
    cases.push_back({static_cast<std::uint32_t>(cases.size()), view.match, &view});
  }
  return kernels::Choice(cases);
}

std::size_t rows_of(const std::vector<Part>& parts) noexcept {
  std::size_t rows = 0;
  for (const Part& part : parts) rows += part.rows;
  return rows;
}

bool same(const Part& a, const Part& b) noexcept { return a.chunk == b.chunk && a.rows == b.rows; }

}  // namespace

LivePatterns::Index::Index(std::vector<Part> all, abi::Match match, bool ignore_case)
    : parts(std::move(all)), views(views_of(parts, match, ignore_case)), choice(choice_of(views)) {}

LivePatterns::~LivePatterns() { delete published_.load(std::memory_order_relaxed); }

bool LivePatterns::may_have_index() const noexcept {
  switch (match_) {
    case abi::Match::string:
    case abi::Match::begin:
    case abi::Match::end:
    case abi::Match::integer:
    case abi::Match::length:
    case abi::Match::ip: return true;
    default: return false;
  }
}

bool LivePatterns::matches(const abi::Sample& sample, abi::Match match) const noexcept {
  const Snapshot* const snapshot = published_.load(std::memory_order_seq_cst);
  if (snapshot == nullptr) return false;
  const auto any = [&](const std::vector<Part>& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return kernels::matches(sample, part.chunk->view(part.rows, match_, ignore_case_), match);
    });
  };
  if (snapshot->index == nullptr || match != match_) return any(snapshot->all);
  for (std::uint32_t from = 0;;) {
    const std::uint32_t part = snapshot->index->choice.first(sample, from);
    if (part == abi::kNoCase) return any(snapshot->rest);
    if (!snapshot->outdated[part]) return true;
    from = part + 1;
  }
}

std::unique_ptr<const LivePatterns::Snapshot> LivePatterns::publish(const PatternRows& rows) {
  auto next = std::make_unique<Snapshot>();
  next->all = rows.parts();
  const Snapshot* const before = published_.load(std::memory_order_relaxed);
  if (rows.size() >= kIndexedMin && may_have_index()) {
    if (before != nullptr && before->index != nullptr) {
      next->index = before->index;
      const std::vector<Part>& known = next->index->parts;
      next->outdated.assign(known.size(), true);
      for (const Part& part : next->all) {
        const auto found = std::partition_point(known.begin(), known.end(), [&](const Part& other) {
          return other.chunk->number(0) < part.chunk->number(0);
        });
        if (found != known.end() && same(*found, part)) {
          next->outdated[static_cast<std::size_t>(found - known.begin())] = false;
        } else {
          next->rest.push_back(part);
        }
      }
    }
    const std::size_t rest_max = std::clamp(rows.size() / 10, kRestMin, kRestMax);
    if (next->index == nullptr || rows_of(next->rest) > rest_max) {
      next->index = std::make_shared<const Index>(next->all, match_, ignore_case_);
      next->outdated.assign(next->all.size(), false);
      next->rest.clear();
    }
  }
  return std::unique_ptr<const Snapshot>(published_.exchange(next.release(), std::memory_order_seq_cst));
}

}  // namespace hawser::tables
