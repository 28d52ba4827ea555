// HTTP/1 responses as a server sends them; the same properties as of requests (h1_request.cpp).
#include "tests/fuzz/h1_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hawser::fuzz::check_message<hawser::http::h1::ResponseReader>({reinterpret_cast<const char*>(data), size},
                                                                &hawser::http::MessageWriter::write_response);
  return 0;
}
