// Which protocol a connection speaks (contract 6): what makes its readers, and its writer. HTTP/1 is one; the
// tests have another.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/http/codec.h"

namespace hawser::proxy {

struct Codec {
  std::string_view name;
  std::unique_ptr<http::MessageReader> (*make_request_reader)();
  std::unique_ptr<http::MessageReader> (*make_response_reader)();
  http::MessageWriter& (*writer)();  // stateless: all connections share it
};

const Codec& h1_codec() noexcept;

}  // namespace hawser::proxy
