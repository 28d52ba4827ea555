// Converters: pure functions from a sample and arguments to a sample, one a row of converters.def.
//
// The input was cast to the row's type and is not absent. Arguments stand in the order of the row's params: texts and
// numbers as they are, variables as their values; absent: left out, or a variable that is not set. New texts are in
// `arena`; a part of the input stays a view of it. False: there is no result.
#pragma once

#include "runtime/abi/program.h"
#include "runtime/abi/sample.h"
#include "runtime/base/arena.h"

namespace hawser::kernels {

using Converter = bool (*)(abi::Sample& sample, const abi::Sample* arguments, Arena& arena) noexcept;

#define CONVERTER(id, ...) bool convert_##id(abi::Sample& sample, const abi::Sample* arguments, Arena& arena) noexcept;
#include "runtime/abi/converters.def"
#undef CONVERTER

Converter converter(abi::ConverterId id) noexcept;

// The type of the row that the input is cast to first.
abi::SampleType input_of(abi::ConverterId id) noexcept;

// Writes `text` with percent escapes decoded to `out`, which has room for as many bytes, and sets `size`. '+' becomes a blank
// when `plus`, and else behind the first '?'. False for an escape that is none.
bool decode_percent(std::string_view text, bool plus, char* out, std::size_t& size) noexcept;

}  // namespace hawser::kernels
