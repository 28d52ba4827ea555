// A value or the reason why there is none. (g++ 12 has no std::expected.)
#pragma once

#include <cerrno>
#include <string>
#include <utility>
#include <variant>

#include "runtime/base/check.h"

namespace hawser {

// What went wrong with the world: `code` is an errno value or 0, `message` a sentence without a full stop.
struct Error {
  int code = 0;
  std::string message;

  // The current errno with its text behind `what`: "bind: Address already in use".
  static Error from_errno(std::string what, int code = errno);
};

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & { return checked(), *std::get_if<0>(&state_); }
  const T& value() const& { return checked(), *std::get_if<0>(&state_); }
  T&& value() && { return checked(), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T other) const { return ok() ? *std::get_if<0>(&state_) : std::move(other); }

  const E& error() const {
    HAWSER_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  void checked() const { HAWSER_CHECK(ok()); }
  std::variant<T, E> state_;
};

struct Success {};
using Status = Result<Success>;

}  // namespace hawser
