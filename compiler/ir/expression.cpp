#include "compiler/ir/expression.h"

#include "compiler/model/dump_expression.h"
#include "runtime/kernels/casts.h"
#include "runtime/kernels/matchers.h"

namespace hawser::ir {

using abi::FetchId;
using abi::SampleType;

SampleType Expression::type() const noexcept {
  return converters.empty() ? abi::row(fetch).result : abi::row(converters.back().converter).output;
}

bool fits(SampleType type, abi::Match match) noexcept {
  const SampleType input = kernels::match_input(match);
  return input == SampleType::any || type == input || (kernels::is_text(type) && kernels::is_text(input));
}

bool names_field(FetchId fetch) noexcept {
  switch (fetch) {
    case FetchId::req_hdr:
    case FetchId::hdr:
    case FetchId::req_fhdr:
    case FetchId::req_hdr_cnt:
    case FetchId::hdr_cnt:
    case FetchId::req_hdr_val:
    case FetchId::hdr_val:
    case FetchId::req_hdr_ip:
    case FetchId::hdr_ip:
    case FetchId::res_hdr: return true;
    default: return false;
  }
}

std::string to_text(const Expression& expression) {
  std::string text = model::call_text(abi::name_of(expression.fetch), expression.args);
  if (expression.of_response) text += "@response";
  for (const Conversion& conversion : expression.converters) {
    text += ',' + model::call_text(abi::name_of(conversion.converter), conversion.args);
  }
  return text;
}

}  // namespace hawser::ir
