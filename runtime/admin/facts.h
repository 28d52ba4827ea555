// What the command socket tells about the process: the parts that it cannot see by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/tables/state.h"

namespace hawser::admin {

// Of the rules' functions: how many run as native code, and how many exchanges were served by which engine.
struct NativeFacts {
  std::string_view mode = "off";  // --jit
  std::uint32_t functions = 0;
  std::uint32_t native = 0;
  std::uint32_t pending = 0;
  std::uint32_t failed = 0;
  std::uint32_t compile_ms = 0;
  std::uint32_t peak_kb = 0;  // of hawser-jitc
  std::uint32_t reused = 0;   // of the native ones: made for an earlier program, and taken over
  std::int64_t exchanges_native = 0;
  std::int64_t exchanges_interpreted = 0;
};

struct Facts {
  std::string version;       // that tools judge by: "3.4.0-hawser0.1.0"
  std::string build;         // "Hawser 0.1.0"
  std::string release_date;  // "2026/11/30"
  std::string node;
  std::string description;
  std::uint32_t pid = 0;
  std::uint32_t threads = 1;
  std::uint32_t maxconn = 0;
  std::uint32_t memory_mb = 0;
  std::uint32_t descriptors_granted = 0;
  std::uint32_t descriptors_needed = 0;
  std::uint32_t listeners = 0;
  std::int64_t started_s = 0;  // since the epoch
  std::uint64_t started_monotonic_s = 0;
  std::function<std::uint64_t()> dropped_logs;
  std::function<bool()> stopping;
  std::function<NativeFacts()> native;
  // Sends the listening sockets over a connection (_getsocks); false when that failed.
  std::function<bool(int connection)> give_listeners;
};

// What commands look at. Outlives the command server.
struct Subject {
  const tables::Installed& installed;
  const Facts& facts;
};

}  // namespace hawser::admin
