#define PCRE2_CODE_UNIT_WIDTH 8

#include "runtime/kernels/regex.h"

#include <pcre2.h>

#include "runtime/base/check.h"

namespace hawser::kernels {
namespace {

// Backtracking beyond this much stack is no match.
constexpr std::size_t kStackBytesMin = 32 * 1024;
constexpr std::size_t kStackBytesMax = 512 * 1024;

pcre2_code* code_of(void* code) noexcept { return static_cast<pcre2_code*>(code); }

// What one thread matches with, made when it matches for the first time.
struct Scratch {
  pcre2_match_data* data = pcre2_match_data_create(1, nullptr);
  pcre2_match_context* context = pcre2_match_context_create(nullptr);
  pcre2_jit_stack* stack = pcre2_jit_stack_create(kStackBytesMin, kStackBytesMax, nullptr);

  Scratch() noexcept {
    HAWSER_CHECK(data != nullptr);
    HAWSER_CHECK(context != nullptr);
    if (stack != nullptr) pcre2_jit_stack_assign(context, nullptr, stack);
  }
  ~Scratch() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

}  // namespace

Result<Regex, Regex::Problem> Regex::compile(std::string_view pattern, const Options& options) {
  const std::uint32_t bits =
      (options.ignore_case ? PCRE2_CASELESS : 0) | (options.captures ? 0 : PCRE2_NO_AUTO_CAPTURE);
  int number = 0;
  PCRE2_SIZE offset = 0;
  const char* const bytes = pattern.empty() ? "" : pattern.data();
  pcre2_code* const code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(bytes), pattern.size(), bits, &number, &offset, nullptr);
  if (code == nullptr) {
    char text[256] = {};
    pcre2_get_error_message(number, reinterpret_cast<PCRE2_UCHAR*>(text), sizeof text);
    return Problem{text, offset};
  }
  std::shared_ptr<void> shared(code, [](void* unused) { pcre2_code_free(code_of(unused)); });
  return Regex(std::move(shared), pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0);
}

bool Regex::matches(std::string_view text) const noexcept {
  static thread_local Scratch scratch;
  const char* const bytes = text.empty() ? "" : text.data();
  const auto match = machine_code_ ? pcre2_jit_match : pcre2_match;
  return match(code_of(code_.get()), reinterpret_cast<PCRE2_SPTR>(bytes), text.size(), 0, 0, scratch.data,
               scratch.context) >= 0;
}

}  // namespace hawser::kernels
