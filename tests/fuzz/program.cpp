// Programs with damaged bytes. Holds: each is refused by the verifier, or every entry of it runs to an end.
//
// The input is a list of edits, three bytes each (where, and what is added by exclusive or), to the image of a real
// configuration: so the corpus outlives changes of the image's form.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/support/compile_text.h"
#include "tests/support/run_all.h"

namespace {

const std::vector<std::byte>& real_image() {
  static const std::vector<std::byte> bytes = [] {
    const hawser::test::Running running(hawser::test::http_config(
        "frontend f\n  bind :80\n  acl list req.hdr(x) -i b\n  acl list src 192.0.2.0/24\n  acl list hdr_reg(x) ^b\n"
        "  http-request set-var(txn.a) req.hdr(x),word(1,b,2),concat(<,sess.b,>)\n"
        "  http-request set-header y \"%[var(txn.a),add(1)] %{+Q}ci %[url_param(q),url_dec]\" if list\n"
        "  http-request del-header z -m beg unless list { cook(c) -m len 1 }\n"
        "  http-request return status 200 content-type text/plain lf-string %[method] hdr h %[path] if { path_beg /r "
        "}\n"
        "  http-request redirect prefix http://h if { path_end /x }\n"
        "  http-response set-header s %[status]\n"
        "  http-request add-header m 1 if { path_beg /a /b } { src 192.0.2.0/24 }\n"
        "  http-request add-header m 2 if { path_beg /c /d /q }\n"
        "  use_backend b if { hdr(x) -i m n }\n  use_backend b if { hdr(x) -m end o p }\n"
        "  use_backend %[path] if { query -m found }\n  use_backend b if { hdr_cnt(x) ge 2 }\n"
        "  log-format \"%ci %tr %r %ST %[var(txn.a)] %tsc\"\nbackend b\n"));
    if (!running.wrong.empty()) {
      std::fprintf(stderr, "%s\n", running.wrong.c_str());
      std::abort();
    }
    return running.program.bytes();
  }();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes = real_image();
  for (std::size_t at = 0; at + 3 <= size; at += 3) {
    const std::size_t where = (data[at] | data[at + 1] << 8) % bytes.size();
    bytes[where] ^= static_cast<std::byte>(data[at + 2]);
  }
  hawser::test::run_all(hawser::abi::ImageView(bytes));
  return 0;
}
