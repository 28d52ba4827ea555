// Native code for a Program: how it is called, and the image in which it comes.
//
// hawser-jitc reads a Program and writes a code image: for each function of the Program one native function, which
// carries out the same steps on the same registers. Ends exist once: a native function returns the index of the step
// that ends the run, and the interpreter carries that one out. So a run may wait in one engine and go on in the other.
//
// The image is position independent: it is mapped as a whole, anywhere, PROT_READ|PROT_EXEC, and holds no pointer. It
// embeds what it knows of its Program (steps, and the contents of sets that are equal wherever a function is used), so it
// belongs to that one Program; `program` in its header says to which.
//
// A function's code refers to nothing outside of itself, and its key names all that it was made from. So hawser-jitc takes the
// code of functions that an earlier image has over from there, and compiles the others alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/abi/program.h"

namespace hawser::abi {

struct NativeCall;

// Carries out step `step` of the function, as the interpreter does, and returns what the code branches on:
// test: the condition (a Truth); fetch_next: 1 when there is a next occurrence; anything else: 0.
using NativeHelper = std::uint32_t (*)(NativeCall* call, std::uint32_t step) noexcept;

// Runs from a resume point (0: from the beginning) to an end: the index of that step within its function (ends.def).
using NativeEntry = std::uint32_t (*)(NativeCall* call, std::uint32_t resume_point) noexcept;

// A long function is cut into parts, which are native functions of their own. Code that returns kNativeGoOn and a number is
// not at an end yet: call part `part` of NativeCall of the same function with what it returned.
inline constexpr std::uint32_t kNativeGoOn = 0x8000'0000;

// What native code sees of a run. The engine fills it in anew before each call; code keeps no pointer of it.
struct NativeCall {
  Sample* registers = nullptr;
  Selector* selectors = nullptr;
  const Constant* constants = nullptr;  // of the entry's bindings
  const std::byte* image = nullptr;     // the Program's bytes, which texts and rows are offsets into
  const std::atomic<std::uint32_t>* changed =
      nullptr;                            // one a set: not 0 once it was changed at run time; a comparison
                                          // with what it held before is void, the helper is called instead
  const PatternSet* sets = nullptr;       // of the Program
  const NativeHelper* helpers = nullptr;  // one an opcode; null for those that code carries out itself
  // The condition across calls: set by the engine to what it was when the run waited (resume point not 0); code
  // stores it before it returns at need and test_suspend. Else it is in the code's own hands.
  Truth condition = Truth::no;
  std::uint32_t part = 0;  // to go on in; 0 is where runs begin
};

inline constexpr std::uint32_t kNativePage = 4096;     // what `code` is aligned to in the image
inline constexpr std::uint32_t kNativeAlignment = 16;  // of each function

// A hash of all that a function's code was made from.
struct NativeKey {
  std::uint64_t halves[2] = {};
  friend constexpr auto operator<=>(const NativeKey&, const NativeKey&) = default;
};

// A function's code; in the order of Program::functions, and behind these the further parts of long ones.
struct NativeFunction {
  std::uint32_t at = 0;  // from the image's start
  std::uint32_t size = 0;
  Text name;                  // for perf and gdb; empty unless hawser-jitc was asked for names
  std::uint32_t further = 0;  // of a function of the Program with parts: the row of its second one, the others follow
  std::uint32_t unused = 0;
  NativeKey key;
};
static_assert(sizeof(NativeFunction) == 40);

struct NativeHeader {
  static constexpr std::uint32_t kMagic = 0x4e'57'53'48;  // "HSWN"
  static constexpr std::uint32_t kVersion = 2;
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint64_t runtime = 0;  // native_fingerprint() of the runtime that it was made for
  std::uint64_t program = 0;  // content_hash() of the Program's bytes
  std::uint64_t content = 0;  // content_hash() of all bytes behind this
  std::uint32_t size = 0;     // of the whole image
  Rows<NativeFunction> functions;
  Rows<std::byte> code;        // all code, and the constants that it reads; page aligned
  std::uint32_t compiled = 0;  // functions of the Program; the code of all others is an earlier image's
};
static_assert(sizeof(NativeHeader) == 56);

// Names the machine, the opcodes and the layouts that native code relies on: code of another build is refused.
std::uint64_t native_fingerprint() noexcept;

// Checks that an image is whole and was made for this runtime: "" or what is wrong.
std::string verify_native(std::span<const std::byte> image);
// And that it was made for the Program of these bytes, which was verified. Nothing of an image that fails may be run.
std::string verify_native(std::span<const std::byte> image, const ImageView& program);

// What `content` is a hash of.
std::span<const std::byte> native_content(std::span<const std::byte> image) noexcept;

// What a verified image says.
const NativeHeader& native_header(std::span<const std::byte> image) noexcept;
std::span<const NativeFunction> native_functions(std::span<const std::byte> image) noexcept;
std::string_view native_name(std::span<const std::byte> image, const NativeFunction& function) noexcept;

}  // namespace hawser::abi
