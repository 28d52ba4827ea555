// How often each row was executed: opcodes, fetches, converters, match methods, actions, log aliases.
#pragma once

#include <string>

namespace hawser::test {

struct CoverageReport {
  std::string text;    // a table
  std::string missed;  // rows that were never executed, with their kinds; empty: none
};
CoverageReport coverage_report();

}  // namespace hawser::test
