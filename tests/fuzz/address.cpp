// Addresses, and the expansion that they have of their own. Holds: an address or a message; a list without a
// comma is one address; expansion keeps the way back to the source.
#include "tests/fuzz/grammar_word.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hawser::fuzz;  // NOLINT(google-build-using-namespace)
  Text text(data, size);
  const auto address = parse_address(text.word(), text.diagnostics);
  text.check(address.has_value());
  if (address) {
    HAWSER_CHECK(text.inside(address->span));
    HAWSER_CHECK(text.bytes.find(address->host) != std::string::npos);
    HAWSER_CHECK((address->port_kind == AddressSyntax::PortKind::none) == address->port_text.empty());
  }
  Text list(data, size);
  const auto addresses = parse_addresses(list.word(), list.diagnostics);
  list.check(addresses.has_value());
  if (list.bytes.find(',') == std::string::npos) HAWSER_CHECK(addresses.has_value() == address.has_value());

  Environment environment;
  environment.set("A", "127.0.0.1");
  const Word expanded = expand_address(text.word(), environment);
  HAWSER_CHECK(expanded.text == expand_address(text.bytes, environment));
  HAWSER_CHECK(expanded.columns.size() == expanded.text.size() + 1);
  HAWSER_CHECK(expanded.ends.size() == expanded.text.size());
  HAWSER_CHECK(text.inside(expanded.part(0, expanded.text.size())));
  return 0;
}
