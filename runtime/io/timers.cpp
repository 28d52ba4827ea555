#include "runtime/io/timers.h"

#include <algorithm>
#include <bit>
#include <climits>

#include "runtime/base/check.h"

namespace hawser::io {

Timer::~Timer() {
  if (timers_ != nullptr) timers_->disarm(*this);
}

Timers::Timers(std::uint64_t now_ms) noexcept : now_ms_(now_ms) {}

Timers::~Timers() {
  for (unsigned level = 0; level < kLevels; ++level) {
    for (Timer* timer : slots_[level]) {
      while (timer != nullptr) {
        Timer* next = timer->next_;
        timer->timers_ = nullptr;
        timer->deadline_ms_ = timer->slot_ms_ = Timer::kNever;
        timer->next_ = timer->previous_ = nullptr;
        timer = next;
      }
    }
  }
}

void Timers::arm(Timer& timer, std::uint64_t deadline_ms) noexcept {
  HAWSER_DCHECK(deadline_ms != Timer::kNever);
  timer.deadline_ms_ = deadline_ms;
  if (timer.timers_ != nullptr) {
    if (timer.slot_ms_ <= deadline_ms) return;  // looked at again when the old time comes
    unlink(timer);
  }
  link(timer, deadline_ms);
}

void Timers::disarm(Timer& timer) noexcept {
  if (timer.timers_ != nullptr) unlink(timer);
  timer.deadline_ms_ = Timer::kNever;
}

Timer*& Timers::head(unsigned level, unsigned slot) noexcept {
  return level == kLevels ? firing_ : slots_[level][slot];
}

void Timers::link(Timer& timer, std::uint64_t at_ms) noexcept {
  const std::uint64_t at = std::clamp(at_ms, now_ms_, now_ms_ + kSpanMs - 1);
  const std::uint64_t ahead = at - now_ms_;
  const unsigned level = ahead == 0 ? 0 : (static_cast<unsigned>(std::bit_width(ahead)) - 1) / kSlotBits;
  const unsigned slot = static_cast<unsigned>(at >> (kSlotBits * level)) % kSlots;
  timer.timers_ = this;
  timer.slot_ms_ = at;
  timer.level_ = static_cast<std::uint8_t>(level);
  timer.slot_ = static_cast<std::uint8_t>(slot);
  timer.previous_ = nullptr;
  timer.next_ = slots_[level][slot];
  if (timer.next_ != nullptr) timer.next_->previous_ = &timer;
  slots_[level][slot] = &timer;
  occupied_[level] |= std::uint64_t{1} << slot;
}

void Timers::unlink(Timer& timer) noexcept {
  Timer*& first = head(timer.level_, timer.slot_);
  if (timer.previous_ != nullptr) {
    timer.previous_->next_ = timer.next_;
  } else {
    first = timer.next_;
  }
  if (timer.next_ != nullptr) timer.next_->previous_ = timer.previous_;
  if (first == nullptr && timer.level_ < kLevels) occupied_[timer.level_] &= ~(std::uint64_t{1} << timer.slot_);
  timer.next_ = timer.previous_ = nullptr;
  timer.timers_ = nullptr;
  timer.slot_ms_ = Timer::kNever;
}

// The first time from now on at which a slot is due or begins; nothing when no timer is armed.
std::optional<std::uint64_t> Timers::next_tick(bool include_now) const noexcept {
  std::optional<std::uint64_t> first;
  for (unsigned level = 0; level < kLevels; ++level) {
    if (occupied_[level] == 0) continue;
    const std::uint64_t current = now_ms_ >> (kSlotBits * level);
    const unsigned skip = level == 0 && include_now ? 0 : 1;
    const std::uint64_t ahead = std::rotr(occupied_[level], static_cast<int>((current + skip) % kSlots));
    // At level 0 the current slot holds what is due now, not what is 64 ms ahead.
    if (level == 0 && skip == 1 && ahead << 1 == 0) continue;
    const std::uint64_t tick = (current + skip + static_cast<unsigned>(std::countr_zero(ahead))) << (kSlotBits * level);
    if (!first || tick < *first) first = tick;
  }
  return first;
}

// Moves the entries of the slot that begins now to the levels below, by what their deadlines are by now.
void Timers::cascade(unsigned level) noexcept {
  const unsigned slot = static_cast<unsigned>(now_ms_ >> (kSlotBits * level)) % kSlots;
  while (Timer* timer = slots_[level][slot]) {
    unlink(*timer);
    link(*timer, timer->deadline_ms_);
  }
}

void Timers::fire_due() noexcept {
  const unsigned slot = static_cast<unsigned>(now_ms_) % kSlots;
  firing_ = slots_[0][slot];
  slots_[0][slot] = nullptr;
  occupied_[0] &= ~(std::uint64_t{1} << slot);
  for (Timer* timer = firing_; timer != nullptr; timer = timer->next_) timer->level_ = kLevels;
  while (Timer* timer = firing_) {
    unlink(*timer);
    if (timer->deadline_ms_ > now_ms_) {
      link(*timer, timer->deadline_ms_);
    } else {
      timer->deadline_ms_ = Timer::kNever;
      timer->fire_(*timer);
    }
  }
}

void Timers::advance(std::uint64_t now_ms) noexcept {
  fire_due();
  while (now_ms_ < now_ms) {
    now_ms_ = std::min(next_tick(false).value_or(now_ms), now_ms);
    for (unsigned level = kLevels - 1; level > 0; --level) {
      if (now_ms_ % (std::uint64_t{1} << (kSlotBits * level)) == 0) cascade(level);
    }
    fire_due();
  }
}

int Timers::wait_ms(std::uint64_t now_ms, int most) const noexcept {
  const std::optional<std::uint64_t> tick = next_tick(true);
  if (!tick) return most;
  const std::uint64_t wait = *tick > now_ms ? *tick - now_ms : 0;
  const std::uint64_t limit = most < 0 ? std::uint64_t{INT_MAX} : static_cast<std::uint64_t>(most);
  return static_cast<int>(std::min(wait, limit));
}

}  // namespace hawser::io
