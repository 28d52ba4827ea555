// One configuration as it runs: (Plan, Program, what they were installed to). An exchange pins the generation
// that it began under (contract 4).
#pragma once

#include <memory>
#include <vector>

#include "runtime/abi/image.h"
#include "runtime/exec/run.h"
#include "runtime/log/logger.h"
#include "runtime/tables/state.h"

namespace hawser::proxy {

struct Generation {
  abi::Image plan_image;
  abi::Image program_image;
  std::unique_ptr<tables::Installed> installed;
  std::unique_ptr<exec::Engine> engine;
  std::unique_ptr<log::Targets> logs;
  std::vector<int> listeners;  // bound and listening, in the order of Plan::listeners
  std::uint32_t maxconn = 0;   // of the process, resolved

  const abi::Plan& plan() const noexcept { return installed->plan(); }
};

}  // namespace hawser::proxy
