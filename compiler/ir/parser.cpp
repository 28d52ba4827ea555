// Reads the printed IR, line by line: printer.cpp says what each looks like.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/ir/line_reader.h"
#include "compiler/ir/text.h"
#include "compiler/ir/words.h"
#include "compiler/model/dump_expression.h"

namespace hawser::ir {
namespace {

// Bounds memory for what a text merely names.
constexpr std::uint64_t kRegistersMax = 1 << 20;

class Parser {
 public:
  explicit Parser(std::string_view text) : line_(text) {}

  std::variant<Module, ParseError> run() {
    while (line_.next() && line_.ok()) top_level();
    if (line_.ok()) return std::move(module_);
    return ParseError{line_.number(), line_.error()};
  }

 private:
  void top_level() {
    if (line_.eat("proxy")) {
      line_.expect_index(module_.proxies.size());
      module_.proxies.push_back(line_.quoted());
    } else if (line_.eat("replies")) {
      module_.replies = static_cast<std::uint32_t>(line_.number_below(1u << 31));
    } else if (line_.eat("reference")) {
      reference();
    } else if (line_.eat("set")) {
      set();
    } else if (line_.eat("redirect")) {
      redirect();
    } else if (line_.eat("function")) {
      function();
    } else {
      line_.fail("a proxy, replies, a reference, a set, a redirect or a function is expected");
    }
    line_.expect_end();
  }

  void reference() {
    line_.expect("#");
    line_.expect_index(module_.references.size());
    model::Reference row;
    row.match = match_name();
    row.ignore_case = line_.eat("-i");
    line_.expect("file");
    row.file = line_.quoted();
    line_.expect("description");
    row.description = line_.quoted();
    line_.expect("hash");
    row.hash = static_cast<std::uint64_t>(line_.integer());
    line_.expect("{");
    while (next_of_list()) row.texts.push_back(line_.quoted());
    module_.references.add(std::move(row));
  }
  void set() {
    line_.expect("#");
    line_.expect_index(module_.sets.size());
    PatternSet set;
    set.match = match_name();
    set.ignore_case = line_.eat("-i");
    set.nameless = line_.eat("nameless");
    line_.expect("acl");
    set.acl_name = line_.quoted();
    line_.expect("file");
    set.reference = line_.quoted();
    while (const auto patterns = line_.maybe_integer()) {
      line_.expect("of");
      line_.expect("#");
      const auto reference = static_cast<std::uint32_t>(line_.number_below(module_.references.size()));
      set.parts.push_back({model::ReferenceId(reference), static_cast<std::uint32_t>(*patterns)});
    }
    line_.expect("{");
    while (next_of_list()) set.patterns.push_back(pattern());
    module_.sets.add(std::move(set));
  }
  model::Pattern pattern() {
    model::Pattern pattern;
    pattern.text = line_.quoted();
    if (line_.eat("range")) {
      pattern.low = line_.integer();
      line_.expect("..");
      pattern.high = line_.integer();
    }
    if (line_.eat("address")) {
      const auto address = IpAddress::parse(line_.word("/"));
      line_.expect("/");
      pattern.prefix_bits = static_cast<std::uint8_t>(line_.number_below(129));
      if (!address) line_.fail("an address is expected");
      if (address) pattern.address = *address;
    }
    line_.expect("line");
    pattern.span.line = static_cast<std::uint32_t>(line_.number_below(1u << 31));
    return pattern;
  }
  void redirect() {
    line_.expect_index(module_.redirects.size());
    Redirect row;
    row.kind = static_cast<abi::Redirect::Kind>(line_.one_of(kRedirectKinds, "a kind of redirection"));
    row.code = static_cast<std::uint16_t>(line_.number_below(1000));
    row.drop_query = line_.eat("drop-query");
    row.append_slash = line_.eat("append-slash");
    row.clear_cookie = line_.eat("clear-cookie");
    line_.expect("cookie");
    row.set_cookie = line_.quoted();
    module_.redirects.add(std::move(row));
  }

