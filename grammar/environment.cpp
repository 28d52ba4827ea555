// The variables that "$NAME" stands for.
#include <unistd.h>

#include <algorithm>

#include "grammar/reader.h"

namespace hawser::grammar {

Environment Environment::of_process() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.set(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
  }
  return environment;
}

std::optional<std::string_view> Environment::get(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void Environment::set(std::string name, std::string value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

void Environment::set_if_absent(std::string name, std::string value) {
  values_.try_emplace(std::move(name), std::move(value));
}

void Environment::unset(std::string_view name) {
  const auto found = values_.find(name);
  if (found != values_.end()) values_.erase(found);
}

void Environment::keep_only(const std::vector<std::string_view>& names) {
  std::erase_if(values_,
                [&](const auto& entry) { return std::find(names.begin(), names.end(), entry.first) == names.end(); });
}

}  // namespace hawser::grammar
