// Every table of keywords, by name.
#include <array>

#include "compiler/keywords/keyword.h"

namespace hawser::compiler {

std::span<const std::span<const Keyword>> keyword_tables() {
  static const std::array tables{
      global_process_keywords(),
      global_service_keywords(),
      global_environment_keywords(),
      global_tuning_keywords(),
      command_socket_keywords(),
      proxy_keywords(),
      listener_keywords(),
      server_keywords(),
      timeout_keywords(),
      proxy_option_keywords(),
      log_keywords(),
      rule_keywords(),
      tcp_rule_keywords(),
  };
  return tables;
}

}  // namespace hawser::compiler
