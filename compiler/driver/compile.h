// The compiler as one function: texts in; a Plan, a Program and messages out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model/config.h"
#include "compiler/opt/opt.h"
#include "grammar/ast.h"
#include "grammar/diagnostics.h"
#include "grammar/reader.h"
#include "runtime/abi/image.h"

namespace hawser::compiler {

// The HAProxy version whose language we speak.
inline constexpr std::string_view kHaproxyVersion = "3.4.0";

struct Options {
  std::uint32_t default_proxy_maxconn = 0;  // -N; 0: the global maxconn
  std::uint32_t global_maxconn = 0;         // -n; wins over the file
  bool warn_unsupported = false;
  bool look_up_names = true;  // host names of `bind` and `log`, through the C library
  opt::PassSet passes = opt::PassSet::all();
};

// `plan` and `program` are there unless `diagnostics` has a fatal one.
struct Compiled {
  std::optional<model::Config> config;
  std::optional<abi::Image> plan;
  std::optional<abi::Image> program;
};

Compiled compile(const std::vector<grammar::FileId>& files, const grammar::Sources& sources,
                 grammar::Environment& environment, const Options& options, grammar::Diagnostics& diagnostics);

// The stages, each from one value to the next. The first is of the next two: all files, then the checks, with HAProxy's
// closing lines ("Error(s) found …").
model::Config read_and_check(const std::vector<grammar::FileId>& files, const grammar::Sources& sources,
                             grammar::Environment& environment, const Options& options,
                             grammar::Diagnostics& diagnostics);
void read_file(grammar::FileId file, const grammar::Sources& sources, grammar::Environment& environment,
               const Options& options, grammar::Diagnostics& diagnostics, model::Config& config);
void check(model::Config& config, grammar::Environment& environment, const grammar::Sources& sources,
           const Options& options, grammar::Diagnostics& diagnostics);
abi::Image make_plan(const model::Config& config, const grammar::Sources& sources, const Options& options);
// The rules take another way: lower(), opt::optimise(), finalise(), each in the folder of its name. The order of rows is the same in
// both images: replies and proxies (without the defaults sections).

// The answers to `feature(NAME)`, `version_atleast(V)` … of `.if` and `-cc`.
grammar::Reader::Predicate predicates();

// The form of --dump=STAGE of what the files say: of "words", "ast" (the expanded lines), "model", "plan", "ir", "ir-opt"
// or "program". Nothing for another stage, and for one that was not reached because of a mistake.
std::optional<std::string> dump_text(std::string_view stage, const std::vector<grammar::FileId>& files,
                                     const grammar::Sources& sources, grammar::Environment& environment,
                                     const Options& options, grammar::Diagnostics& diagnostics);

// `hawser help --unsupported`: every word of HAProxy's language that is refused, by kind.
std::string unsupported_words();

}  // namespace hawser::compiler
