// Each promise of the IR, broken.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace hawser::ir {
namespace {

constexpr std::string_view kHead =
    "proxy 0 \"f\"\nproxy 1 \"b\"\nreplies 1\n"
    "set #0 str acl \"\" file \"\" {\n  \"x\" line 1\n}\n"
    "redirect 0 location 302 cookie \"\"\n";

Module module_of(std::string_view functions) {
  auto parsed = parse(std::string(kHead) + std::string(functions));
  if (const auto* error = std::get_if<ParseError>(&parsed)) {
    INFO(fmt::format("{}: {}", error->line, error->text));
    REQUIRE(false);
  }
  return std::get<Module>(std::move(parsed));
}

// Of one function at a point.
std::string wrong(std::string_view blocks, std::string_view point = "http_request") {
  return verify(module_of(fmt::format("function 0 {} {{\n{}}}\n", point, blocks)));
}
std::string with(Module module, void (*damage)(Function&)) {
  damage(module.functions.front());
  return verify(module);
}

TEST_CASE("what is named exists") {
  const char* match = "function 0 http_request {\nb0:\n  match path str #0\n  next\n}\n";
  REQUIRE(verify(module_of(match)) == "");
  const auto instruction = [](Function& function) -> Instruction& {
    return function.blocks[Function::kBegin].instructions.front();
  };
  static const auto kFirst = instruction;
  CHECK(with(module_of(match), [](Function& of) { kFirst(of).set = SetId(7); }) ==
        "function 0 http_request, b0: set 7 is none");
  CHECK(with(module_of(match), [](Function& of) { kFirst(of).set = SetId(); }) ==
        "function 0 http_request, b0: set 4294967295 is none");
  CHECK(with(module_of(match), [](Function& of) { kFirst(of).expression = ExpressionId(9); }) ==
        "function 0 http_request, b0: expression 9 is none");
  CHECK(with(module_of(match), [](Function& of) { kFirst(of) = with_register(Op::absorb_or, RegisterId(3)); }) ==
        "function 0 http_request, b0: register 3 is none");
  CHECK(with(module_of(match), [](Function& of) { of.proxy = ProxyIndex(2); }) ==
        "function 2 http_request, proxy 2 is none");
  CHECK(with(module_of(match), [](Function& of) { of.blocks[Function::kBegin].terminator = jump(BlockId(4)); }) ==
        "function 0 http_request, b0: a target is none");
  CHECK(with(module_of(match), [](Function& of) { of.blocks = {}; }) == "function 0 http_request, there are no blocks");
  CHECK(with(module_of(match), [](Function& of) {
          of.blocks[Function::kBegin].terminator = redirect(RegisterId(0), RedirectId(1));
        }) == "function 0 http_request, b0: register 0 is none");
  CHECK(with(module_of(match), [](Function& of) {
          of.blocks[Function::kBegin].terminator = reply(abi::ActionId::deny, ReplyIndex(1));
        }) == "function 0 http_request, b0: reply 1 is none");
}

TEST_CASE("methods, arguments and actions have what they want") {
  CHECK(wrong("b0:\n  match path found #0\n  next\n") == "function 0 http_request, b0: method found takes no set");
  CHECK(wrong("b0:\n  match hdr(\"Host\",-) found\n  next\n") == "hdr names a field not in lower case");
  CHECK(wrong("b0:\n  match hdr(1,-) found\n  next\n") == "hdr has a wrong name");
  CHECK(wrong("b0:\n  match path,word(-,\"x\",-) found\n  next\n") == "word has a wrong index");
  CHECK(wrong("b0:\n  r0 = sample path\n  act set-var r0 field \"x\"\n  next\n") ==
        "function 0 http_request, b0: set-var wants a variable");
  CHECK(wrong("b0:\n  act set-header field \"x\"\n  next\n") ==
        "function 0 http_request, b0: set-header wants a register");
  CHECK(wrong("b0:\n  act deny field \"x\"\n  next\n") ==
        "function 0 http_request, b0: deny is no action that goes on");
  CHECK(wrong("b0:\n  r0 = constant txn.x\n  next\n") ==
        "function 0 http_request, b0: constant wants a text or a number");
}

TEST_CASE("ends are those of the function's entry point") {
  CHECK(wrong("b0:\n  use_backend 1\n") == "function 0 http_request, b0: use_backend chooses no backend here");
  CHECK(wrong("b0:\n  text_begin\n  emit\n") == "function 0 http_request, b0: emit stands in no log");
  CHECK(wrong("b0:\n  need b0\n") == "function 0 http_request, b0: need stands where no data comes");
  CHECK(wrong("b0:\n  select {\n    path str #0 -> b1\n  } else b1\nb1:\n  next\n", "content") ==
        "function 0 content, b0: select stands where data may come");
  CHECK(wrong("b0:\n  select {\n  } else b1\nb1:\n  next\n") == "function 0 http_request, b0: select has no cases");
}

TEST_CASE("functions stand in the order of proxies and entry points, sets with numbers first") {
  const std::string one = "function 0 http_request {\nb0:\n  next\n}\n";
  CHECK(verify(module_of(one + one)) == "functions are not in order");
  CHECK(verify(module_of("function 1 http_request {\nb0:\n  next\n}\n" + one)) == "functions are not in order");
  CHECK(verify(module_of("set #1 beg nameless acl \"\" file \"\" {\n}\nset #2 beg acl \"\" file \"\" {\n}\n")) ==
        "a set with a number stands behind one without");
}

TEST_CASE("blocks form no loop") {
  CHECK(wrong("b0:\n  jump b1\nb1:\n  jump b0\n") == "function 0 http_request, b1: jump goes back");
  CHECK(wrong("b0:\n  match path found\n  branch yes b1 else b2\nb1:\n  need b0\nb2:\n  need b1\n", "content") ==
        "function 0 content, b2: not every way to need has passed b1");
  CHECK(wrong("b0:\n  again b0\n") == "function 0 http_request, b0: again goes to no select");
}

TEST_CASE("a register is assigned once, and before it is read") {
  CHECK(wrong("b0:\n  r0 = keep\n  r0 = keep\n  next\n") ==
        "function 0 http_request, b0: register 0 is assigned twice");
  CHECK(wrong("b0:\n  absorb_or r0\n  r0 = keep\n  next\n") ==
        "function 0 http_request, b0: register 0 is read before it is assigned");
  CHECK(wrong("b0:\n  branch yes b1 else b2\nb1:\n  r0 = keep\n  jump b2\nb2:\n  absorb_or r0\n  next\n") ==
        "function 0 http_request, b2: register 0 is read before it is assigned");
  CHECK(
      wrong("b0:\n  branch yes b1 else b2\nb1:\n  r0 = keep\n  jump b3\nb2:\n  next\nb3:\n  absorb_or r0\n  next\n") ==
      "");
}

TEST_CASE("match_register casts nothing") {
  CHECK(wrong("b0:\n  r0 = sample path\n  match_register r0 str #0\n  next\n") == "");
  CHECK(wrong("b0:\n  r0 = sample src\n  match_register r0 str #0\n  next\n") ==
        "function 0 http_request, b0: register 0 is no str");
}

TEST_CASE("a text begins and ends within one block") {
  CHECK(wrong("b0:\n  text_begin\n  next\n") == "function 0 http_request, b0: a text has no end");
  CHECK(wrong("b0:\n  emit\n", "log") == "function 0 log, b0: a text has no beginning");
  CHECK(wrong("b0:\n  text_constant \"x\"\n  next\n") ==
        "function 0 http_request, b0: text_constant stands in no text");
  CHECK(wrong("b0:\n  text_begin\n  text_begin\n  emit\n", "log") == "function 0 log, b0: a text begins in another");
}

}  // namespace
}  // namespace hawser::ir
