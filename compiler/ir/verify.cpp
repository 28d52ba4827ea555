#include "compiler/ir/verify.h"

#include <algorithm>

#include "compiler/ir/check.h"
#include "runtime/base/ascii.h"

namespace hawser::ir {
namespace {

using abi::ActionId;
using abi::Take;

bool wants_set(abi::Match match) noexcept { return match != abi::Match::found && match != abi::Match::boolean; }

class Verifier {
 public:
  explicit Verifier(const Module& module) : module_(module) {}

  std::string tables() {
    for (std::size_t at = 0; at < module_.expressions(); ++at) {
      if (!expression(module_.expression(ExpressionId(static_cast<std::uint32_t>(at))))) return check_.error();
    }
    const Function* last = nullptr;
    bool nameless = false;
    for (const PatternSet& set : module_.sets) {
      if (!check_.expect(set.nameless || !nameless, "a set with a number stands behind one without")) break;
      nameless = set.nameless;
      if (!parts(set)) break;
    }
    for (const Function& function : module_.functions) {
      const bool ordered =
          last == nullptr || std::pair(last->proxy, last->point) < std::pair(function.proxy, function.point);
      if (!check_.expect(ordered, "functions are not in order")) break;
      last = &function;
    }
    return check_.error();
  }

  bool parts(const PatternSet& set) {
    std::uint64_t patterns = 0;
    for (const SetPart& part : set.parts) {
      if (!check_.expect(part.reference.index < module_.references.size(), "reference {} is none",
                         part.reference.index)) {
        return false;
      }
      patterns += part.patterns;
    }
    return check_.expect(set.parts.empty() || patterns == set.patterns.size(), "parts have {} patterns", patterns) &&
           check_.expect(!set.nameless || set.parts.empty(), "a nameless set has parts");
  }

  std::string function(const Function& function) {
    function_ = &function;
    if (!check_.expect(function.proxy.index < module_.proxies.size(), "proxy {} is none", function.proxy.index) ||
        !check_.expect(static_cast<std::size_t>(function.point) < abi::kEntryPoints, "the entry point is unknown") ||
        !check_.expect(!function.blocks.empty(), "there are no blocks")) {
      return check_.error();
    }
    for (std::size_t at = 0; at < function.blocks.size() && check_.ok(); ++at) {
      check_.enter(function.blocks.id_at(at));
      const Block& block = function.blocks[function.blocks.id_at(at)];
      for (const Instruction& one : block.instructions) {
        if (!instruction(one)) return check_.error();
      }
      if (!terminator(block.terminator)) return check_.error();
    }
    return check_.error();
  }

 private:
  bool expression(const Expression& one) {
    const auto name = abi::name_of(one.fetch);
    if (!arguments(name, one.args, abi::row(one.fetch).params)) return false;
    const auto lower = [&](const model::Arg& arg) {
      const auto* text = std::get_if<std::string>(&arg);
      return text == nullptr || *text == lower_cased(*text);
    };
    if (names_field(one.fetch) && !check_.expect(std::all_of(one.args.begin(), one.args.end(), lower),
                                                 "{} names a field not in lower case", name)) {
      return false;
    }
    return std::all_of(one.converters.begin(), one.converters.end(), [&](const Conversion& conversion) {
      return arguments(abi::name_of(conversion.converter), conversion.args, abi::row(conversion.converter).params);
    });
  }
  bool arguments(std::string_view name, const std::vector<model::Arg>& args, std::span<const abi::Param> params) {
    if (!check_.expect(args.size() == params.size(), "{} has {} arguments", name, args.size())) return false;
    for (std::size_t at = 0; at < args.size(); ++at) {
      if (!check_.expect(fits_param(args[at], params[at]), "{} has a wrong {}", name, params[at].name)) return false;
    }
    return true;
  }
  static bool fits_param(const model::Arg& arg, const abi::Param& param) {
    if (std::holds_alternative<std::monostate>(arg)) return param.optional;
    const bool number = std::holds_alternative<std::int64_t>(arg);
    const bool variable = std::holds_alternative<model::Variable>(arg);
    switch (param.take) {
      case Take::integer:
      case Take::index:
      case Take::boolean:
      case Take::size:
      case Take::duration: return number;
      case Take::value: return number || variable;
      case Take::variable: return variable;
      default: return std::holds_alternative<std::string>(arg);
    }
  }

