#include "tests/differential/rules_engines.h"

#include <set>

#include <fmt/format.h>

#include "compiler/finalise/finalise.h"
#include "compiler/lower/lower.h"
#include "compiler/opt/opt.h"
#include "grammar/diagnostics.h"
#include "runtime/exec/native_code.h"
#include "tests/support/native.h"

namespace hawser::test {
namespace {

constexpr int kRoundsMax = 8;  // a line that is left out may be missed by another
std::size_t g_refused_lines = 0;
std::size_t g_reused_functions = 0;

// The lines with errors, the last first.
std::set<std::size_t, std::greater<>> compile(const Configuration& configuration, compiler::Compiled& compiled,
                                              std::string& wrong) {
  grammar::Sources sources;
  const grammar::FileId file = sources.add("rules.cfg", configuration.text());
  grammar::Environment environment;
  grammar::Diagnostics diagnostics(sources);
  compiled = compiler::compile({file}, sources, environment, {}, diagnostics);
  std::set<std::size_t, std::greater<>> lines;
  wrong.clear();
  for (const grammar::Diagnostic& one : diagnostics.all()) {
    if (!one.fatal) continue;
    wrong += grammar::render(one, sources, 0);
    if (one.span.valid() && one.span.line > 0) lines.insert(one.span.line - 1);
  }
  return lines;
}

bool begins_section(std::string_view line) { return !line.starts_with(' '); }

}  // namespace

std::size_t refused_lines() noexcept { return g_refused_lines; }
std::size_t reused_functions() noexcept { return g_reused_functions; }

std::unique_ptr<Engines> Engines::make(Configuration& configuration, std::string& wrong) {
  std::unique_ptr<Engines> engines(new Engines());
  for (int round = 0; round < kRoundsMax; ++round) {
    const auto refused = compile(configuration, engines->compiled_, wrong);
    if (wrong.empty()) {
      engines->add_all(wrong);
      return wrong.empty() ? std::move(engines) : nullptr;
    }
    if (refused.empty()) return nullptr;
    for (const std::size_t at : refused)
      configuration.lines.erase(configuration.lines.begin() + static_cast<std::ptrdiff_t>(at));
    g_refused_lines += refused.size();
  }
  return nullptr;
}

void Engines::add_all(std::string& wrong) {
  machines_.push_back(std::make_unique<EvaluatorMachine>(*compiled_.config, compiled_.plan->view()));
  const ir::Module plain = compiler::lower(*compiled_.config);
  wrong += add_program("interpreter", compiler::finalise(plain), false);
  wrong +=
      add_program("interpreter, suspended everywhere", compiler::finalise(plain, {.suspend_everywhere = true}), false);
  ir::Module improved = plain;
  opt::optimise(improved);
  wrong += add_program("interpreter, with passes", compiler::finalise(improved), false);
  if (*HAWSER_JITC == '\0') return;
  wrong += add_program("native", compiler::finalise(plain), true);
  wrong += add_program("native, with passes", compiler::finalise(improved), true);
}

std::string Engines::add_program(std::string name, abi::Image program, bool native) {
  programs_.push_back(std::make_unique<abi::Image>(std::move(program)));
  const abi::ImageView image = programs_.back()->view();
  if (std::string wrong = abi::verify_pair(compiled_.plan->view(), image); !wrong.empty()) return name + ": " + wrong;
  auto engine = exec::Engine::make(image);
  if (!engine.ok()) return name + ": " + engine.error().message;
  if (native) {
    // With the code of the program before, of another configuration as a rule: what is taken over from it has to be the same.
    static std::unique_ptr<MemoryFile> earlier = std::make_unique<MemoryFile>();
    auto code = std::make_unique<MemoryFile>();
    if (run_jitc(HAWSER_JITC, image.bytes(), *code, {"--earlier", std::to_string(earlier->descriptor())}) != 0) {
      return name + ": hawser-jitc fails";
    }
    code->seal();
    if (const Status installed = (*engine)->install_native(code->descriptor()); !installed.ok()) {
      return name + ": " + installed.error().message;
    }
    g_reused_functions += image.root<abi::Program>().functions.count - (*engine)->native()->header().compiled;
    earlier = std::move(code);
  }
  machines_.push_back(std::make_unique<ProgramMachine>(std::move(name), compiled_.plan->view(), std::move(*engine)));
  return {};
}

std::string Engines::compare(const Traffic& traffic) {
  const auto& proxies = machines_.front()->installed().proxies();
  if (proxies.empty() || !proxies.front().plan->is_frontend) return {};  // too much was left out
  const std::string expected = journey(*machines_.front(), 0, traffic);
  std::string told;
  for (std::size_t at = 1; at < machines_.size(); ++at) {
    const std::string said = journey(*machines_[at], 0, traffic);
    if (said != expected) told += fmt::format("--- {}\n{}", machines_[at]->name(), said);
  }
  return told.empty() ? told : fmt::format("--- {}\n{}{}", machines_.front()->name(), expected, told);
}

namespace {

bool differs(const Configuration& configuration, const Traffic& traffic) {
  Configuration copy = configuration;
  std::string wrong;
  const auto engines = Engines::make(copy, wrong);
  // A configuration that had to be changed is another one.
  return engines != nullptr && copy.lines.size() == configuration.lines.size() && !engines->compare(traffic).empty();
}

// Keeps `text` without the part if the engines still disagree.
template <class Differs>
bool leave_out(std::string& text, std::size_t at, std::size_t size, Differs still_differs) {
  std::string whole = text;
  text.erase(at, size);
  if (still_differs()) return true;
  text = std::move(whole);
  return false;
}

bool shrink_lines(Configuration& configuration, const Traffic& traffic) {
  bool any = false;
  for (std::size_t at = configuration.lines.size(); at-- > 0;) {
    if (at == 0) break;
    Configuration copy = configuration;
    std::size_t end = at + 1;
    if (begins_section(copy.lines[at])) {
      while (end < copy.lines.size() && !begins_section(copy.lines[end])) ++end;
    }
    copy.lines.erase(copy.lines.begin() + static_cast<std::ptrdiff_t>(at),
                     copy.lines.begin() + static_cast<std::ptrdiff_t>(end));
    if (!differs(copy, traffic)) continue;
    configuration = std::move(copy);
    any = true;
  }
  return any;
}

// Words of lines, alone and in twos and fours.
bool shrink_words(Configuration& configuration, const Traffic& traffic) {
  bool any = false;
  for (std::string& line : configuration.lines) {
    for (std::size_t count : {8, 4, 2, 1}) {
      for (std::size_t at = line.find(' ', 3); at != std::string::npos;) {
        std::size_t end = at;
        for (std::size_t left = count; left > 0 && end != std::string::npos; --left) end = line.find(' ', end + 1);
        const std::size_t size = end == std::string::npos ? line.size() - at : end - at;
        if (leave_out(line, at, size, [&] { return differs(configuration, traffic); })) {
          any = true;
        } else {
          at = line.find(' ', at + 1);
        }
        if (at != std::string::npos && at >= line.size()) break;
      }
    }
  }
  return any;
}

void shrink_head(std::string& head, const Configuration& configuration, const Traffic& traffic) {
  for (std::size_t at = head.find("\r\n"); at != std::string::npos && at + 4 < head.size();) {
    const std::size_t end = head.find("\r\n", at + 2);
    if (end == std::string::npos) break;
    if (!leave_out(head, at, end - at, [&] { return differs(configuration, traffic); })) at = end;
  }
}

}  // namespace

void shrink(Configuration& configuration, Traffic& traffic) {
  if (!differs(configuration, traffic)) return;  // it took the requests before it
  for (bool again = true; again;) {
    again = shrink_lines(configuration, traffic);
    again = shrink_words(configuration, traffic) || again;
  }
  shrink_head(traffic.request, configuration, traffic);
  shrink_head(traffic.response, configuration, traffic);
}

}  // namespace hawser::test
