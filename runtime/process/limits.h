// File descriptors: how many the configuration needs, and whether the system grants them.
#pragma once

#include <cstdint>

#include "runtime/abi/plan.h"
#include "runtime/process/messages.h"

namespace hawser::process {

struct Limits {
  std::uint32_t maxconn = 0;      // of the process
  std::uint32_t descriptors = 0;  // needed at most
  std::uint32_t granted = 0;      // RLIMIT_NOFILE now
};

// What a process of so many threads and listeners keeps open besides its connections. haproxy 2.6 counts the
// same, and so gives the same verdicts: ten, three a thread, one a listener, and the command sockets' clients.
std::uint32_t reserved_descriptors(std::uint32_t threads, std::uint32_t listeners,
                                   std::uint32_t command_clients) noexcept;

// The connections that fit: two descriptors each, at least 100 (then too few descriptors are found out later).
std::uint32_t maxconn_for(std::uint64_t descriptors, std::uint32_t reserved) noexcept;

// Works out `maxconn` where the file leaves it open, and raises RLIMIT_NOFILE to what it takes. False after an
// alert: too few descriptors, and the file does not say `no strict-limits`.
// `memory_mb`: -m. `program`: argv[0], which stands in haproxy's messages. `tell`: say which maxconn was chosen.
bool settle_limits(abi::ImageView plan, std::uint32_t threads, std::uint32_t memory_mb, std::string_view program,
                   bool tell, Messages& messages, Limits& limits);

// The number of workers: nbthread, or as many as the CPUs that we may use, at most 64.
std::uint32_t thread_count(const abi::Plan& plan) noexcept;

}  // namespace hawser::process
