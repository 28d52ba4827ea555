// Typed indexes, and stores of values that refer to each other by them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/base/check.h"

namespace hawser {

// An index that does not convert to an index of another kind. A default-made one is "none".
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t at) : index(at) {}
  constexpr bool valid() const noexcept { return index != kNone; }
  constexpr explicit operator bool() const noexcept { return valid(); }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

// Values in the order in which they were added; an id stays good for the store's life.
template <class T, class IdT>
class Store {
 public:
  IdT add(T value) {
    items_.push_back(std::move(value));
    return IdT(static_cast<std::uint32_t>(items_.size() - 1));
  }
  T& operator[](IdT id) {
    HAWSER_CHECK(id.index < items_.size());
    return items_[id.index];
  }
  const T& operator[](IdT id) const {
    HAWSER_CHECK(id.index < items_.size());
    return items_[id.index];
  }
  std::size_t size() const noexcept { return items_.size(); }
  bool empty() const noexcept { return items_.empty(); }
  IdT id_at(std::size_t index) const noexcept { return IdT(static_cast<std::uint32_t>(index)); }
  auto begin() noexcept { return items_.begin(); }
  auto end() noexcept { return items_.end(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() const noexcept { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace hawser

template <class Tag>
struct std::hash<hawser::Id<Tag>> {
  std::size_t operator()(hawser::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.index); }
};
