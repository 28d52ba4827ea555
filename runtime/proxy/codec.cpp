#include "runtime/proxy/codec.h"

#include "runtime/http/h1/reader.h"
#include "runtime/http/h1/writer.h"

namespace hawser::proxy {
namespace {

http::MessageWriter& h1_writer() {
  static http::h1::Writer writer;
  return writer;
}

constexpr Codec kH1{
    .name = "h1",
    .make_request_reader = [] { return std::unique_ptr<http::MessageReader>(new http::h1::RequestReader); },
    .make_response_reader = [] { return std::unique_ptr<http::MessageReader>(new http::h1::ResponseReader); },
    .writer = h1_writer,
};

}  // namespace

const Codec& h1_codec() noexcept { return kH1; }

}  // namespace hawser::proxy
