// silent-drop, set-src, set-src-port, set-dst, set-dst-port.
#include <fmt/format.h>

#include "compiler/keywords/actions.h"
#include "compiler/resolve/availability.h"

namespace hawser::compiler {

bool read_silent_drop(ActionWords& words, model::Rule&) {
  if (!words.next_is("rst-ttl")) return true;
  words.not_supported(words.next()->span, "'rst-ttl' of silent-drop");
  return false;
}

bool read_address_action(ActionWords& words, model::Rule& rule) {
  auto sample = resolve_sample(words.context(), words.line().words, words.at, words.where());
  if (!sample) return false;
  const FetchRow& fetch = row_of(sample->fetch);
  if (!available_at(fetch, words.where().point)) {
    words.refuse(sample->span, fmt::format("fetch method '{}' extracts information from '{}', none of which is "
                                           "available here",
                                           sample->text, needs_of(fetch)));
    return false;
  }
  rule.sample = std::move(*sample);
  return true;
}

}  // namespace hawser::compiler
