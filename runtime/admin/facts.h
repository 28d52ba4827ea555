// What the command socket tells about the process: the parts that it cannot see by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/tables/state.h"

namespace hawser::admin {

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
};

// What commands look at. Outlives the command server.
struct Subject {
  const tables::Installed& installed;
  const Facts& facts;
};

}  // namespace hawser::admin
