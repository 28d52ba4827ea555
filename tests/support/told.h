// Everything that a run of an entry leaves behind, as text: what two ways to run it must agree about.
#pragma once

#include <string>

#include <fmt/format.h>

#include "runtime/kernels/casts.h"
#include "tests/support/compile_text.h"
#include "tests/support/world.h"

namespace hawser::test {

inline std::string head_text(const http::Head& head) {
  std::string text;
  for (const http::Field& field : head.fields) {
    if (!field.removed) text += fmt::format("{}: {}\n", field.name, field.value);
  }
  return text;
}

// `variable` names one of scope txn that the rules use.
inline std::string told(const Running& running, World& world, std::uint32_t proxy, abi::EntryPoint point,
                        std::string_view variable = "v") {
  using Kind = exec::Outcome::Kind;
  exec::Subject subject = world.subject();
  subject.installed = running.installed.get();
  const abi::Entry& entry = running.engine->entry(proxy, point);
  exec::Outcome outcome = running.engine->run(entry, world.worker, subject, world.frame, 0);
  while (outcome.kind == Kind::suspend || outcome.kind == Kind::need) {
    world.worker.text = "left by another exchange";
    outcome = running.engine->run(entry, world.worker, subject, world.frame, world.frame.resume);
  }
  const exec::Frame& frame = world.frame;
  std::string text = fmt::format("kind {} action {} index {} backend {} location '{}' body '{}' line '{}'\n",
                                 static_cast<int>(outcome.kind), static_cast<int>(outcome.action), outcome.index,
                                 frame.backend, frame.location, frame.body, frame.line);
  for (const std::string_view value : frame.field_values) text += fmt::format("field '{}'\n", value);
  text += head_text(world.request) + "--\n" + head_text(world.response);
  if (const abi::Sample* value = world.txn.find(variable); value != nullptr) {
    abi::Sample as_text = *value;
    kernels::cast(as_text, abi::SampleType::string, world.arena);
    text += fmt::format("{}: type {} '{}'\n", variable, static_cast<int>(value->type),
                        as_text.is_absent() ? std::string_view() : as_text.view());
  }
  return text;
}

}  // namespace hawser::test
