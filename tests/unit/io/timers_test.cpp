// The timing wheel: by examples, and against a plain map with the same calls in random order.
#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "runtime/io/clock.h"
#include "runtime/io/timers.h"

using namespace hawser::io;

namespace {

struct Alarm : Timer {
  explicit Alarm(Timers& owner) : Timer(&Alarm::on_fire), timers(owner) {}
  static void on_fire(Timer& timer) noexcept {
    Alarm& alarm = static_cast<Alarm&>(timer);
    CHECK_FALSE(alarm.armed());
    ++alarm.fired;
    if (alarm.again_ms != 0) alarm.timers.arm(alarm, alarm.again_ms);
    if (alarm.victim != nullptr) alarm.victim.reset();
  }
  Timers& timers;
  int fired = 0;
  std::uint64_t again_ms = 0;
  std::unique_ptr<Alarm> victim;
};

}  // namespace

TEST_CASE("a timer fires at its deadline and not a millisecond before, however far away it is") {
  for (const std::uint64_t start : {0ull, 1ull, 63ull, 64ull, 4095ull, 1'700'000'000'123ull}) {
    for (const std::uint64_t wait :
         {1ull, 63ull, 64ull, 65ull, 4095ull, 4096ull, 262'144ull, 1'073'741'825ull, 100'000'000'000ull}) {
      CAPTURE(start);
      CAPTURE(wait);
      Timers timers(start);
      Alarm alarm(timers);
      timers.arm(alarm, start + wait);
      timers.advance(start + wait - 1);
      CHECK(alarm.fired == 0);
      timers.advance(start + wait);
      CHECK(alarm.fired == 1);
      CHECK_FALSE(alarm.armed());
    }
  }
}

TEST_CASE(
    "a deadline that has passed fires at the next advance, also of the same millisecond, and the wait is nothing") {
  Timers timers(1000);
  Alarm alarm(timers);
  timers.advance(1000);
  timers.arm(alarm, 17);
  CHECK(timers.wait_ms(1000, -1) == 0);
  timers.advance(1000);
  CHECK(alarm.fired == 1);
  alarm.again_ms = 1000;  // one that arms itself for now fires once an advance
  timers.arm(alarm, 1000);
  timers.advance(1000);
  CHECK(alarm.fired == 2);
}

TEST_CASE("a timer that was moved later is looked at when its old time comes, and fires at the new") {
  Timers timers(0);
  Alarm alarm(timers);
  timers.arm(alarm, 100);
  timers.arm(alarm, 5000);
  CHECK(alarm.deadline_ms() == 5000);
  CHECK(timers.wait_ms(0, -1) <= 100);
  timers.advance(4999);
  CHECK(alarm.fired == 0);
  timers.arm(alarm, 5001);
  timers.arm(alarm, 5000);
  timers.advance(5000);
  CHECK(alarm.fired == 1);
}

TEST_CASE("the wait is bounded by the caller's limit, and has no end without a timer") {
  Timers timers(0);
  CHECK(timers.wait_ms(0, -1) == -1);
  CHECK(timers.wait_ms(0, 250) == 250);
  Alarm alarm(timers);
  timers.arm(alarm, 40);
  CHECK(timers.wait_ms(0, 250) == 40);
  CHECK(timers.wait_ms(30, -1) == 10);
  CHECK(timers.wait_ms(0, 7) == 7);
  timers.disarm(alarm);
  CHECK(timers.wait_ms(0, -1) == -1);
}

TEST_CASE("a firing timer may destroy another that is due in the same millisecond") {
  Timers timers(0);
  for (const bool victim_first : {true, false}) {
    auto victim = std::make_unique<Alarm>(timers);
    Alarm killer(timers);
    const std::uint64_t due = victim_first ? 10 : 20;
    if (victim_first) timers.arm(*victim, due);
    timers.arm(killer, due);
    if (!victim_first) timers.arm(*victim, due);
    killer.victim = std::move(victim);
    timers.advance(due);
    CHECK(killer.fired == 1);
    CHECK(killer.victim == nullptr);
  }
  CHECK(timers.wait_ms(20, -1) == -1);
}

TEST_CASE("a timer outlives its wheel") {
  auto timers = std::make_unique<Timers>(0);
  Alarm alarm(*timers);
  timers->arm(alarm, 10);
  timers.reset();
  CHECK_FALSE(alarm.armed());
}

TEST_CASE("the wheel fires what a plain map fires, in 200,000 random calls") {
  std::mt19937_64 random(20260801);
  std::uint64_t now = 123'456;
  Timers timers(now);
  std::deque<Alarm> alarms;
  for (int i = 0; i < 300; ++i) alarms.emplace_back(timers);
  std::vector<std::uint64_t> deadlines(alarms.size(), 0);  // 0: not armed
  std::vector<int> fired(alarms.size(), 0);
  const std::uint64_t spans[] = {1, 10, 64, 100, 5000, 70'000, 20'000'000};
  for (int call = 0; call < 200'000; ++call) {
    const std::size_t at = random() % alarms.size();
    switch (random() % 4) {
      case 0:
      case 1:
        deadlines[at] = now + random() % spans[random() % std::size(spans)];
        timers.arm(alarms[at], deadlines[at]);
        break;
      case 2:
        deadlines[at] = 0;
        timers.disarm(alarms[at]);
        break;
      case 3: {
        const int wait = timers.wait_ms(now, -1);
        for (const std::uint64_t deadline : deadlines) {
          if (deadline != 0) REQUIRE(now + static_cast<std::uint64_t>(wait) <= std::max(deadline, now));
        }
        now += random() % spans[random() % std::size(spans)];
        timers.advance(now);
        for (std::size_t i = 0; i < alarms.size(); ++i) {
          if (deadlines[i] != 0 && deadlines[i] <= now) {
            deadlines[i] = 0;
            ++fired[i];
          }
          REQUIRE(alarms[i].fired == fired[i]);
        }
      }
    }
  }
}

TEST_CASE("both clocks run") {
  const Now first = Now::read();
  const Now second = Now::read();
  CHECK(second.monotonic_us >= first.monotonic_us);
  CHECK(first.wall_us > 1'600'000'000'000'000);
  CHECK(first.ms() == first.monotonic_us / 1000);
}
