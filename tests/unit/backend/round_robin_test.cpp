#include "runtime/backend/round_robin.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace hawser::backend {
namespace {

struct Farm {
  explicit Farm(std::vector<std::uint32_t> weights) {
    for (const std::uint32_t weight : weights) {
      states.push_back(std::make_unique<tables::ServerState>(1));
      states.back()->weight = weight;
      rows.push_back({nullptr, states.back().get(), {}});
    }
  }
  std::vector<std::unique_ptr<tables::ServerState>> states;
  std::vector<tables::Installed::ServerRow> rows;
};

std::string picks(RoundRobin& wheel, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(wheel.pick() + 1);
  return text;
}

TEST_CASE("servers of equal weight take turns in their order") {
  Farm farm({1, 1, 1});
  RoundRobin wheel(farm.rows);
  CHECK(picks(wheel, 7) == "1231231");
}

TEST_CASE("weights 1, 2, 3 give haproxy's sequence") {
  Farm farm({1, 2, 3});
  RoundRobin wheel(farm.rows);
  CHECK(picks(wheel, 25) == "3231323231323231323231323");
}

TEST_CASE("unequal weights give haproxy's sequences") {
  const struct {
    std::vector<std::uint32_t> weights;
    std::string_view sequence;  // of two laps
  } kMeasured[] = {
      {{5, 1, 1}, "11121131112113"},
      {{5, 3}, "1121211211212112"},
      {{5, 5, 2}, "121212312121321212312121"},
      {{7, 5, 3, 1}, "12132112312141321213211231214132"},
      {{10, 3, 7}, "1313121313121313113213131213131213131132"},
      {{9, 2, 2, 1}, "1121131141211311211311412113"},
  };
  for (const auto& [weights, sequence] : kMeasured) {
    Farm farm(weights);
    RoundRobin wheel(farm.rows);
    CHECK(picks(wheel, static_cast<int>(sequence.size())) == sequence);
  }
}

TEST_CASE("a lap gives each server as many turns as it has weight") {
  Farm farm({10, 3, 7, 0});
  RoundRobin wheel(farm.rows);
  std::vector<int> counts(4);
  for (int i = 0; i < 20 * 50; ++i) ++counts[static_cast<std::size_t>(wheel.pick())];
  CHECK(counts == std::vector<int>{500, 150, 350, 0});
}

TEST_CASE("servers in maintenance are passed over, and come back with their next turn") {
  Farm farm({1, 1, 1});
  farm.states[1]->admin = tables::ServerAdmin::maintenance;
  RoundRobin wheel(farm.rows);
  CHECK(picks(wheel, 4) == "1313");
  farm.states[1]->admin = tables::ServerAdmin::ready;
  const std::string later = picks(wheel, 30);
  CHECK(std::count(later.begin(), later.end(), '2') >= 9);
}

TEST_CASE("no server is picked when none is usable, and the one to avoid only when it is the last") {
  Farm farm({1, 1});
  farm.states[0]->admin = tables::ServerAdmin::maintenance;
  RoundRobin wheel(farm.rows);
  CHECK(wheel.pick(1) == 1);
  CHECK(wheel.usable() == 1);
  farm.states[1]->weight = 0;
  CHECK(wheel.pick() == RoundRobin::kNone);
  farm.states[0]->admin = tables::ServerAdmin::ready;
  CHECK(wheel.pick(1) == 0);
}

TEST_CASE("a change of weight changes the shares") {
  Farm farm({1, 1});
  RoundRobin wheel(farm.rows);
  picks(wheel, 10);
  farm.states[0]->weight = 3;
  int first = 0;
  for (int i = 0; i < 400; ++i) first += wheel.pick() == 0 ? 1 : 0;
  CHECK(first >= 295);
  CHECK(first <= 305);
}

}  // namespace
}  // namespace hawser::backend
