// Runs Programs (contract 1).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/abi/program.h"
#include "runtime/base/result.h"
#include "runtime/exec/subject.h"
#include "runtime/kernels/choice.h"
#include "runtime/kernels/matchers.h"
#include "runtime/tables/live_sets.h"

namespace hawser::exec {

struct Outcome {
  enum class Kind : std::uint8_t {
    next,     // the ruleset is over: go on behind it
    stop,     // a final rule allowed it
    reply,    // answer with `reply`, on behalf of `action`
    close,    // close without an answer
    need,     // more data; run again from Frame::resume when there is, or at the deadline
    suspend,  // something else is awaited; run again from Frame::resume
    error,    // the Program could not go on: 500
  };
  Kind kind = Kind::next;
  abi::ActionId action = abi::ActionId::count_;
  std::uint32_t index = 0;  // reply: of Plan::replies; or of Program::redirects when `redirect`
  bool redirect = false;
  std::uint64_t deadline_ms = 0;  // need, suspend: 0 for none
};

using ResumePoint = std::uint32_t;  // 0: from the beginning

// What lives across a resume point. One for an exchange, reset for each ruleset; its vectors grow to
// Program::registers_max and selectors_max, and stay.
struct Frame {
  std::vector<abi::Sample> registers;
  // Where `fetch_next` goes on, one a register. Any value is sound; it only moves ahead.
  struct Cursor {
    std::uint32_t field = 0;
    std::uint32_t offset = 0;
  };
  std::vector<Cursor> cursors;
  std::vector<abi::Selector> selectors;
  abi::Truth condition = abi::Truth::no;
  ResumePoint resume = 0;
  // The text being built, while it is not in the WorkerContext.
  std::string_view text;
  bool text_blank = true;  // it is empty or ends with a separator
  // Of the last outcome:
  std::string_view location;                   // redirect
  std::string_view body;                       // reply with a computed body
  std::vector<std::string_view> field_values;  // reply with `hdr`s
  std::int32_t backend = -1;                   // choose_backend
  std::string_view line;                       // log: good until the next run with this WorkerContext
};

// The second that a date was last written for, and how.
struct DateCache {
  std::int64_t second = INT64_MIN;
  char local[20];  // 10/Oct/2026:13:55:36
  char offset[5];  // +0200
  char universal[20];
};

// A scratch buffer for the text being built, and what a worker need not find out again. One a worker.
struct WorkerContext {
  std::string text;
  std::uint32_t worker = 0;
  DateCache accepted;  // of accept dates and request dates
  DateCache requested;
  std::string host;  // %H, once it was asked for
  std::int64_t process = 0;
};

class NativeCode;

// A verified Program ready to run. Shared by all workers; immutable, but for what commands change in its sets, and for native code
// that is put in once.
class Engine {
 public:
  ~Engine();
  // `image` lives as long as the engine. Checks it with abi::verify first.
  static Result<std::unique_ptr<Engine>> make(abi::ImageView image);

  const abi::Entry& entry(std::uint32_t proxy, abi::EntryPoint point) const noexcept {
    return proxies_[proxy].at[static_cast<std::size_t>(point)];
  }
  bool has(std::uint32_t proxy, abi::EntryPoint point) const noexcept {
    return entry(proxy, point).function != abi::kNoFunction;
  }

  // Runs an entry from `resume`. Sets up `frame` when `resume` is 0.
  Outcome run(const abi::Entry& entry, WorkerContext& worker, Subject& subject, Frame& frame,
              ResumePoint resume) const noexcept;

  // Runs every entry by native code from now on: by the code image behind a descriptor of a sealed memfd, which stays the
  // caller's. For any thread, while others run; a run that waits goes on by it. Refuses an image that is damaged or of another
  // Program, and a second one.
  Status install_native(int code);
  // Null while entries are interpreted.
  const NativeCode* native() const noexcept { return native_.load(std::memory_order_acquire); }

  // Whether a sample matches a set by a method: as the set's contents are now. For the thread of that worker.
  bool matches(std::uint32_t set, const abi::Sample& sample, abi::Match match,
               const WorkerContext& worker) const noexcept {
    if (live_sets_->changed(set)) [[unlikely]]
      return live_sets_->matches(set, sample, match, worker.worker);
    return kernels::matches(sample, sets_[set], match);
  }
  // What the sets were when the Program was made, and the words that say whether they still are: whatever is compiled from
  // the former looks at the latter (live_sets.h says how).
  const std::vector<kernels::SetView>& sets() const noexcept { return sets_; }
  const std::atomic<std::uint32_t>* changed_words() const noexcept { return live_sets_->changed_words(); }
  // To be installed to the process's tables::PatternStore, which then changes them.
  tables::LiveSets& live_sets() const noexcept { return *live_sets_; }

  // The first case of a Choice numbered `from` or higher that a sample matches; abi::kNoCase.
  std::uint32_t first_case(std::uint32_t choice, const abi::Sample& sample, std::uint32_t from,
                           const WorkerContext& worker) const noexcept;

  // The contents of a set may no longer be those of the image: choices and native comparisons made of it are not used any
  // more. For any thread; a command that changes a set does this.
  void set_changed(std::uint32_t set) const noexcept { live_sets_->set_changed(set); }

  const abi::Program& program() const noexcept { return *program_; }
  abi::ImageView image() const noexcept { return image_; }

 private:
  explicit Engine(abi::ImageView image);
  Status make_sets();
  void make_choices();
  void outdate_choices(std::uint32_t set) noexcept;
  abi::ImageView image_;
  const abi::Program* program_;
  std::span<const abi::Step> steps_;
  std::span<const abi::Function> functions_;
  std::span<const abi::ProxyEntries> proxies_;
  std::vector<kernels::SetView> sets_;
  std::vector<std::vector<kernels::Regex>> expressions_;  // of the sets that match by them
  std::unique_ptr<tables::LiveSets> live_sets_;
  std::span<const abi::Redirect> redirects_;
  struct GuardedChoice {
    std::span<const abi::ChoiceCase> cases;
    kernels::Choice choice;
    std::atomic<bool> outdated{false};
    GuardedChoice(std::span<const abi::ChoiceCase> rows, kernels::Choice made) : cases(rows), choice(std::move(made)) {}
  };
  std::deque<GuardedChoice> choices_;
  std::atomic<const NativeCode*> native_{nullptr};
  // The steps at which each function may be resumed: resume point n of function f is resume_steps_[first_resume_[f] + n - 1].
  std::vector<std::uint32_t> resume_steps_;
  std::vector<std::uint32_t> first_resume_;
  friend class Interpreter;
};

// Builds the location of a redirection (manual, `redirect`): prefix keeps the path and query, scheme the host too.
// The result is in the exchange's arena.
std::string_view redirect_location(const abi::Redirect& redirect, std::string_view target, const Subject& subject);

}  // namespace hawser::exec
