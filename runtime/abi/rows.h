// The rows of the .def files as data: what compiler, verifier and engine look up by id.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/abi/effects.h"
#include "runtime/abi/params.h"
#include "runtime/abi/program.h"

namespace hawser::abi {

struct FetchRow {
  std::span<const Param> params;
  SampleType result = SampleType::any;
  std::uint32_t available = 0;  // EntryPoint bits
  Effect reads = Effect::none;
  bool many = false;
};
const FetchRow& row(FetchId id) noexcept;

struct ConverterRow {
  std::span<const Param> params;
  SampleType input = SampleType::any;
  SampleType output = SampleType::any;
};
const ConverterRow& row(ConverterId id) noexcept;

// Which operands of a step mean something, and of which kind its constant is.
namespace use {
enum : std::uint8_t { none = 0, reg = 1, a = 2, b = 4, target = 8, point = 16 };
}
enum class StepConstant : std::uint8_t { none, arguments, value, set, text, action, reply, redirect, backend, choice };

struct OpRow {
  std::uint8_t uses = use::none;
  StepConstant constant = StepConstant::none;
};
const OpRow& row(Op op) noexcept;

// Whether a step ends the run (ends.def).
constexpr bool ends(Op op) noexcept {
  switch (op) {
#define END(id) \
  case Op::id:  \
    return true;
#include "runtime/abi/ends.def"
#undef END
    default: return false;
  }
}

}  // namespace hawser::abi
