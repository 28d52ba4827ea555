// HTTP/1 requests as a client sends them. Holds: no byte string crashes the reader; the same bytes in pieces give
// the same result; and a head that is accepted and written is accepted again, with the same body and fields.
#include "tests/fuzz/h1_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hawser::fuzz::check_message<hawser::http::h1::RequestReader>({reinterpret_cast<const char*>(data), size},
                                                               &hawser::http::MessageWriter::write_request);
  return 0;
}
