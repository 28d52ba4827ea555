// The location of a redirection.
#include "runtime/exec/run.h"

namespace hawser::exec {
namespace {

// What is kept of the request: its path and, unless dropped, its query; "/" where it has no path. The slash is
// appended behind the query, if this stays (haproxy 2.6 does the same).
void kept_part(std::string_view& rest, bool& slash, const abi::Redirect& redirect, const http::Head* request) noexcept {
  rest = "/";
  if (request != nullptr && !request->path.empty() && request->path.front() == '/') {
    rest = redirect.drop_query ? request->path_only() : request->path;
  }
  slash = redirect.append_slash && rest.back() != '/';
}

}  // namespace

std::string_view redirect_location(const abi::Redirect& redirect, std::string_view target, const Subject& subject) {
  if (redirect.kind == abi::Redirect::Kind::location) return target;
  std::string_view rest;
  bool slash = false;
  kept_part(rest, slash, redirect, subject.request);
  std::string_view between;
  std::string_view host;
  if (redirect.kind == abi::Redirect::Kind::scheme) {
    between = "://";
    const http::Field* field = subject.request == nullptr ? nullptr : subject.request->find("host");
    if (field != nullptr) host = field->value;
  } else if (target == "/") {
    target = {};  // the path begins with one already
  }
  const std::string_view parts[] = {target, between, host, rest, slash ? "/" : ""};
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  char* const begin = subject.arena->allocate(size);
  char* at = begin;
  for (const std::string_view part : parts) at += part.copy(at, part.size());
  return {begin, size};
}

}  // namespace hawser::exec
