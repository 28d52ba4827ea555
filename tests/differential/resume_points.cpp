// Drives the programs of many configurations through every resume point (contract 1).
//
//   resume_points FILE…          each a whole configuration; its folder is the working directory
//
// Each is compiled twice, plainly and with a suspension before every step, and both are made native code of, if
// hawser-jitc was built. Every entry of every proxy is run for a handful of
// messages: straight, suspended at each resume point alone, and suspended at all of them; natively, straight and suspended at all
// of them; and from resume point to resume point by the one engine and the other in turn. Outcomes, heads, variables, choices,
// replies and log lines must agree. A resume point that no message comes to is reached by turning the branches on the way to it.
// Prints one line a configuration that does not compile ("refused: FILE"), and the sums at the end.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/finalise/finalise.h"
#include "compiler/lower/lower.h"
#include "runtime/abi/verify.h"
#include "runtime/base/file.h"
#include "runtime/exec/run.h"
#include "runtime/kernels/casts.h"
#include "runtime/tables/state.h"
#include "tests/differential/edited_program.h"
#include "tests/differential/made_messages.h"
#include "tests/support/native.h"
#include "tests/support/world.h"

namespace hawser::test {
namespace {

constexpr std::size_t kMessages = 8;
constexpr int kTurnsMax = 1'000'000;

struct Sums {
  std::size_t configurations = 0, refused = 0, entries = 0, points = 0, by_message = 0, by_branches = 0,
              unreachable = 0;
  std::size_t runs = 0, native = 0, wrong = 0;
};

struct Machine {
  abi::Image image;
  std::unique_ptr<exec::Engine> engine;
  std::unique_ptr<exec::Engine> native;
  explicit Machine(abi::Image made) : image(std::move(made)), engine(make()) {}

  std::unique_ptr<exec::Engine> make() const {
    auto result = exec::Engine::make(image.view());
    if (!result.ok()) fmt::print("{}\n", result.error().message);
    HAWSER_CHECK(result.ok());
    return std::move(*result);
  }
  void go_native(const std::vector<std::string>& options) {
    const MemoryFile code;
    HAWSER_CHECK(run_jitc(HAWSER_JITC, image.bytes(), code, options) == 0);
    code.seal();
    native = make();
    const Status installed = native->install_native(code.descriptor());
    if (!installed.ok()) fmt::print("{}\n", installed.error().message);
    HAWSER_CHECK(installed.ok());
  }
};

// What runs between two resume points: the first of these, then the second, and so on in turn.
using Engines = std::array<const exec::Engine*, 2>;

struct Seen {
  std::string text;
  int suspensions = 0;
};

// One configuration.
class Driven {
 public:
  Driven(std::string name, const compiler::Compiled& compiled, Sums& sums)
      : name_(std::move(name)),
        plan_(compiled.plan->view()),
        straight_(compiler::finalise(compiler::lower(*compiled.config))),
        suspended_(compiler::finalise(compiler::lower(*compiled.config), {.suspend_everywhere = true})),
        words_(words_of(suspended_.image.view())),
        messages_(make_messages(words_, kMessages)),
        sums_(sums) {}

  void drive() {
    if (*HAWSER_JITC != 0) compare_native();
    const abi::ImageView image = suspended_.image.view();
    const auto& program = image.root<abi::Program>();
    const auto functions = image.rows(program.functions);
    const auto steps = image.rows(program.steps);
    for (std::uint32_t function = 0; function < functions.size(); ++function) {
      compare(function, straight_, suspended_, "all");
      const abi::Function& row = functions[function];
      for (std::uint32_t at = row.first_step; at < row.first_step + row.steps; ++at) {
        if (steps[at].op == abi::Op::test_suspend) point(function, row, at);
      }
    }
  }

 private:
  void point(std::uint32_t function, const abi::Function& row, std::uint32_t at) {
    ++sums_.points;
    const abi::ImageView image = suspended_.image.view();
    if (compare(function, straight_, Machine(edit_program(image, at, {})), fmt::format("step {}", at))) {
      ++sums_.by_message;
      return;
    }
    const std::optional<Turned> way = way_to(image, row, at);
    if (!way) {
      ++sums_.unreachable;
      return;
    }
    const Machine straight(edit_program(image, std::nullopt, *way));
    const Machine once(edit_program(image, at, *way));
    if (compare(function, straight, once, fmt::format("step {} by turned branches", at))) {
      ++sums_.by_branches;
    } else {
      fail(fmt::format("step {} is never reached", at), "", "");
    }
  }

