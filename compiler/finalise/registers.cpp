#include "compiler/finalise/registers.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "runtime/abi/rows.h"
#include "runtime/base/check.h"

namespace hawser::compiler {
namespace {

constexpr std::uint32_t kNone = 0xffff'ffff;

// A register that is assigned before a loop and read in it must last until the loop's end.
class RegisterAllocation {
 public:
  RegisterAllocation(std::vector<abi::Step>& steps, const std::vector<std::uint32_t>& of_step, std::uint32_t count)
      : steps_(steps), of_step_(of_step), last_(count, 0), given_(count, kNone), loop_end_(steps.size(), 0) {}

  std::uint16_t run() {
    for (std::uint32_t at = 0; at < steps_.size(); ++at) {
      if (of_step_[at] != kNone) last_[of_step_[at]] = at;
      const abi::Step& step = steps_[at];
      if ((abi::row(step.op).uses & abi::use::target) != 0 && step.target <= at) loop_end_[step.target] = at;
    }
    for (std::uint32_t at = 0; at < steps_.size(); ++at) {
      free_before(at);
      if (loop_end_[at] > at) {
        for (const std::uint32_t reg : live_) last_[reg] = std::max(last_[reg], loop_end_[at]);
      }
      if (of_step_[at] != kNone) steps_[at].reg = static_cast<std::uint16_t>(give(of_step_[at]));
    }
    HAWSER_CHECK(used_ <= 0xffff);
    return static_cast<std::uint16_t>(used_);
  }

 private:
  void free_before(std::uint32_t at) {
    std::erase_if(live_, [&](std::uint32_t reg) {
      if (last_[reg] >= at) return false;
      free_.push(given_[reg]);
      return true;
    });
  }
  std::uint32_t give(std::uint32_t reg) {
    if (given_[reg] != kNone) return given_[reg];
    if (free_.empty()) {
      given_[reg] = used_++;
    } else {
      given_[reg] = free_.top();
      free_.pop();
    }
    live_.push_back(reg);
    return given_[reg];
  }

  std::vector<abi::Step>& steps_;
  const std::vector<std::uint32_t>& of_step_;
  std::vector<std::uint32_t> last_;      // by virtual register: the last step that it is used in
  std::vector<std::uint32_t> given_;     // by virtual register
  std::vector<std::uint32_t> loop_end_;  // by step: the last one that goes back to it
  std::vector<std::uint32_t> live_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  std::uint32_t used_ = 0;
};

}  // namespace

std::uint16_t give_registers(std::vector<abi::Step>& steps, const std::vector<std::uint32_t>& of_step,
                             std::uint32_t count) {
  return RegisterAllocation(steps, of_step, count).run();
}

}  // namespace hawser::compiler
