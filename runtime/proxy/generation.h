// One configuration as it runs: (Plan, Program, what they were installed to). An exchange pins the generation
// that it began under (contract 4).
#pragma once

#include <memory>
#include <vector>

#include "runtime/abi/held_image.h"
#include "runtime/exec/run.h"
#include "runtime/log/logger.h"
#include "runtime/proxy/gauge.h"
#include "runtime/proxy/rate.h"
#include "runtime/tables/state.h"

namespace hawser::proxy {

// Connections now, with their limits: shared by the workers, made by the first one.
struct Gauges {
  Gauge process;
  std::unique_ptr<Gauge[]> frontends;  // by proxy
  std::unique_ptr<Gauge[]> listeners;  // by listener
  Rate connections;                    // of the process
  Rate sessions;
  std::unique_ptr<Rate[]> frontend_sessions;  // by proxy
};

// Exchanges whose rules ran: all as native code, or some of them interpreted. Written by the worker alone.
struct alignas(64) EngineCounts {
  tables::Count native;
  tables::Count interpreted;
};

struct Generation {
  abi::HeldImage plan_image;
  abi::HeldImage program_image;
  std::unique_ptr<tables::Installed> installed;
  std::unique_ptr<exec::Engine> engine;
  std::unique_ptr<log::Targets> logs;
  std::vector<int> listeners;      // bound and listening, in the order of Plan::listeners; -1 of a disabled proxy
  std::uint32_t maxconn = 0;       // of the process, resolved
  std::unique_ptr<Gauges> gauges;  // made by the first Worker's constructor

  const abi::Plan& plan() const noexcept { return installed->plan(); }
};

}  // namespace hawser::proxy