  bool reg(RegisterId id) { return check_.expect(id.index < function_->registers, "register {} is none", id.index); }
  bool expression(ExpressionId id) {
    return check_.expect(id.index < module_.expressions(), "expression {} is none", id.index);
  }
  bool test(abi::Match match, SetId set) {
    if (!check_.expect(match <= abi::Match::domain, "a method is unknown")) return false;
    if (!wants_set(match)) return check_.expect(!set.valid(), "method {} takes no set", to_string(match));
    return check_.expect(set.index < module_.sets.size(), "set {} is none", set.index);
  }
  bool instruction(const Instruction& one) {
    if (!check_.expect(one.op < Op::count_, "an instruction is unknown")) return false;
    const bool names_register = has(one, operand::result | operand::reg) || reads_register(one);
    if (names_register && !reg(one.reg)) return false;
    if (has(one, operand::expression) && !expression(one.expression)) return false;
    if (has(one, operand::test) && !test(one.match, one.set)) return false;
    if (has(one, operand::alias) && !check_.expect(one.alias < abi::AliasId::count_, "an alias is unknown")) {
      return false;
    }
    return !has(one, operand::value) || value(one);
  }
  bool value(const Instruction& one) {
    const bool text = std::holds_alternative<std::string>(one.value);
    const bool number = std::holds_alternative<std::int64_t>(one.value);
    if (one.op == Op::text_constant) return check_.expect(text, "text_constant wants a text");
    if (one.op == Op::constant) return check_.expect(text || number, "constant wants a text or a number");
    const auto* set = std::get_if<SetId>(&one.value);
    const bool field = std::holds_alternative<FieldName>(one.value);
    switch (one.action) {
      case ActionId::set_var:
        return check_.expect(std::holds_alternative<model::Variable>(one.value), "set-var wants a variable") &&
               check_.expect(one.reg.valid(), "set-var wants a register");
      case ActionId::set_header:
      case ActionId::add_header:
        return check_.expect(field, "{} wants a field", abi::name_of(one.action)) &&
               check_.expect(one.reg.valid(), "{} wants a register", abi::name_of(one.action));
      case ActionId::del_header:
        return check_.expect(field || (set != nullptr && set->index < module_.sets.size()),
                             "del-header wants a field or a set");
      case ActionId::set_src:
      case ActionId::set_src_port:
      case ActionId::set_dst:
      case ActionId::set_dst_port:
        return check_.expect(one.reg.valid(), "{} wants a register", abi::name_of(one.action));
      default: return check_.expect(false, "{} is no action that goes on", abi::name_of(one.action));
    }
  }

  bool terminator(const Terminator& one) {
    if (!check_.expect(one.end < End::count_, "a terminator is unknown")) return false;
    if (has(one, operand::reg) && !reg(one.reg)) return false;
    bool exist = true;
    for_each_edge(one, [&](BlockId target) { exist = exist && target.index < function_->blocks.size(); });
    if (!check_.expect(exist, "a target is none")) return false;
    return end_fits_point(one) && ends(one);
  }
  bool end_fits_point(const Terminator& one) {
    const bool chooses =
        one.end == End::use_backend || one.end == End::use_backend_named || one.end == End::select_backend;
    return check_.expect(!chooses || function_->point == abi::EntryPoint::choose_backend, "{} chooses no backend here",
                         name_of(one.end)) &&
           check_.expect(one.end != End::emit || function_->point == abi::EntryPoint::log, "emit stands in no log");
  }
  bool ends(const Terminator& one) {
    switch (one.end) {
      case End::branch: return check_.expect(one.mask <= (kNo | kYes | kUnknown), "mask {} is unknown", one.mask);
      case End::reply:
        return check_.expect(one.reply.index < module_.replies, "reply {} is none", one.reply.index) &&
               check_.expect(one.action < ActionId::count_, "an action is unknown");
      case End::quit: return check_.expect(one.action < ActionId::count_, "an action is unknown");
      case End::redirect:
        return check_.expect(one.redirect.index < module_.redirects.size(), "redirection {} is none",
                             one.redirect.index);
      case End::use_backend: return backend(one.backend);
      case End::select:
      case End::select_backend:
        return check_.expect(!one.cases.empty(), "{} has no cases", name_of(one.end)) &&
               std::all_of(one.cases.begin(), one.cases.end(), [&](const Case& of) {
                 return expression(of.expression) && test(of.match, of.set) &&
                        (one.end == End::select || backend(of.backend));
               });
      default: return true;
    }
  }
  bool backend(ProxyIndex proxy) {
    return check_.expect(proxy.index < module_.proxies.size(), "backend {} is none", proxy.index);
  }

  const Module& module_;
  const Function* function_ = nullptr;
  Check check_;
};

}  // namespace

std::string verify(const Module& module, const Function& function) {
  std::string wrong = Verifier(module).function(function);
  if (wrong.empty()) wrong = verify_flow(module, function);
  if (wrong.empty()) return wrong;
  return fmt::format("function {} {}, {}", function.proxy.index, abi::name_of(function.point), wrong);
}

std::string verify(const Module& module) {
  if (std::string wrong = Verifier(module).tables(); !wrong.empty()) return wrong;
  for (const Function& function : module.functions) {
    if (std::string wrong = verify(module, function); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace hawser::ir