  void function() {
    Function function;
    function.proxy = ProxyIndex(static_cast<std::uint32_t>(line_.number_below(module_.proxies.size())));
    function.point = line_.named<abi::EntryPoint>(abi::kEntryPoints, "an entry point");
    line_.expect("{");
    const std::size_t first_line = line_.number();
    blocks_named_ = 0;
    while (next_of_list()) block(function);
    if (blocks_named_ > function.blocks.size()) {
      line_.fail(fmt::format("the function of line {} has no block b{}", first_line, blocks_named_ - 1));
    }
    module_.functions.push_back(std::move(function));
  }
  // From its name to its terminator.
  void block(Function& function) {
    line_.expect("b");
    line_.expect_index(function.blocks.size());
    line_.expect(":");
    line_.expect_end();
    Block block;
    bool ended = false;
    while (!ended && line_.ok()) {
      if (!line_.next()) return line_.fail("a block has no terminator");
      ended = instruction_or_end(function, block);
    }
    function.blocks.add(std::move(block));
  }
  bool instruction_or_end(Function& function, Block& block) {
    RegisterId result;
    if (const auto reg = maybe_register(function)) {
      result = *reg;
      line_.expect("=");
    }
    const std::string_view name = line_.word("");
    const bool is_end = read_if_named<End>(name, [&](End end) {
      if (result.valid()) line_.fail("a terminator has no result");
      block.terminator = terminator(function, end);
    });
    if (is_end) return true;
    const bool is_op = read_if_named<Op>(name, [&](Op op) {
      block.instructions.push_back(instruction(function, op, result));
      line_.expect_end();
    });
    if (!is_op) line_.fail("an instruction is expected");
    return false;
  }
  template <class E, class Read>
  bool read_if_named(std::string_view name, const Read& read) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(E::count_); ++at) {
      if (name_of(static_cast<E>(at)) != name) continue;
      read(static_cast<E>(at));
      return true;
    }
    return false;
  }

  Instruction instruction(Function& function, Op op, RegisterId result) {
    Instruction one;
    one.op = op;
    one.reg = result;
    const std::uint32_t uses = operands_of(op);
    if (result.valid() != ((uses & operand::result) != 0)) line_.fail("a result stands where none is, or lacks");
    if ((uses & operand::action) != 0) one.action = row_name<abi::ActionId>("an action");
    if ((uses & operand::alias) != 0) {
      line_.expect("%");
      one.alias = row_name<abi::AliasId>("a log alias");
    }
    if ((uses & operand::reg) != 0) one.reg = register_name(function);
    if ((uses & operand::optional_reg) != 0) one.reg = maybe_register(function).value_or(RegisterId());
    if ((uses & operand::expression) != 0) one.expression = expression();
    if ((uses & operand::test) != 0) test(one.match, one.set);
    if ((uses & operand::value) != 0) one.value = value();
    if ((uses & operand::flags) != 0) {
      for (const auto& [flag, name] : kFormatFlags) {
        if (line_.eat(name)) one.flags |= flag;
      }
    }
    return one;
  }
  Terminator terminator(Function& function, End end) {
    Terminator one;
    one.end = end;
    const std::uint32_t uses = operands_of(end);
    if ((uses & operand::mask) != 0) one.mask = static_cast<std::uint8_t>(line_.one_of(kMasks, "a mask"));
    if ((uses & operand::action) != 0) one.action = row_name<abi::ActionId>("an action");
    if ((uses & operand::reg) != 0) one.reg = register_name(function);
    if ((uses & operand::redirect) != 0) one.redirect = RedirectId(index(module_.redirects.size()));
    if ((uses & operand::reply) != 0) one.reply = ReplyIndex(index(module_.replies));
    if ((uses & operand::backend) != 0) one.backend = ProxyIndex(index(module_.proxies.size()));
    if ((uses & operand::cases) != 0) cases(one);
    if ((uses & operand::target) != 0) one.target = block_name();
    if ((uses & operand::otherwise) != 0) {
      line_.expect("else");
      one.otherwise = block_name();
    }
    line_.expect_end();
    return one;
  }
  void cases(Terminator& one) {
    line_.expect("{");
    while (next_of_list()) {
      Case of;
      of.expression = expression();
      test(of.match, of.set);
      line_.expect("->");
      if (one.end == End::select) {
        of.target = block_name();
      } else {
        of.backend = ProxyIndex(index(module_.proxies.size()));
      }
      one.cases.push_back(of);
    }
  }
  // The next line of a list, which ends with `}`: behind that the line goes on. Checks that the line before is over.
  bool next_of_list() {
    line_.expect_end();
    if (!line_.ok()) return false;
    if (!line_.next()) {
      line_.fail("a list has no end");
      return false;
    }
    return !line_.eat("}");
  }

