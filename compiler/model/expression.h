// Typed expressions: samples, tests, conditions and formats with every name resolved and every argument checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "grammar/source.h"
#include "runtime/abi/program.h"
#include "runtime/base/id.h"

namespace hawser::model {

using grammar::Span;
using ProxyId = Id<struct ProxyTag>;
using AclId = Id<struct AclTag>;
using SetId = Id<struct SetTag>;
using ReferenceId = Id<struct ReferenceTag>;
using ReplyId = Id<struct ReplyTag>;

struct Variable {
  abi::VariableScope scope = abi::VariableScope::txn;
  std::string name;  // without its scope
};

// An argument by its Param: left out, a text, a number, or a variable.
using Arg = std::variant<std::monostate, std::string, std::int64_t, Variable>;

struct Conversion {
  abi::ConverterId converter{};
  std::vector<Arg> args;  // as many as the row has params
  Span span;
};

struct SampleExpr {
  abi::FetchId fetch{};
  std::vector<Arg> args;
  std::vector<Conversion> converters;
  abi::SampleType result = abi::SampleType::any;
  Span span;
  std::string text;  // as written, for dumps and messages
};

// Where patterns come from, and by what commands name them (`#id`, or the file): one for each file of -f, which all tests that
// read it share, and one for what is written in each test, be it nothing.
struct Reference {
  std::string file;         // empty: written in the configuration
  std::string description;  // as `show acl` lists it
  std::uint64_t hash = 0;   // of the file's bytes, or of the patterns as they are written
  // The method of the first test, and the patterns in it: of a test without a set.
  abi::Match match = abi::Match::string;
  bool ignore_case = false;
  std::vector<std::string> texts;
};

// One pattern as written, and what it means to the set's method.
struct Pattern {
  std::string text;
  ReferenceId reference;
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
  IpAddress address;
  std::uint8_t prefix_bits = 0;
  std::uint32_t line = 0;  // of the file whose name stands at `span`, behind -f; 0: the pattern itself stands there
  Span span;
};

struct PatternSet {
  abi::Match match = abi::Match::string;
  bool ignore_case = false;
  std::string acl_name;                 // empty: anonymous
  std::string reference;                // the file of -f
  std::vector<ReferenceId> references;  // each once, in the order of their patterns
  std::vector<Pattern> patterns;
  Span span;
};

// criterion [flags] patterns: true when any occurrence of the sample matches any pattern.
struct Test {
  SampleExpr sample;
  abi::Match match = abi::Match::boolean;
  SetId set;  // none for found and boolean
  Span span;
};

// A name's tests are ORed in order.
struct Acl {
  std::string name;  // empty: anonymous
  std::vector<Test> tests;
  bool predefined = false;
  Span span;
};

struct Term {
  bool negated = false;
  AclId acl;
  Span span;
};

struct Condition {
  bool unless = false;
  std::vector<std::vector<Term>> any_of;
  Span span;
};

struct FormatPart {
  enum class Kind : std::uint8_t { text, alias, sample } kind = Kind::text;
  std::string text;  // a `separator` of the syntax is " "
  abi::AliasId alias{};
  std::uint16_t flags = 0;  // abi::FormatFlags
  std::optional<SampleExpr> sample;
  Span span;
};

struct Format {
  std::vector<FormatPart> parts;
  Span span;
  bool constant() const noexcept;  // text alone
};

}  // namespace hawser::model
