// What is known of a function before it runs: where its condition is still needed, and what its bindings hold
// wherever it is used. Knows nothing of LLVM.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi/image.h"
#include "runtime/abi/native.h"
#include "runtime/abi/program.h"

namespace hawser::codegen {

// A comparison that code carries out itself.
struct Comparison {
  struct Text {
    std::string bytes;  // in lower case when case is ignored
  };
  struct Range {
    std::int64_t low = INT64_MIN;
    std::int64_t high = INT64_MAX;
  };
  struct Network {  // of IPv4; both as an aligned load of the address gives them
    std::uint32_t mask = 0;
    std::uint32_t bits = 0;
  };
  struct WideNetwork {  // of IPv6; two loads
    std::uint64_t mask[2] = {};
    std::uint64_t bits[2] = {};
  };
  abi::Match match = abi::Match::found;
  // The sets of the bindings differ, but each has one pattern, of IPv4 where it is an address: code looks it up. Then nothing else
  // is said here.
  bool by_bindings = false;
  bool ignore_case = false;
  std::vector<Text> texts;
  std::vector<Range> ranges;      // of an integer, or of a length
  std::vector<Network> networks;  // for IPv4 samples
  // For IPv6 samples; when there are none, because no pattern is of IPv6 or there are too many, those go to the helper.
  std::vector<WideNetwork> wide_networks;
};

// The functions of a verified Program with their steps and all the bindings that they are used with.
class Facts {
 public:
  explicit Facts(abi::ImageView image);

  const abi::Program& program() const noexcept { return *program_; }
  std::span<const abi::Function> functions() const noexcept { return functions_; }
  std::span<const abi::Step> steps(std::size_t function) const noexcept {
    return steps_.subspan(functions_[function].first_step, functions_[function].steps);
  }
  // Where it is used first: "proxy3.http_request"; "unused" when nowhere.
  std::string place(std::size_t function) const;

  // The kind of a constant, if it is the same in all bindings.
  std::optional<abi::Constant::Kind> kind(std::size_t function, std::uint32_t at) const;
  // How to carry out a test inline: its set has the same contents in all bindings, and few of them, or one pattern in each.
  // Nothing for other tests: they go to the helper.
  std::optional<Comparison> comparison(std::size_t function, const abi::Step& step) const;

  // Of all that is told here of a function but its place, and of its steps: what its code is made from.
  abi::NativeKey key(std::size_t function, std::uint64_t seed) const;

 private:
  const abi::PatternSet* common_set(std::size_t function, std::uint32_t at) const;
  bool have_one_pattern(std::size_t function, const abi::Step& step) const;
  bool same_patterns(const abi::PatternSet& a, const abi::PatternSet& b) const;

  abi::ImageView image_;
  const abi::Program* program_;
  std::span<const abi::Step> steps_;
  std::span<const abi::Function> functions_;
  std::span<const abi::PatternSet> sets_;
  std::vector<std::vector<abi::Rows<abi::Constant>>> bindings_;  // of each function
  std::vector<std::string> places_;
};

}  // namespace hawser::codegen
