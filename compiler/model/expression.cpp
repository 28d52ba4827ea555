#include "compiler/model/expression.h"

#include <algorithm>

namespace hawser::model {

bool Format::constant() const noexcept {
  return std::all_of(parts.begin(), parts.end(),
                     [](const FormatPart& part) { return part.kind == FormatPart::Kind::text; });
}

}  // namespace hawser::model
