// Dates as log lines show them, written once a second.
#pragma once

#include <string>

#include "runtime/exec/run.h"

namespace hawser::exec {

// Makes `cache` that of the second of a wall clock time in microseconds.
void refresh(DateCache& cache, std::int64_t wall_us) noexcept;

// "10/Oct/2026:13:55:36.123", local time.
void append_local_ms(std::string& text, DateCache& cache, std::int64_t wall_us);
// "10/Oct/2026:13:55:36 +0200".
void append_local(std::string& text, DateCache& cache, std::int64_t wall_us);
// "10/Oct/2026:11:55:36 +0000".
void append_universal(std::string& text, DateCache& cache, std::int64_t wall_us);

}  // namespace hawser::exec
