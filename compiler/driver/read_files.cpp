// Several files into one checked configuration.
#include "compiler/driver/compile.h"
#include "compiler/resolve/rules.h"

namespace hawser::compiler {
namespace {

// What HAProxy puts into the environment before it reads a file.
void set_own_variables(const std::vector<grammar::FileId>& files, const grammar::Sources& sources,
                       grammar::Environment& environment) {
  std::string names;
  for (const grammar::FileId file : files) {
    if (!names.empty()) names += ';';
    names += sources.name(file);
  }
  environment.set("HAPROXY_CFGFILES", names);
  environment.set("HAPROXY_STARTUP_VERSION", std::string(kHaproxyVersion));
  environment.set("HAPROXY_BRANCH", std::string(kHaproxyVersion.substr(0, kHaproxyVersion.rfind('.'))));
  environment.set("HAPROXY_HTTP_LOG_FMT", std::string(kHttpLogFormat));
  environment.set("HAPROXY_TCP_LOG_FMT", std::string(kTcpLogFormat));
}

}  // namespace

model::Config read_and_check(const std::vector<grammar::FileId>& files, const grammar::Sources& sources,
                             grammar::Environment& environment, const Options& options,
                             grammar::Diagnostics& diagnostics) {
  model::Config config;
  set_own_variables(files, sources, environment);
  for (const grammar::FileId file : files) {
    const std::size_t errors_before = diagnostics.fatal_count();
    read_file(file, sources, environment, options, diagnostics, config);
    if (diagnostics.fatal_count() == errors_before) continue;
    diagnostics.error({}, "Error(s) found in configuration file : {}", sources.name(file))
        .from(grammar::Origin::config);
  }
  // What a broken file says as a whole means nothing.
  if (!diagnostics.has_fatal()) check(config, environment, sources, options, diagnostics);
  if (diagnostics.has_fatal()) {
    diagnostics.error({}, "Fatal errors found in configuration.").from(grammar::Origin::config);
  }
  return config;
}

}  // namespace hawser::compiler
