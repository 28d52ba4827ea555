// Converters and casts, against what haproxy 2.6 answered (tests/differential/samples.py asks it again).
#include <doctest/doctest.h>

#include <string>

#include "runtime/kernels/casts.h"
#include "runtime/kernels/converters.h"

namespace hawser::kernels {
namespace {

using abi::Sample;
using abi::SampleType;

constexpr const char* kAbsent = "(absent)";

std::string text_of(Sample sample, Arena& arena) {
  cast(sample, SampleType::string, arena);
  return sample.is_absent() ? kAbsent : std::string(sample.view());
}

std::string convert(abi::ConverterId id, Sample sample, Sample a = {}, Sample b = {}, Sample c = {}) {
  Arena arena;
  const Sample arguments[] = {a, b, c};
  cast(sample, input_of(id), arena);
  if (sample.is_absent() || !converter(id)(sample, arguments, arena)) return kAbsent;
  return text_of(sample, arena);
}

std::string part(abi::ConverterId id, const char* text, std::int64_t index, const char* delimiters,
                 std::int64_t count = -1) {
  return convert(id, Sample::text(text), Sample::sint(index), Sample::text(delimiters),
                 count < 0 ? Sample() : Sample::sint(count));
}
std::string word(const char* text, std::int64_t index, const char* delimiters, std::int64_t count = -1) {
  return part(abi::ConverterId::word, text, index, delimiters, count);
}
std::string field(const char* text, std::int64_t index, const char* delimiters, std::int64_t count = -1) {
  return part(abi::ConverterId::field, text, index, delimiters, count);
}

TEST_CASE("words are counted without empty ones, from either end") {
  CHECK(word("/a//b/c/", 1, "/") == "a");
  CHECK(word("/a//b/c/", 2, "/") == "b");
  CHECK(word("/a//b/c/", -1, "/") == "c");
  CHECK(word("/a//b/c/", 9, "/") == "");
  CHECK(word("/a//b/c/", -9, "/") == "");
  CHECK(word("xaybzaw", 1, "ab") == "x");
}

TEST_CASE("several words come with what stands between them, and reach to the end when there are fewer") {
  CHECK(word("/a//b/c/", 2, "/", 2) == "b/c");
  CHECK(word("/a//b/c/", 2, "/", 0) == "b/c/");
  CHECK(word("/a//b/c/", -2, "/", 2) == "a//b");
  CHECK(word("abxabyab", -1, "ab", 0) == "abxaby");
  CHECK(word("abxabyab", -2, "ab", 0) == "abx");
  CHECK(word("abxabyab", -2, "ab", 3) == "abx");
  CHECK(word("a+b?c+d", -2, "ab", 0) == "a+");
}

TEST_CASE("fields are counted with empty ones, and one that is not there is absent") {
  CHECK(field("/a//b/c/", 1, "/") == "");
  CHECK(field("/a//b/c/", 2, "/") == "a");
  CHECK(field("/a//b/c/", -1, "/") == "");
  CHECK(field("/a//b/c/", 9, "/") == kAbsent);
  CHECK(field("/a//b/c/", -9, "/") == kAbsent);
  CHECK(field("a/b/c", -1, "/") == "c");
}

TEST_CASE("several fields") {
  CHECK(field("/a//b/c/", 2, "/", 2) == "a/");
  CHECK(field("/a//b/c/", 2, "/", 0) == "a//b/c/");
  CHECK(field("/a//b/c/", -1, "/", 2) == "c/");
  CHECK(field("abxabyab", -2, "ab", 2) == "ya");
  CHECK(field("abxabyab", -2, "ab", 3) == "bya");
  CHECK(field("abxabyab", -2, "ab", 0) == "abxabya");
}

TEST_CASE("sums saturate") {
  const std::int64_t max = INT64_MAX;
  const std::int64_t min = INT64_MIN;
  const auto add = [](std::int64_t a, std::int64_t b) {
    return convert(abi::ConverterId::add, Sample::sint(a), Sample::sint(b));
  };
  const auto sub = [](std::int64_t a, std::int64_t b) {
    return convert(abi::ConverterId::sub, Sample::sint(a), Sample::sint(b));
  };
  CHECK(add(1, 2) == "3");
  CHECK(add(max, 1) == "9223372036854775807");
  CHECK(add(min, -1) == "-9223372036854775808");
  CHECK(sub(0, min) == "9223372036854775807");
  CHECK(sub(min, min) == "0");
  CHECK(sub(-7, max) == "-9223372036854775808");
  // haproxy 2.6 answers 9223372036854775807 to all three: a deliberate difference.
  CHECK(add(-7, -1) == "-8");
  CHECK(sub(-7, 1) == "-8");
  CHECK(sub(-1, 7) == "-8");
}

TEST_CASE("a sum with a variable that is not set is absent, and with a text is with its leading number") {
  CHECK(convert(abi::ConverterId::add, Sample::sint(1), Sample()) == kAbsent);
  CHECK(convert(abi::ConverterId::add, Sample::sint(1), Sample::text("12x")) == "13");
  CHECK(convert(abi::ConverterId::add, Sample::sint(1), Sample::text("")) == kAbsent);
  CHECK(convert(abi::ConverterId::add, Sample::text("/"), Sample::sint(1)) == "1");
}

TEST_CASE("concat passes over a variable that is not set") {
  CHECK(convert(abi::ConverterId::concat, Sample::text("x"), Sample::text("a"), Sample(), Sample::text("b")) == "xab");
  CHECK(convert(abi::ConverterId::concat, Sample::text("x"), Sample(), Sample::sint(7), Sample()) == "x7");
  CHECK(convert(abi::ConverterId::concat, Sample::boolean(true), Sample(), Sample(), Sample()) == "1");
}

TEST_CASE("escapes are decoded, '+' behind a '?' or when told, and a wrong escape has no result") {
  const auto decode = [](const char* text, Sample plus = {}) {
    return convert(abi::ConverterId::url_dec, Sample::text(text), plus);
  };
  CHECK(decode("%41+b?c+d") == "A+b?c d");
  CHECK(decode("a+b", Sample::sint(1)) == "a b");
  CHECK(decode("%zz") == kAbsent);
  CHECK(decode("%4") == kAbsent);
  CHECK(decode("%") == kAbsent);
}

TEST_CASE("case and length") {
  CHECK(convert(abi::ConverterId::lower, Sample::text("aBZ[9")) == "abz[9");
  CHECK(convert(abi::ConverterId::upper, Sample::text("aBz{9")) == "ABZ{9");
  CHECK(convert(abi::ConverterId::length, Sample::sint(-12)) == "3");
}

TEST_CASE("texts as numbers and addresses") {
  Arena arena;
  const auto as = [&](const char* text, SampleType type) {
    Sample sample = Sample::text(text);
    cast(sample, type, arena);
    return text_of(sample, arena);
  };
  CHECK(as("12abc", SampleType::sint) == "12");
  CHECK(as("+5", SampleType::sint) == "5");
  CHECK(as("-7", SampleType::sint) == "-7");
  CHECK(as("abc", SampleType::sint) == "0");
  CHECK(as("", SampleType::sint) == kAbsent);
  CHECK(as("9223372036854775808", SampleType::sint) == "9223372036854775807");
  CHECK(as("-9223372036854775809", SampleType::sint) == "-9223372036854775808");
  CHECK(as("1.2.3.4:x", SampleType::address) == "1.2.3.4");
  CHECK(as("1.2.3", SampleType::address) == kAbsent);
  CHECK(as("1.2.3.4.5", SampleType::address) == kAbsent);
  CHECK(as("001.2.3.04/8", SampleType::address) == "1.2.3.4");
  CHECK(as("256.1.1.1", SampleType::address) == kAbsent);
  CHECK(as("2001:db8::1", SampleType::address) == "2001:db8::1");
  CHECK(as("[2001:db8::1]", SampleType::address) == kAbsent);
  CHECK(as("5", SampleType::boolean) == "1");
}

TEST_CASE("numbers as addresses and addresses as numbers") {
  Arena arena;
  Sample sample = Sample::sint(2130706433);
  cast(sample, SampleType::address, arena);
  CHECK(text_of(sample, arena) == "127.0.0.1");
  cast(sample, SampleType::sint, arena);
  CHECK(sample.integer == 2130706433);
  Sample six = Sample::address(*IpAddress::parse("::1"));
  cast(six, SampleType::sint, arena);
  CHECK(six.is_absent());
  Sample method = Sample::text("GET", SampleType::method);
  cast(method, SampleType::sint, arena);
  CHECK(method.is_absent());
}

}  // namespace
}  // namespace hawser::kernels