  std::uint32_t index(std::uint64_t count) { return static_cast<std::uint32_t>(line_.number_below(count)); }
  BlockId block_name() {
    line_.expect("b");
    const auto block = static_cast<std::uint32_t>(line_.number_below(1u << 31));
    blocks_named_ = std::max(blocks_named_, block + 1);
    return BlockId(block);
  }
  std::optional<RegisterId> maybe_register(Function& function) {
    if (!line_.starts_register()) return std::nullopt;
    return register_name(function);
  }
  RegisterId register_name(Function& function) {
    line_.expect("r");
    const auto reg = static_cast<std::uint32_t>(line_.number_below(kRegistersMax));
    function.registers = std::max(function.registers, reg + 1);
    return RegisterId(reg);
  }

  abi::Match match_name() {
    const std::string_view name = line_.word("");
    for (auto match = abi::Match::found; match <= abi::Match::domain;
         match = static_cast<abi::Match>(static_cast<int>(match) + 1)) {
      if (abi::to_string(match) == name) return match;
    }
    line_.fail("a method is expected");
    return {};
  }
  void test(abi::Match& match, SetId& set) {
    match = match_name();
    if (line_.eat("#")) set = SetId(index(module_.sets.size()));
  }
  ExpressionId expression() {
    Expression made;
    made.fetch = row_name<abi::FetchId>("a fetch");
    made.args = arguments(abi::row(made.fetch).params.size());
    made.of_response = line_.eat("@response");
    while (line_.ok() && line_.eat(",")) {
      Conversion conversion;
      conversion.converter = row_name<abi::ConverterId>("a converter");
      conversion.args = arguments(abi::row(conversion.converter).params.size());
      made.converters.push_back(std::move(conversion));
    }
    return line_.ok() ? module_.intern(std::move(made)) : ExpressionId();
  }
  std::vector<model::Arg> arguments(std::size_t count) {
    std::vector<model::Arg> args;
    for (std::size_t at = 0; at < count; ++at) {
      line_.expect(at == 0 ? "(" : ",");
      args.push_back(argument());
    }
    if (count > 0) line_.expect(")");
    return args;
  }
  model::Arg argument() {
    if (const auto number = line_.maybe_integer()) return *number;
    if (line_.eat("-")) return std::monostate();
    if (line_.starts_quoted()) return line_.quoted();
    return variable();
  }
  Value value() {
    if (const auto number = line_.maybe_integer()) return *number;
    if (line_.eat("-")) return std::monostate();
    if (line_.starts_quoted()) return line_.quoted();
    if (line_.eat("field")) return FieldName{line_.quoted()};
    if (line_.eat("#")) return SetId(index(module_.sets.size()));
    return variable();
  }
  model::Variable variable() {
    model::Variable variable;
    const std::string_view name = line_.name();
    for (auto scope = abi::VariableScope::proc; scope <= abi::VariableScope::check;
         scope = static_cast<abi::VariableScope>(static_cast<int>(scope) + 1)) {
      const std::string_view prefix = model::scope_name(scope);
      if (!name.starts_with(prefix) || name.size() < prefix.size() + 2 || name[prefix.size()] != '.') continue;
      variable.scope = scope;
      variable.name = name.substr(prefix.size() + 1);
      return variable;
    }
    line_.fail("a value is expected");
    return variable;
  }
  template <class E>
  E row_name(std::string_view what) {
    return line_.named<E>(static_cast<std::size_t>(E::count_), what);
  }

  LineReader line_;
  Module module_;
  std::uint32_t blocks_named_ = 0;  // of this function: 1 + the highest
};

}  // namespace

std::variant<Module, ParseError> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace hawser::ir
