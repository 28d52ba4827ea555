#include "runtime/http/head.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/ascii.h"

namespace hawser::http {
namespace {

struct MethodName {
  std::string_view name;
  Method method;
};
constexpr MethodName kMethods[] = {
    {"GET", Method::get},         {"HEAD", Method::head},      {"POST", Method::post},
    {"PUT", Method::put},         {"DELETE", Method::delete_}, {"CONNECT", Method::connect},
    {"OPTIONS", Method::options}, {"TRACE", Method::trace},    {"PATCH", Method::patch},
};

}  // namespace

Method parse_method(std::string_view name) noexcept {
  for (const MethodName& known : kMethods) {
    if (name == known.name) return known.method;
  }
  return Method::other;
}

void Head::clear() noexcept {
  std::vector<Field> kept = std::move(fields);
  kept.clear();
  *this = Head{};
  fields = std::move(kept);
}

const Field* Head::find(std::string_view name) const noexcept {
  for (const Field& field : fields) {
    if (!field.removed && same_name(field.name, name)) return &field;
  }
  return nullptr;
}

std::size_t Head::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(std::count_if(
      fields.begin(), fields.end(), [&](const Field& field) { return !field.removed && same_name(field.name, name); }));
}

void Head::add(Arena& arena, std::string_view name, std::string_view value) {
  char* bytes = arena.allocate(name.size() + value.size());
  std::transform(name.begin(), name.end(), bytes, to_lower);
  if (!value.empty()) std::memcpy(bytes + name.size(), value.data(), value.size());
  fields.push_back({{bytes, name.size()}, {bytes + name.size(), value.size()}});
}

std::size_t Head::remove(std::string_view name) noexcept {
  std::size_t removed = 0;
  for (Field& field : fields) {
    if (field.removed || !same_name(field.name, name)) continue;
    field.removed = true;
    ++removed;
  }
  return removed;
}

std::string_view Head::path_only() const noexcept { return path.substr(0, path.find('?')); }

// Of a target without a path ("http://a?b"), what stands behind its '?' (haproxy 2.6 does the same).
std::string_view Head::query() const noexcept {
  const std::string_view all = path.empty() ? target : path;
  const std::size_t at = all.find('?');
  return at == std::string_view::npos ? std::string_view{} : all.substr(at + 1);
}

bool Head::has_query() const noexcept { return (path.empty() ? target : path).find('?') != std::string_view::npos; }

}  // namespace hawser::http
