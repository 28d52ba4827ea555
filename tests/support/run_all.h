// Runs every entry of a Program that may be damaged; false when it is refused.
#pragma once

#include <memory>

#include "runtime/exec/run.h"
#include "tests/support/world.h"

namespace hawser::test {

inline bool run_all(abi::ImageView image) {
  auto made = exec::Engine::make(image);
  if (!made.ok()) return false;
  const exec::Engine& engine = **made;
  for (std::uint32_t proxy = 0; proxy < engine.program().proxies.count; ++proxy) {
    for (std::size_t point = 0; point < abi::kEntryPoints; ++point) {
      World world;
      world.add("x", "a, b");
      world.add("cookie", "c=1; d=2");
      exec::Subject subject = world.subject();
      const abi::Entry& entry = engine.entry(proxy, static_cast<abi::EntryPoint>(point));
      exec::Outcome outcome = engine.run(entry, world.worker, subject, world.frame, 0);
      // A Program may wait as often as it likes.
      for (int turn = 0; turn < 100; ++turn) {
        if (outcome.kind != exec::Outcome::Kind::suspend && outcome.kind != exec::Outcome::Kind::need) break;
        outcome = engine.run(entry, world.worker, subject, world.frame, world.frame.resume);
      }
    }
  }
  return true;
}

}  // namespace hawser::test
