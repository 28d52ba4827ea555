// Durations and sizes. Holds: a value within bounds, or the place of the first wrong byte.
#include "tests/fuzz/grammar_word.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hawser::grammar;  // NOLINT(google-build-using-namespace)
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const TimeUnit unit : {TimeUnit::us, TimeUnit::ms, TimeUnit::s, TimeUnit::min, TimeUnit::h, TimeUnit::d}) {
    const auto duration = parse_duration(text, unit);
    if (duration) {
      HAWSER_CHECK(duration->count < (std::uint64_t{1} << 31));
      HAWSER_CHECK(duration->junk_at < text.size());
    } else {
      HAWSER_CHECK(duration.error().at <= text.size());
    }
  }
  const auto bytes = parse_size(text);
  if (!bytes) HAWSER_CHECK(bytes.error().at <= text.size());
  return 0;
}
