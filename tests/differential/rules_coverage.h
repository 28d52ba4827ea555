// How often each row was executed: opcodes, fetches, converters, match methods, actions, log aliases.
#pragma once

#include <string>

namespace hawser::test {

struct CoverageReport {
  std::string text;    // a table
  std::string missed;  // rows that were never executed, with their kinds; empty: none
};
// Without passes their opcodes are left out.
CoverageReport coverage_report(bool with_passes);

}  // namespace hawser::test
