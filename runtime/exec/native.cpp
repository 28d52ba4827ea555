// What native code calls: one function an opcode, which carries out the interpreter's work for a step.
#include <type_traits>

#include "runtime/exec/interpreter.h"
#include "runtime/exec/native_code.h"

namespace hawser::exec {
namespace {

struct Run {
  abi::NativeCall call;  // first: what code gives to a helper is this
  Interpreter* interpreter;
};
static_assert(std::is_standard_layout_v<Run>);

}  // namespace

class NativeHelpers {
 public:
  constexpr NativeHelpers() noexcept;
  const abi::NativeHelper* table() const noexcept { return at_; }

 private:
  // Jumps, the condition, selectors and ends: code carries them out itself, or returns to the engine.
  static constexpr bool has_helper(abi::Op op) noexcept {
    using abi::Op;
    switch (op) {
      case Op::fetch:
      case Op::fetch_next:
      case Op::convert:
      case Op::cast:
      case Op::load:
      case Op::test:
      case Op::text_begin:
      case Op::text_constant:
      case Op::text_separator:
      case Op::text_sample:
      case Op::text_alias:
      case Op::text_end:
      case Op::act:
      case Op::reply_body:
      case Op::reply_field:
      case Op::select: return true;
      default: return false;
    }
  }

  template <abi::Op op>
  static constexpr abi::NativeHelper helper() noexcept {
    if constexpr (has_helper(op)) return carry_out<op>;
    return nullptr;
  }

  template <abi::Op op>
  static std::uint32_t carry_out(abi::NativeCall* call, std::uint32_t at) noexcept {
    Interpreter& interpreter = *reinterpret_cast<Run*>(call)->interpreter;
    const abi::Step& step = interpreter.steps_[at];
    interpreter.carry_out<op>(step);
    if constexpr (op == abi::Op::test) return static_cast<std::uint32_t>(interpreter.frame_.condition);
    if constexpr (op == abi::Op::fetch_next) return interpreter.reg(step).is_absent() ? 0 : 1;
    return 0;
  }

  abi::NativeHelper at_[static_cast<std::size_t>(abi::Op::count_)] = {};
};

constexpr NativeHelpers::NativeHelpers() noexcept {
#define OP(id, ...) at_[static_cast<std::size_t>(abi::Op::id)] = helper<abi::Op::id>();
#include "runtime/abi/opcodes.def"
#undef OP
}

Outcome Interpreter::run_native(const NativeCode& code, ResumePoint resume) noexcept {
  static constexpr NativeHelpers kHelpers;
  if (resume == 0) {
    begin();
  } else {
    go_on(resume);
  }
  Run run;
  run.call.registers = frame_.registers.data();
  run.call.selectors = frame_.selectors.data();
  run.call.constants = constants_;
  run.call.image = engine_.image_.bytes().data();
  run.call.changed = engine_.changed_words();
  run.call.sets = engine_.image_.rows(engine_.program_->sets).data();
  run.call.helpers = kHelpers.table();
  run.call.condition = frame_.condition;
  run.interpreter = this;
  std::uint32_t at = code.entry(entry_.function)(&run.call, resume);
  while ((at & abi::kNativeGoOn) != 0) {
    at = code.entry(entry_.function, run.call.part)(&run.call, at);
  }
  frame_.condition = run.call.condition;
  HAWSER_CHECK(at < function_.steps);
  return end(at);
}

}  // namespace hawser::exec