  void compare_native() {
    straight_.go_native({"--part", "5"});  // cut wherever it can be
    suspended_.go_native({});
    const exec::Engine* const interpreted = suspended_.engine.get();
    const exec::Engine* const native = suspended_.native.get();
    for (std::uint32_t proxy = 0; proxy < interpreted->program().proxies.count; ++proxy) {
      for (std::size_t at = 0; at < abi::kEntryPoints; ++at) {
        const auto point = static_cast<abi::EntryPoint>(at);
        if (!interpreted->has(proxy, point)) continue;
        for (const MadeMessage& message : messages_) {
          const Seen expected = run(*straight_.engine, proxy, point, message);
          const auto check = [&](const Engines& engines, std::string_view how) {
            ++sums_.native;
            const Seen seen = run(engines, proxy, point, message);
            if (seen.text == expected.text) return;
            fail(fmt::format("proxy {}, {}, {} {}, {}", proxy, name_of(point), message.method, message.target, how),
                 expected.text, seen.text);
          };
          check({straight_.native.get(), straight_.native.get()}, "native");
          check({native, native}, "native, suspended everywhere");
          check({native, interpreted}, "native and interpreted in turn");
          check({interpreted, native}, "interpreted and native in turn");
        }
      }
    }
  }

  // Whether the second was ever suspended.
  bool compare(std::uint32_t function, const Machine& straight, const Machine& suspended, std::string_view where) {
    bool reached = false;
    for (std::uint32_t proxy = 0; proxy < straight.engine->program().proxies.count; ++proxy) {
      for (std::size_t at = 0; at < abi::kEntryPoints; ++at) {
        const auto point = static_cast<abi::EntryPoint>(at);
        if (suspended.engine->entry(proxy, point).function != function) continue;
        if (where == "all") ++sums_.entries;
        for (const MadeMessage& message : messages_) {
          const Seen expected = run(*straight.engine, proxy, point, message);
          const Seen seen = run(*suspended.engine, proxy, point, message);
          reached = reached || seen.suspensions > 0;
          ++sums_.runs;
          if (seen.text == expected.text) continue;
          fail(fmt::format("proxy {}, {}, {} {}, suspended at {}", proxy, name_of(point), message.method,
                           message.target, where),
               expected.text, seen.text);
        }
      }
    }
    return reached;
  }

  void fail(const std::string& where, const std::string& expected, const std::string& seen) {
    if (++sums_.wrong > 5) return;
    fmt::print("{}: {}\n--- expected\n{}--- seen\n{}", name_, where, expected, seen);
  }

  Seen run(const exec::Engine& engine, std::uint32_t proxy, abi::EntryPoint point, const MadeMessage& message) const {
    return run({&engine, &engine}, proxy, point, message);
  }
  Seen run(const Engines& engines, std::uint32_t proxy, abi::EntryPoint point, const MadeMessage& message) const {
    tables::State state(1);
    const tables::Installed installed(plan_, state);
    World world;
    fill(world, message);
    exec::Subject subject = world.subject();
    subject.installed = &installed;
    const abi::Entry& entry = engines[0]->entry(proxy, point);
    Seen seen;
    // Rules about bytes wait for more of these first, unless nothing can suspend them.
    const bool of_bytes = point == abi::EntryPoint::content || point == abi::EntryPoint::tcp_response;
    subject.raw = of_bytes;
    const std::string bytes = fmt::format("{} {} HTTP/1.1\r\n\r\n", message.method, message.target);
    subject.request_bytes = subject.response_bytes = bytes;
    subject.final = !of_bytes || &engines[0]->program() == &straight_.engine->program();
    exec::Outcome outcome = engines[0]->run(entry, world.worker, subject, world.frame, 0);
    // Behind a turned branch `need` may come though nothing more does: that is an end too.
    while (outcome.kind == exec::Outcome::Kind::suspend ||
           (outcome.kind == exec::Outcome::Kind::need && !subject.final)) {
      HAWSER_CHECK(++seen.suspensions < kTurnsMax);
      // Others use the worker meanwhile, and what lives in the Frame may be anywhere.
      world.worker = {};
      world.worker.text = "left by another exchange";
      exec::Frame moved = world.frame;
      world.frame = {};
      std::swap(world.frame, moved);
      if (outcome.kind == exec::Outcome::Kind::need) subject.final = true;
      outcome = engines[seen.suspensions % 2]->run(entry, world.worker, subject, world.frame, world.frame.resume);
    }
    seen.text = everything(world, installed, outcome);
    return seen;
  }

