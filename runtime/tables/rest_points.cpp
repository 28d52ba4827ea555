#include "runtime/tables/rest_points.h"

namespace hawser::tables {

RestPoints::Mark RestPoints::mark() const {
  Mark mark;
  mark.reserve(workers_.size());
  for (const Worker& worker : workers_) mark.push_back(worker.count.load(std::memory_order_seq_cst));
  return mark;
}

bool RestPoints::passed(const Mark& mark) const noexcept {
  for (std::size_t at = 0; at < mark.size(); ++at) {
    const bool was_at_work = (mark[at] & 1) != 0;
    if (was_at_work && workers_[at].count.load(std::memory_order_acquire) == mark[at]) return false;
  }
  return true;
}

}  // namespace hawser::tables
