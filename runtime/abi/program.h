// The Program: rules, conditions, expressions, formats and choices as one flat array of steps, which the
// interpreter runs and the code generator compiles.
//
// A function is a run of steps with a number of registers; functions of equal steps are one. What differs
// between two rulesets of the same shape (names, texts, sets, backends) stands in bindings: arrays of
// constants, which steps name by index. An entry is a function with its bindings.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/abi/effects.h"
#include "runtime/abi/image.h"
#include "runtime/abi/params.h"
#include "runtime/abi/sample.h"

namespace hawser::abi {

enum class FetchId : std::uint16_t {
#define FETCH(id, ...) id,
#include "runtime/abi/fetches.def"
#undef FETCH
  count_
};
enum class ConverterId : std::uint16_t {
#define CONVERTER(id, ...) id,
#include "runtime/abi/converters.def"
#undef CONVERTER
  count_
};
enum class ActionId : std::uint16_t {
#define ACTION(id, ...) id,
#include "runtime/abi/actions.def"
#undef ACTION
  count_
};
enum class AliasId : std::uint16_t {
#define ALIAS(id, ...) id,
#include "runtime/abi/aliases.def"
#undef ALIAS
  count_
};
enum class Op : std::uint8_t {
#define OP(id, ...) id,
#include "runtime/abi/opcodes.def"
#undef OP
  count_
};

std::string_view name_of(FetchId id) noexcept;
std::string_view name_of(ConverterId id) noexcept;
std::string_view name_of(ActionId id) noexcept;
std::string_view name_of(AliasId id) noexcept;
std::string_view name_of(Op op) noexcept;
std::string_view name_of(EntryPoint point) noexcept;

// Which occurrence a fetch gives (Step.flags of fetch and fetch_next), and of which message.
enum FetchFlags : std::uint8_t {
  fetch_every = 1,  // the first of all, and fetch_next gives the others: tests. Else the one that the arguments name,
                    // the last by default: formats, set-var
  fetch_response = 2,  // fetches that serve both directions, and actions (Step.flags of act): of the response
};

// Format flags (Step.a of text_sample, Step.b of text_alias).
enum FormatFlags : std::uint16_t {
  format_quote = 1,
  format_hex = 2,
  format_escape = 4,  // RFC 5424 structured data
  format_empty = 8,   // what is absent or empty is nothing instead of "-" (fields, variables)
  format_mandatory = 16,
  format_field = 32,  // control characters but tabs as %XX: a value may not end its field
};

enum class VariableScope : std::uint8_t { proc, sess, txn, req, res, check };

// A constant of the bindings.
struct Constant {
  enum class Kind : std::uint8_t {
    none,
    text,
    integer,
    arguments,
    set,
    backend,
    reply,
    redirect,
    variable,
    field,
    choice
  };
  Kind kind = Kind::none;
  VariableScope scope = VariableScope::proc;  // variable
  std::uint16_t unused = 0;
  std::uint32_t index = 0;  // set, backend (proxy), reply, redirect, choice: of the Program's or Plan's rows
  union {
    std::int64_t integer;
    Text text;                 // text, field (a lower-cased name), variable (its name without scope)
    Rows<Constant> arguments;  // of a fetch or converter: in the order of its params; `none`: left out
  };
  Constant() noexcept : integer(0) {}
};
static_assert(sizeof(Constant) == 16);

struct Step {
  Op op = Op::next;
  std::uint8_t flags = 0;
  std::uint16_t reg = 0;
  std::uint16_t a = 0;
  std::uint16_t unused = 0;
  std::uint32_t b = 0;
  std::uint32_t target = 0;  // of a jump: relative to the function's first step
};
static_assert(sizeof(Step) == 16);

// Step.b of a fetch, converter or test without arguments or set.
inline constexpr std::uint32_t kNoConstant = 0xffff'ffff;
inline constexpr std::size_t kArgumentsMax = 8;

struct Function {
  std::uint32_t first_step = 0;
  std::uint32_t steps = 0;
  std::uint16_t registers = 0;
  std::uint16_t resume_points = 0;  // steps test_suspend and need, numbered from 1 in order; 0 is the beginning
  std::uint32_t constants = 0;      // that its bindings must have at least
  std::uint16_t selectors = 0;
  std::uint16_t unused = 0;
};

// What a selector knows while a function runs (opcodes.def).
inline constexpr std::uint32_t kNoCase = 0xffff'ffff;
struct Selector {
  std::uint32_t from = 0;  // the first case that it may find
  std::uint32_t found = kNoCase;
};

// `function` kNoFunction: nothing to do at this point.
inline constexpr std::uint32_t kNoFunction = 0xffff'ffff;
struct Entry {
  std::uint32_t function = kNoFunction;
  Rows<Constant> bindings;
};

struct ProxyEntries {
  Entry at[kEntryPoints];
};

// One pattern of a set, by the set's method: a text; an integer range; or an address with its prefix length.
struct Pattern {
  Text text;  // as it was written, always
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
  std::uint8_t ip[16] = {};
  std::uint8_t ip_family = 0;  // 4 or 6
  std::uint8_t prefix_bits = 0;
  std::uint8_t unused[6] = {};
  std::uint32_t unused_too = 0;
  std::uint32_t line = 0;
};

// Where patterns come from, and by what the commands of the command socket name them (contract 3): a file of -f with all sets that
// read it, or what was written in one test. Its index is its `#id`.
struct PatternReference {
  // Of the first test that refers to it.
  Match match = Match::string;
  bool ignore_case = false;
  std::uint16_t unused = 0;
  std::uint32_t unused_too = 0;
  Text file;  // empty for patterns written inline
  Text description;
  std::uint64_t hash = 0;  // of the file's bytes, or of the patterns as they are written
  Rows<Text> texts;        // of the patterns, where no set has them
};

// The patterns of a set that come from one reference.
struct SetPart {
  std::uint32_t reference = 0;  // of Program::references
  std::uint32_t patterns = 0;   // how many
};

// What one test compares with. Its contents may change at run time: through its references, which other sets may share.
struct PatternSet {
  std::uint32_t id = 0;  // its index; of a set that is not an ACL's: none
  Match match = Match::string;
  bool ignore_case = false;
  bool captures = false;  // of regular expressions: plain groups do
  std::uint8_t unused = 0;
  Text acl_name;   // empty for an anonymous one
  Text reference;  // the file given by -f; empty for patterns written inline
  Rows<Pattern> patterns;
  Rows<SetPart> parts;  // the patterns in order, by where they come from; none of a set that no command can change
};

// A test among those of a Choice: does a sample match the set by the method? `set` kNoSet: methods found and boolean.
inline constexpr std::uint32_t kNoSet = 0xffff'ffff;
struct ChoiceCase {
  std::uint32_t number = 0;  // of the case, in the order of the rules
  std::uint32_t set = kNoSet;
  Match match = Match::string;
  std::uint8_t unused[3] = {};
};

// Tests of one value, merged into one look-up: the first case that matches wins. Ordered by case; a case may have
// several tests, and one selector may go by several choices. The sets stay alive (contract 3): a Choice is what was
// made of their first contents, and no longer used once one of them was changed.
struct Choice {
  Rows<ChoiceCase> cases;
};

// A redirection's fixed parts; its location is computed by steps.
struct Redirect {
  std::uint16_t code = 302;
  bool drop_query = false;
  bool append_slash = false;
  bool clear_cookie = false;
  std::uint8_t unused[3] = {};  // named, like all gaps in rows: equal programs are equal bytes
  Text set_cookie;
  enum class Kind : std::uint8_t { location, prefix, scheme } kind = Kind::location;
  std::uint8_t unused_behind[3] = {};
};

struct Program {
  static constexpr std::uint32_t kMagic = 0x50'57'53'48;  // "HSWP"
  static constexpr std::uint32_t kVersion = 2;
  Rows<Step> steps;
  Rows<Function> functions;
  Rows<ProxyEntries> proxies;  // in the order of Plan::proxies
  Rows<PatternReference> references;
  Rows<PatternSet> sets;
  Rows<Redirect> redirects;
  Rows<Choice> choices;
  std::uint32_t registers_max = 0;  // of any function: the size of a Frame
  std::uint32_t selectors_max = 0;
  std::uint32_t replies = 0;  // of the Plan beside it
};

// Checks every index, jump, register and offset, so that running it cannot go astray: "" or what is wrong.
std::string verify(const ImageView& image);

// The form of --dump=program.
std::string dump(const ImageView& image);

}  // namespace hawser::abi