  static void fill(World& world, const MadeMessage& message) {
    world.set_request(message.method, message.target);
    world.request.method_id = http::parse_method(message.method);
    for (const auto& [name, value] : message.request_fields) world.request.add(world.arena, name, value);
    world.response.status = message.status;
    for (const auto& [name, value] : message.response_fields) world.response.add(world.arena, name, value);
    world.session.client = message.source;
    world.exchange.request_line = message.target;
    world.exchange.method = message.method;
    world.exchange.uri = message.target;
    world.exchange.status = message.status;
  }

  std::string everything(World& world, const tables::Installed& installed, const exec::Outcome& outcome) const {
    const exec::Frame& frame = world.frame;
    std::string text =
        fmt::format("outcome {} action {} index {} redirect {} backend {}\n", static_cast<int>(outcome.kind),
                    static_cast<int>(outcome.action), outcome.index, outcome.redirect, frame.backend);
    text += fmt::format("location {}\nbody {}\nline {}\n", frame.location, frame.body, frame.line);
    for (const std::string_view value : frame.field_values) text += fmt::format("field {}\n", value);
    for (const http::Head* head : {&world.request, &world.response}) {
      text += fmt::format("{} {} {} {} {}\n", head->method, head->target, head->path, head->status, head->reason);
      for (const http::Field& field : head->fields) {
        if (!field.removed) text += fmt::format("{}: {}\n", field.name, field.value);
      }
    }
    for (const std::string& name : words_.variables) {
      const auto write = [&](std::string_view scope, const abi::Sample* value) {
        if (value == nullptr || value->is_absent()) return;
        text +=
            fmt::format("{}.{} = {} {}\n", scope, name, static_cast<int>(value->type), text_of(*value, world.arena));
      };
      write("sess", world.session.variables.find(name));
      write("txn", world.txn.find(name));
      write("req", world.req.find(name));
      write("res", world.res.find(name));
      const abi::Sample process = installed.state().variables.find(name, world.arena);
      write("proc", &process);
    }
    return text;
  }

  static std::string text_of(abi::Sample value, Arena& arena) {
    kernels::cast(value, abi::SampleType::string, arena);
    return value.is_absent() ? "(no text)" : std::string(value.view());
  }

  std::string name_;
  abi::ImageView plan_;
  Machine straight_;
  Machine suspended_;
  ProgramWords words_;
  std::vector<MadeMessage> messages_;
  Sums& sums_;
};

void drive_file(const std::string& path, Sums& sums) {
  const Result<std::string> text = read_whole_file(path);
  HAWSER_CHECK(text.ok());
  grammar::Sources sources;
  const grammar::FileId file = sources.add(path, *text);
  grammar::Environment environment = grammar::Environment::of_process();
  grammar::Diagnostics diagnostics(sources);
  const compiler::Compiled compiled = compiler::compile({file}, sources, environment, {}, diagnostics);
  if (!compiled.plan || !compiled.program) {
    ++sums.refused;
    fmt::print("refused: {}\n", path);
    return;
  }
  ++sums.configurations;
  Driven(path, compiled, sums).drive();
}

}  // namespace
}  // namespace hawser::test

int main(int count, char** words) {
  hawser::test::Sums sums;
  for (int at = 1; at < count; ++at) hawser::test::drive_file(words[at], sums);
  fmt::print(
      "{} configurations ({} refused), {} entries, {} resume points: {} reached by messages, {} by turned branches, "
      "{} that no way leads to; {} runs, {} of native code, {} wrong\n",
      sums.configurations, sums.refused, sums.entries, sums.points, sums.by_message, sums.by_branches, sums.unreachable,
      sums.runs, sums.native, sums.wrong);
  if (*HAWSER_JITC == 0) fmt::print("no native code: hawser-jitc was not built, since llvm-19-dev is not installed\n");
  return sums.wrong == 0 && sums.by_message > 0 ? 0 : 1;
}
