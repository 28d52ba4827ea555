#include "compiler/ir/module.h"

namespace hawser::ir {

ExpressionId Module::intern(Expression expression) {
  const auto [found, is_new] = by_text_.try_emplace(to_text(expression));
  if (is_new) found->second = expressions_.add(std::move(expression));
  return found->second;
}

}  // namespace hawser::ir
