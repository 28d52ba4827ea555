// Native code does what the interpreter does, and nothing that is damaged is run. The same for whole configurations is in
// tests/differential/resume_points.cpp.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "runtime/base/hash.h"
#include "runtime/exec/native_code.h"
#include "runtime/exec/run.h"
#include "tests/support/native.h"
#include "tests/support/program_text.h"
#include "tests/support/world.h"

namespace hawser::exec {
namespace {

using abi::FetchId;
using abi::Match;
using abi::Op;
using Kind = abi::Constant::Kind;

const std::string kJitc = HAWSER_JITC;

// Whether there is native code to test. Says why not.
bool can_go_native() {
  if (kJitc.empty()) MESSAGE("skipped: hawser-jitc was not built, since llvm-19-dev is not installed");
  return !kJitc.empty();
}

template <class E>
constexpr auto id(E value) {
  return static_cast<std::uint16_t>(value);
}

// A program twice: interpreted, and as native code.
struct Pair {
  abi::Image image;
  test::MemoryFile code;
  std::unique_ptr<Engine> interpreted;
  std::unique_ptr<Engine> native;

  // `earlier`: an image to take code from.
  explicit Pair(test::ProgramText& text, const test::MemoryFile* earlier = nullptr)
      : image(text.finish()), interpreted(make()), native(make()) {
    std::vector<std::string> words{"--names"};
    if (earlier != nullptr) words.insert(words.end(), {"--earlier", std::to_string(earlier->descriptor())});
    REQUIRE(test::run_jitc(kJitc, image.bytes(), code, words) == 0);
    code.seal();
    const Status installed = native->install_native(code.descriptor());
    if (!installed) MESSAGE(installed.error().message);
    REQUIRE(installed.ok());
    REQUIRE(native->native() != nullptr);
  }

  std::unique_ptr<Engine> make() const {
    auto made = Engine::make(image.view());
    if (!made) MESSAGE(made.error().message);
    REQUIRE(made.ok());
    return std::move(*made);
  }

