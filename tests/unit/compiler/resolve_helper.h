// A configuration read from a text, with what was said about it.
#pragma once

#include <string>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/model/config.h"

namespace hawser::compiler {

// The lines stand in a section of HTTP mode; messages are without their prefix, one a line.
struct Reading {
  explicit Reading(std::string_view lines, std::string_view section = "frontend web")
      : file(sources.add("test.cfg",
                         std::string(section) + "\n mode http\n bind 127.0.0.1:80\n" + std::string(lines) + "\n")) {
    read_file(file, sources, environment, options, diagnostics, config);
  }

  std::string said() const {
    std::string text;
    for (const grammar::Diagnostic& one : diagnostics.all()) text += one.text + "\n";
    return text;
  }
  // The words under the caret of the first message.
  std::string pointed_at() const {
    if (diagnostics.all().empty()) return "";
    const grammar::Span span = diagnostics.all().front().span;
    return std::string(sources.line(span.file, span.line).substr(span.column, span.length));
  }

  const model::Proxy& proxy() const { return config.proxies[config.proxies.id_at(config.proxies.size() - 1)]; }
  const std::vector<model::Rule>& request_rules() const { return proxy().rules[0]; }
  const std::vector<model::Rule>& response_rules() const { return proxy().rules[1]; }
  const model::Test& test(std::string_view acl, std::size_t at = 0) const {
    return config.acls[proxy().acls.find(acl)->second].tests[at];
  }
  const model::PatternSet& set(std::string_view acl, std::size_t at = 0) const {
    return config.sets[test(acl, at).set];
  }
  const model::Pattern& pattern(std::string_view acl, std::size_t at = 0) const { return set(acl).patterns[at]; }

  grammar::Sources sources;
  grammar::Diagnostics diagnostics{sources};
  grammar::Environment environment;
  Options options;
  model::Config config;
  grammar::FileId file;
};

}  // namespace hawser::compiler
