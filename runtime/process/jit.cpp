#include "runtime/process/jit.h"

#include <fmt/format.h>

#include "runtime/abi/program.h"

namespace hawser::process {

void Jit::request(const Loaded& loaded, std::uint32_t cpu_seconds) {
  const std::uint32_t functions = loaded.program.view().root<abi::Program>().functions.count;
  functions_ = functions;
  if (mode_ == JitMode::off || functions == 0) return;
  pending_ = functions;
  if (!loader_.request_native(++number_, loaded.program_file.get(), cpu_seconds, symbols_)) {
    fail("the loader, the process that compiles, is gone");
  }
}

bool Jit::await() {
  while (mode_ == JitMode::on && pending_ != 0) take(*loader_.take_native(Waiting::yes));
  return mode_ != JitMode::on || failed_ == 0;
}

void Jit::advance() {
  while (loader_.descriptor() >= 0) {
    std::optional<NativeAnswer> answer = loader_.take_native(Waiting::no);
    if (!answer) return;
    take(std::move(*answer));
  }
}

void Jit::take(NativeAnswer answer) {
  if (pending_ == 0) return;
  if (answer.number != number_ && loader_.descriptor() >= 0) return;  // of a request that a newer one has ended
  milliseconds_ = answer.milliseconds;
  peak_kb_ = answer.peak_kb;
  if (!answer.failure.empty()) return fail(answer.failure);
  const Result<std::uint32_t> compiled = install_(answer.code.get());
  if (!compiled) return fail(compiled.error().message);
  native_ = functions_.load();
  reused_ = answer.kept ? native_.load() : native_ - *compiled;
  pending_ = 0;
}

void Jit::fail(std::string_view why) {
  failed_ = pending_.exchange(0);
  if (mode_ == JitMode::on) {
    messages_.alert(fmt::format("there is no native code, and --jit=on asks for it: {}.", why));
  } else {
    const std::string notice = fmt::format("rules are interpreted, for there is no native code: {}.", why);
    messages_.say(Severity::notice, notice);
    if (log_) log_(notice);
  }
}

admin::NativeFacts Jit::facts() const noexcept {
  admin::NativeFacts facts;
  facts.mode = mode_ == JitMode::off ? "off" : mode_ == JitMode::on ? "on" : "auto";
  facts.functions = functions_;
  facts.native = native_;
  facts.pending = pending_;
  facts.failed = failed_;
  facts.reused = reused_;
  facts.compile_ms = milliseconds_;
  facts.peak_kb = peak_kb_;
  return facts;
}

}  // namespace hawser::process
