#include "runtime/abi/rows.h"

#include <iterator>

namespace hawser::abi {
namespace {

constexpr FetchRow kFetches[] = {
#define FETCH(id, name, params_, result_, available_, reads_, many_, ...) \
  {params::params_, SampleType::result_, available::available_, Effect::reads_, many_},
#include "runtime/abi/fetches.def"
#undef FETCH
};

constexpr ConverterRow kConverters[] = {
#define CONVERTER(id, name, params_, input_, output_, ...) {params::params_, SampleType::input_, SampleType::output_},
#include "runtime/abi/converters.def"
#undef CONVERTER
};

constexpr auto op_rows() noexcept {
  using namespace use;
  struct Rows {
    OpRow at[static_cast<std::size_t>(Op::count_)];
  };
  return Rows{{
#define OP(id, uses_, constant_, ...) {static_cast<std::uint8_t>(uses_), StepConstant::constant_},
#include "runtime/abi/opcodes.def"
#undef OP
  }};
}
constexpr auto kOps = op_rows();

}  // namespace

const FetchRow& row(FetchId id) noexcept {
  HAWSER_CHECK(id < FetchId::count_);
  return kFetches[static_cast<std::size_t>(id)];
}
const ConverterRow& row(ConverterId id) noexcept {
  HAWSER_CHECK(id < ConverterId::count_);
  return kConverters[static_cast<std::size_t>(id)];
}
const OpRow& row(Op op) noexcept {
  HAWSER_CHECK(op < Op::count_);
  return kOps.at[static_cast<std::size_t>(op)];
}

}  // namespace hawser::abi
