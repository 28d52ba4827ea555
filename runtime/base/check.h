// Checks of our own assumptions: a failed one is our mistake, never the user's or the network's.
#pragma once

namespace hawser {

// Prints the condition and its place on stderr and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace hawser

// Stops at once, in every build.
#define HAWSER_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::hawser::check_failed(#condition, __FILE__, __LINE__))

// For hot loops: checked in debug builds only.
#ifdef HAWSER_DEBUG_CHECKS
#define HAWSER_DCHECK(condition) HAWSER_CHECK(condition)
#else
#define HAWSER_DCHECK(condition) void(sizeof(static_cast<bool>(condition)))
#endif
