// `global`: environment variables. A change is seen by the lines that follow.
#include "compiler/keywords/keyword.h"

namespace hawser::compiler {
namespace {

constexpr Param kSetenv[] = {{.name = "name", .missing = "'setenv' expects a name and a value."},
                             {.name = "value", .missing = "'setenv' expects a name and a value."}};
void lower_setenv(ReadContext& cx, const Args& args) {
  cx.environment.set(std::string(args.text(0)), std::string(args.text(1)));
}

constexpr Param kPresetenv[] = {{.name = "name", .missing = "'presetenv' expects a name and a value."},
                                {.name = "value", .missing = "'presetenv' expects a name and a value."}};
void lower_presetenv(ReadContext& cx, const Args& args) {
  cx.environment.set_if_absent(std::string(args.text(0)), std::string(args.text(1)));
}

constexpr Param kUnsetenv[] = {
    {.name = "name …", .take = Take::rest, .missing = "'unsetenv' expects at least one variable name."}};
void lower_unsetenv(ReadContext& cx, const Args& args) {
  for (std::size_t at = 0; args.has(at); ++at) cx.environment.unset(args.text(at));
}

constexpr Param kResetenv[] = {{.name = "name …", .take = Take::rest, .optional = true}};
void lower_resetenv(ReadContext& cx, const Args& args) {
  std::vector<std::string_view> kept;
  for (std::size_t at = 0; args.has(at); ++at) kept.push_back(args.text(at));
  cx.environment.keep_only(kept);
}

constexpr Keyword kRows[] = {
    {.name = "presetenv",
     .sections = Section::global,
     .params = kPresetenv,
     .summary = "Give an environment variable a value, unless it has one.",
     .lower = lower_presetenv,
     .extra = kUnread,
     .origin = grammar::Origin::tokens},
    {.name = "resetenv",
     .sections = Section::global,
     .params = kResetenv,
     .summary = "Remove all environment variables but the named ones.",
     .lower = lower_resetenv,
     .origin = grammar::Origin::tokens},
    {.name = "setenv",
     .sections = Section::global,
     .params = kSetenv,
     .summary = "Give an environment variable a value.",
     .lower = lower_setenv,
     .extra = kUnread,
     .origin = grammar::Origin::tokens},
    {.name = "unsetenv",
     .sections = Section::global,
     .params = kUnsetenv,
     .summary = "Remove environment variables.",
     .lower = lower_unsetenv,
     .origin = grammar::Origin::tokens},
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> global_environment_keywords() { return kRows; }

}  // namespace hawser::compiler