  // The outcome of both, "differ" when it is not the same.
  std::string run(test::World& world, std::uint32_t proxy = 0) const {
    const std::string expected = run(*interpreted, world, proxy);
    const std::string seen = run(*native, world, proxy);
    return seen == expected ? seen : "differ: " + expected + " and " + seen;
  }
  static std::string run(const Engine& engine, test::World& world, std::uint32_t proxy) {
    Subject subject = world.subject();
    const abi::Entry& entry = engine.entry(proxy, abi::EntryPoint::http_request);
    const Outcome outcome = engine.run(entry, world.worker, subject, world.frame, 0);
    return fmt::format("{} {}", static_cast<int>(outcome.kind), world.frame.backend);
  }
};

// Stops when the value of field `x` (any of them) matches the patterns.
void add_test(test::ProgramText& text, Match match, std::uint32_t set) {
  const auto args = text.arguments({text.text_constant("x", Kind::field), {}});
  text.step(Op::clear_condition)
      .step(Op::fetch, 0, id(FetchId::req_hdr), args, 0, abi::fetch_every)
      .step(Op::test, 0, id(match), set)
      .step(Op::jump_if, 0, 2, abi::kNoConstant, 6)
      .step(Op::fetch_next, 0, id(FetchId::req_hdr), args, 2, abi::fetch_every)
      .step(Op::next)
      .step(Op::stop);
}

const std::string kStop = "1 -1";
const std::string kNext = "0 -1";

TEST_CASE("native comparisons of texts hold for the same values as the interpreter's") {
  if (!can_go_native()) return;
  const std::vector<std::string_view> words{
      "",         "a",         "ab",  "abc",     "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh",
      "ABCDEFGH", "abcdefghi", "Abc", "aBcDeFg", "xabc", "abcx",  "a[c{",   "A{C[",    "abcdefghabcdefgh"};
  for (const Match match : {Match::string, Match::begin, Match::end, Match::substring, Match::length}) {
    for (const bool ignore_case : {false, true}) {
      for (std::size_t at = 0; at < words.size(); ++at) {
        test::ProgramText text;
        add_test(text, match, text.set(match, {words[at], "never there"}, ignore_case));
        const Pair pair(text);
        int stops = 0;
        for (const std::string_view first : words) {
          test::World world;
          world.add("x", "no");
          world.add("x", first);
          const std::string outcome = pair.run(world);
          CHECK_MESSAGE((outcome == kStop || outcome == kNext), to_string(match), " ", words[at], " ", first, outcome);
          if (outcome == kStop) ++stops;
        }
        CHECK(stops > 0);
        test::World without;
        CHECK(pair.run(without) == kNext);
      }
    }
  }
}

std::uint32_t add_set(test::ProgramText& text, Match match, const std::vector<abi::Pattern>& patterns) {
  const std::uint32_t constant = text.set(match, {});
  text.sets.back().patterns = text.image.rows(patterns);
  return constant;
}

TEST_CASE("native comparisons of numbers hold for the same values as the interpreter's") {
  if (!can_go_native()) return;
  const auto range = [](std::int64_t low, std::int64_t high) {
    abi::Pattern pattern;
    pattern.low = low;
    pattern.high = high;
    return pattern;
  };
  const std::vector<std::vector<abi::Pattern>> sets{
      {range(5, 5)}, {range(3, 7), range(100, INT64_MAX)}, {range(INT64_MIN, -1)}, {}, {range(INT64_MIN, INT64_MAX)}};
  for (const Match match : {Match::integer, Match::length}) {
    for (const auto& patterns : sets) {
      test::ProgramText text;
      const std::uint32_t set = add_set(text, match, patterns);
      const auto args = text.arguments({text.text_constant("x", Kind::field), {}});
      text.step(Op::fetch, 0, id(FetchId::req_hdr), args, 0, abi::fetch_every)
          .step(Op::cast, 0, id(match == Match::integer ? abi::SampleType::sint : abi::SampleType::string))
          .step(Op::test, 0, id(match), set)
          .step(Op::jump_if, 0, 1, abi::kNoConstant, 5)
          .step(Op::stop)
          .step(Op::next);
      const Pair pair(text);
      for (const std::string_view value : {"5", "0", "-1", "7", "8", "99", "100", "9223372036854775807", "no", ""}) {
        test::World world;
        world.add("x", value);
        CHECK(pair.run(world).substr(0, 6) != "differ");
      }
      test::World without;
      CHECK(pair.run(without) == kNext);
    }
  }
}

TEST_CASE("native comparisons of addresses hold for the same values as the interpreter's") {
  if (!can_go_native()) return;
  const auto network = [](const char* address, std::uint8_t bits) {
    abi::Pattern pattern;
    const IpAddress parsed = *IpAddress::parse(address);
    pattern.ip_family = parsed.family == IpAddress::Family::v4 ? 4 : 6;
    pattern.prefix_bits = bits;
    std::copy(parsed.bytes.begin(), parsed.bytes.begin() + (pattern.ip_family == 4 ? 4 : 16), pattern.ip);
    return pattern;
  };
  for (const auto& patterns : std::vector<std::vector<abi::Pattern>>{{network("192.0.2.0", 24)},
                                                                     {network("192.0.2.128", 25)},
                                                                     {network("0.0.0.0", 0)},
                                                                     {network("10.0.0.0", 9), network("192.0.2.1", 32)},
                                                                     {network("::ffff:192.0.2.0", 120)},
                                                                     {network("::", 0)},
                                                                     {network("::ffff:0:0", 95)},
                                                                     {network("2001:db8::", 32)},
                                                                     {network("192.0.2.0", 25), network("2003::", 16)},
                                                                     {network("2001:db8::1", 128), network("::", 0)},
                                                                     {network("2001:db8:0:0:8000::", 65)},
                                                                     {network("2001:db8::", 65)}}) {
    test::ProgramText text;
    const std::uint32_t set = add_set(text, Match::ip, patterns);
    text.step(Op::fetch, 0, id(FetchId::src))
        .step(Op::test, 0, id(Match::ip), set)
        .step(Op::jump_if, 0, 1, abi::kNoConstant, 4)
        .step(Op::stop)
        .step(Op::next);
    const Pair pair(text);
    for (const char* client : {"192.0.2.1", "192.0.2.129", "10.127.255.255", "10.128.0.0", "2001:db8::1",
                               "::ffff:192.0.2.1", "2002:c000:201::", "2003::"}) {
      test::World world;
      world.session.client = SocketAddress::ip(*IpAddress::parse(client), 1);
      CHECK_MESSAGE(pair.run(world).substr(0, 6) != "differ", client);
    }
  }
}

// The one pattern of a set, as each method reads it.
struct Wanted {
  const char* text;
  std::int64_t low, high;
  const char* address;
  std::uint8_t bits;
};

// Two proxies with one function, and sets of their own.
test::ProgramText two_sets(Match match, const Wanted& first, const Wanted& second) {
  test::ProgramText text;
  const auto add = [&](const Wanted& wanted) {
    abi::Pattern pattern;
    pattern.text = text.image.text(wanted.text);
    pattern.low = wanted.low;
    pattern.high = wanted.high;
    const IpAddress address = *IpAddress::parse(wanted.address);
    pattern.ip_family = 4;
    pattern.prefix_bits = wanted.bits;
    std::copy_n(address.bytes.begin(), 4, pattern.ip);
    return add_set(text, match, {pattern});
  };
  add(second);
  text.constants.clear();
  const auto args = text.arguments({text.text_constant("x", Kind::field), {}});
  const auto type = match == Match::ip        ? abi::SampleType::address
                    : match == Match::integer ? abi::SampleType::sint
                                              : abi::SampleType::string;
  text.step(Op::fetch, 0, id(FetchId::req_hdr), args, 0, abi::fetch_every)
      .step(Op::cast, 0, id(type))
      .step(Op::test, 0, id(match), add(first))
      .step(Op::jump_if, 0, 1, abi::kNoConstant, 5)
      .step(Op::stop)
      .step(Op::next);
  text.further_bindings.push_back(text.constants);
  for (auto& constant : text.further_bindings.back()) {
    if (constant.kind == Kind::set) constant.index = 0;
  }
  return text;
}

TEST_CASE("native comparisons hold where sets differ between the bindings of one function") {
  if (!can_go_native()) return;
  const std::vector<std::pair<Wanted, Wanted>> pairs{
      {{"abc", 5, 5, "10.0.0.1", 32}, {"abd", INT64_MIN, 4, "10.0.0.0", 9}},
      {{"", 0, 3, "0.0.0.0", 0}, {"ABC", 4, INT64_MAX, "192.0.2.64", 26}},
  };
  for (const Match match : {Match::string, Match::begin, Match::end, Match::integer, Match::length, Match::ip}) {
    for (const auto& [first, second] : pairs) {
      test::ProgramText text = two_sets(match, first, second);
      const Pair pair(text);
      for (const std::uint32_t proxy : {0U, 1U}) {
        int stops = 0;
        for (const char* value :
             {"", "abc", "abd", "ABC", "abcx", "xabd", "ABCabd", "abcde", "5", "4", "-7", "10.0.0.1", "10.127.0.1",
              "10.128.0.1", "192.0.2.77", "::ffff:10.0.0.1", "2001:db8::1"}) {
          test::World world;
          world.add("x", value);
          const std::string outcome = pair.run(world, proxy);
          CHECK_MESSAGE((outcome == kStop || outcome == kNext), to_string(match), " ", value, " ", outcome);
          if (outcome == kStop) ++stops;
        }
        CHECK_MESSAGE(stops > 0, to_string(match), " ", proxy);
        test::World without;
        CHECK(pair.run(without, proxy) == kNext);
      }
    }
  }
}

TEST_CASE("a condition that is not known yet is the same in both engines") {
  if (!can_go_native()) return;
  // keep_condition of no, of yes and of unknown: every way to put two of them together.
  for (const Op op : {Op::absorb_or, Op::absorb_and}) {
    for (int left = 0; left < 3; ++left) {
      for (int right = 0; right < 3; ++right) {
        for (const std::uint16_t mask : {1, 2, 4}) {
          test::ProgramText text;
          const auto make = [&](int truth, std::uint16_t reg) {
            // A register that is absent and pending answers `unknown`; run() makes register 3 so.
            text.step(Op::test, truth == 2 ? 3 : 2, id(Match::found));
            if (truth == 1) text.step(Op::negate);
            text.step(Op::keep_condition, reg);
          };
          text.step(Op::test_suspend);
          make(right, 1);
          make(left, 0);
          text.step(op, 1);
          text.step(Op::test_suspend);
          text.step(Op::jump_if, 0, mask, abi::kNoConstant, text.here() + 2).step(Op::next).step(Op::stop);
          const Pair pair(text);
          std::string outcomes[2];
          for (int engine = 0; engine < 2; ++engine) {
            test::World world;
            Subject subject = world.subject();
            const auto go_on = [&](const Engine& on) {
              return on.run(on.entry(0, abi::EntryPoint::http_request), world.worker, subject, world.frame,
                            world.frame.resume);
            };
            const Engine& first = engine == 0 ? *pair.interpreted : *pair.native;
            const Engine& second = engine == 0 ? *pair.native : *pair.interpreted;
            REQUIRE(go_on(first).kind == Outcome::Kind::suspend);
            world.frame.registers[3].pending = true;
            REQUIRE(go_on(first).kind == Outcome::Kind::suspend);
            outcomes[engine] = fmt::format("{}", static_cast<int>(go_on(second).kind));
            outcomes[engine] += fmt::format(" {}", static_cast<int>(world.frame.condition));
          }
          CHECK(outcomes[0].substr(0, 1) == outcomes[1].substr(0, 1));
        }
      }
    }
  }
}

TEST_CASE("selectors find the same cases in both engines") {
  if (!can_go_native()) return;
  for (int form = 0; form < 2; ++form) {
    test::ProgramText text;
    text.selectors = 1;
    std::vector<abi::ChoiceCase> cases;
    for (std::uint32_t at = 0; at < 6; ++at) {
      const std::string word = fmt::format("/{}", at % 3);
      text.set(Match::begin, {word});
      abi::ChoiceCase one;
      one.number = at;
      one.set = at;
      one.match = Match::begin;
      cases.push_back(one);
    }
    const std::uint32_t choice = text.choice(cases);
    std::uint32_t backends = 0;
    for (int at = 0; at < 6; ++at) {
      const std::uint32_t constant = text.constant(text.index_constant(Kind::backend, 0));
      if (at == 0) backends = constant;
    }
    text.step(Op::select_begin, 0, 0, 6).step(Op::fetch, 0, id(FetchId::path)).step(Op::select, 0, 0, choice);
    if (form == 0) {
      text.step(Op::jump_unless_found, 0, 0, abi::kNoConstant, 5).step(Op::use_backend_found, 0, 0, backends);
      text.step(Op::stop);
    } else {
      // Cases 0 to 3 look on; 4 and 5 end in different ways.
      text.step(Op::jump_found, 0, 0, abi::kNoConstant, 11);
      for (const std::uint32_t target : {10u, 10u, 10u, 10u, 11u, 12u}) {
        text.step(Op::jump, 0, 0, abi::kNoConstant, target);
      }
      text.step(Op::select_again, 0, 0, abi::kNoConstant, 1);
      text.step(Op::next).step(Op::use_backend, 0, 0, backends);
    }
    const Pair pair(text);
    for (const char* path : {"/0", "/1", "/2", "/3", "/"}) {
      test::World world;
      world.set_request("GET", path);
      CHECK_MESSAGE(pair.run(world).substr(0, 6) != "differ", form, " ", path);
    }
  }
}

TEST_CASE("native code goes on comparing rightly when a set was changed") {
  if (!can_go_native()) return;
  test::ProgramText text;
  add_test(text, Match::string, text.set(Match::string, {"abc"}));
  const Pair pair(text);
  pair.native->set_changed(0);
  test::World world;
  CHECK(pair.run(world) == kNext);
  world.add("x", "abc");
  CHECK(pair.run(world) == kStop);
}

// One function: stops when field `x` is `word` or `other`. Other sets stand before its own.
test::ProgramText one_test(std::string_view word, std::string_view other, int sets_before) {
  test::ProgramText text;
  for (int at = 0; at < sets_before; ++at) text.set(Match::string, {"before"});
  text.constants.clear();  // so that the bindings have the same shape
  add_test(text, Match::string, text.set(Match::string, {word, other}));
  return text;
}

TEST_CASE("code is taken over from an earlier image, if it was made from the same") {
  if (!can_go_native()) return;
  test::ProgramText first = one_test("abc", "def", 0);
  const Pair before(first);
  const auto compiled = [](const Pair& pair) { return pair.native->native()->header().compiled; };
  CHECK(compiled(before) == 1);

  test::ProgramText moved = one_test("abc", "def", 3);
  const Pair same(moved, &before.code);
  CHECK(compiled(same) == 0);
  test::World world;
  world.add("x", "def");
  CHECK(same.run(world) == kStop);
  same.native->set_changed(0);  // of another set: nothing to this one
  same.native->set_changed(3);
  CHECK(same.run(world) == kStop);

  test::ProgramText changed = one_test("abc", "dez", 0);
  const Pair other(changed, &before.code);
  CHECK(compiled(other) == 1);
  CHECK(other.run(world) == kNext);
}

TEST_CASE("an earlier image that is damaged is left aside") {
  if (!can_go_native()) return;
  test::ProgramText first = one_test("abc", "def", 0);
  const Pair before(first);
  std::vector<std::byte> bytes = before.code.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += at < 100 ? 7 : 501) {
    if (at >= offsetof(abi::NativeHeader, program) && at < offsetof(abi::NativeHeader, content))
      continue;  // any will do
    bytes[at] ^= std::byte{1};
    const test::MemoryFile damaged(bytes);
    test::ProgramText again = one_test("abc", "def", 0);
    const Pair pair(again, &damaged);
    CHECK_MESSAGE(pair.native->native()->header().compiled == 1, "byte ", at);
    bytes[at] ^= std::byte{1};
  }
}

TEST_CASE("code that is damaged, of another program, or not sealed is refused") {
  if (!can_go_native()) return;
  test::ProgramText text;
  add_test(text, Match::string, text.set(Match::string, {"abc"}));
  const Pair pair(text);
  const auto install = [&](std::span<const std::byte> bytes, bool seal) {
    const auto engine = pair.make();
    const test::MemoryFile file(bytes, seal);
    const Status status = engine->install_native(file.descriptor());
    CHECK((engine->native() != nullptr) == status.ok());
    return status.ok() ? std::string() : status.error().message;
  };
  std::vector<std::byte> bytes = pair.code.bytes();
  CHECK(install(bytes, true).empty());
  CHECK(install(bytes, false) == "the code is not sealed");
  CHECK(install({}, true) == "the code has no header");
  CHECK(install(std::span(bytes).first(bytes.size() - 1), true).find("bytes instead of") != std::string::npos);
  for (std::size_t at = 0; at < bytes.size(); at += at < 200 ? 1 : 61) {
    bytes[at] ^= std::byte{1};
    CHECK_MESSAGE(!install(bytes, true).empty(), "byte ", at);
    bytes[at] ^= std::byte{1};
  }
  test::ProgramText other;
  other.step(Op::stop);
  const Pair others(other);
  CHECK(install(others.code.bytes(), true) == "the code was made for another program");
  CHECK(others.native->install_native(others.code.descriptor()).error().message == "there is native code already");
}

TEST_CASE("hawser-jitc refuses a damaged program, or makes code for it, but never fails") {
  if (!can_go_native()) return;
  test::ProgramText text;
  add_test(text, Match::string, text.set(Match::string, {"abc"}));
  std::vector<std::byte> bytes = text.finish().bytes();
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 23) {
    const std::byte before = bytes[at];
    bytes[at] = std::byte{0xff};
    const int status = test::run_jitc(kJitc, bytes, test::MemoryFile());
    CHECK_MESSAGE((status == 0 || status == 1), "byte ", at, " status ", status);
    if (status == 1) ++refused;
    bytes[at] = before;
  }
  CHECK(refused > 0);
  CHECK(test::run_jitc(kJitc, {}, test::MemoryFile()) == 1);
  CHECK(test::run_jitc(kJitc, bytes, test::MemoryFile(), {"--frobnicate"}) == 2);
}

TEST_CASE("functions have names for perf when they are asked for") {
  if (!can_go_native()) return;
  test::ProgramText text;
  text.step(Op::stop);
  const Pair pair(text);
  CHECK(pair.native->native()->functions() == 1);
  CHECK(pair.native->native()->name(0) == "hawser:function0.proxy0.http_request");
  CHECK(pair.native->native()->code(0).size() < 100);
}

}  // namespace
}  // namespace hawser::exec
