// Deadlines of one worker.
#pragma once

#include <cstdint>
#include <optional>

namespace hawser::io {

class Timers;

// A member of its owner; unlinked when destroyed. Re-arming to a later time is nearly free: the entry stays where it is and is
// looked at again when its old time comes.
class Timer {
 public:
  using Fire = void (*)(Timer& timer) noexcept;
  explicit Timer(Fire fire) noexcept : fire_(fire) {}
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  bool armed() const noexcept { return deadline_ms_ != kNever; }
  std::uint64_t deadline_ms() const noexcept { return deadline_ms_; }

 private:
  friend class Timers;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  Fire fire_;
  std::uint64_t deadline_ms_ = kNever;  // when it is due
  std::uint64_t slot_ms_ = kNever;      // where it is linked: never after the deadline
  Timer* next_ = nullptr;
  Timer* previous_ = nullptr;
  Timers* timers_ = nullptr;
  std::uint8_t level_ = 0;  // which list holds it; kLevels: the one that is being fired
  std::uint8_t slot_ = 0;
};

// A hierarchical timing wheel with a resolution of one millisecond. Starting, moving and stopping cost O(1).
class Timers {
 public:
  explicit Timers(std::uint64_t now_ms) noexcept;
  ~Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // A deadline that has passed fires at the next advance().
  void arm(Timer& timer, std::uint64_t deadline_ms) noexcept;
  void disarm(Timer& timer) noexcept;

  // Fires what is due at `now_ms`; a timer is disarmed before its `fire` is called, which may arm it again, and disarm or
  // destroy others.
  void advance(std::uint64_t now_ms) noexcept;

  // Milliseconds until advance() has something to look at, at most `most` (-1: no limit); -1 for never.
  int wait_ms(std::uint64_t now_ms, int most) const noexcept;

 private:
  static constexpr unsigned kLevels = 6;
  static constexpr unsigned kSlotBits = 6;
  static constexpr unsigned kSlots = 1u << kSlotBits;
  static constexpr std::uint64_t kSpanMs = std::uint64_t{1} << (kSlotBits * kLevels);
  void link(Timer& timer, std::uint64_t at_ms) noexcept;
  void unlink(Timer& timer) noexcept;
  Timer*& head(unsigned level, unsigned slot) noexcept;
  std::optional<std::uint64_t> next_tick(bool include_now) const noexcept;
  void cascade(unsigned level) noexcept;
  void fire_due() noexcept;
  friend class Timer;

  // Invariant: whatever is linked at level L > 0 lies at least one and at most 64 slots of that level ahead of
  // `now_ms_`; at level 0, from now to 63 ms ahead.
  std::uint64_t now_ms_;
  Timer* slots_[kLevels][kSlots] = {};
  std::uint64_t occupied_[kLevels] = {};  // a bit a slot
  Timer* firing_ = nullptr;               // taken out of its slot by fire_due()
};

}  // namespace hawser::io
