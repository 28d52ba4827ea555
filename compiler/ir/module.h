// The IR of a configuration: its functions, and what they refer to.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/function.h"

namespace hawser::ir {

// A redirection's fixed parts; the location is computed.
struct Redirect {
  abi::Redirect::Kind kind = abi::Redirect::Kind::location;
  std::uint16_t code = 302;
  bool drop_query = false;
  bool append_slash = false;
  bool clear_cookie = false;
  std::string set_cookie;
};

// The patterns of a set that come from one reference.
struct SetPart {
  model::ReferenceId reference;
  std::uint32_t patterns = 0;  // how many
};

struct PatternSet {
  abi::Match match = abi::Match::string;
  bool ignore_case = false;
  bool nameless = false;  // part of an action: no command can change it. All others stand before these
  std::string acl_name;
  std::string reference;
  std::vector<model::Pattern> patterns;
  std::vector<SetPart> parts;  // the patterns in order, by where they come from; none of a nameless set
};

class Module {
 public:
  std::vector<std::string> proxies;  // their names, in the Plan's order
  std::uint32_t replies = 0;         // of the Plan
  Store<model::Reference, model::ReferenceId> references;  // by their `#id`
  Store<PatternSet, SetId> sets;
  Store<Redirect, RedirectId> redirects;
  std::vector<Function> functions;  // at most one for each proxy and entry point, in this order

  // The id of an expression; equal ones have the same.
  ExpressionId intern(Expression expression);
  const Expression& expression(ExpressionId id) const { return expressions_[id]; }
  std::size_t expressions() const noexcept { return expressions_.size(); }

 private:
  Store<Expression, ExpressionId> expressions_;
  std::unordered_map<std::string, ExpressionId> by_text_;
};

}  // namespace hawser::ir
