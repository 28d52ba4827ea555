// What clients of the command socket send. Holds: no byte string crashes the reader; the same bytes in pieces give the
// same commands; no word is empty unless it was escaped; and every command has an answer that ends.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "runtime/admin/answer.h"
#include "runtime/tables/pattern_store.h"

namespace {

using namespace hawser;
using admin::Command;
using admin::LineReader;

struct Read {
  std::vector<Command> commands;
  bool too_long = false;
};

// Pushes `piece` bytes at a time.
Read read_all(std::string_view bytes, std::size_t piece) {
  Read read;
  LineReader reader;
  while (!bytes.empty() && !read.too_long) {
    reader.push(bytes.substr(0, piece));
    bytes.remove_prefix(piece < bytes.size() ? piece : bytes.size());
    Command command;
    bool ends_line = false;
    LineReader::State state;
    while ((state = reader.next(command, ends_line)) == LineReader::State::command) read.commands.push_back(command);
    read.too_long = state == LineReader::State::too_long;
  }
  return read;
}

void require(bool holds) {
  if (!holds) std::abort();
}

// Sets of several methods, for the commands that change them: texts, numbers, expressions, addresses, and a test without a set. The
// first two are of a file.
struct Sets {
  static constexpr abi::Match kMethods[] = {abi::Match::begin, abi::Match::integer, abi::Match::regex, abi::Match::ip};

  Sets() {
    abi::ImageBuilder builder;
    std::vector<abi::PatternReference> references(std::size(kMethods) + 1);
    references[0].file = builder.text("names");
    references.back().match = abi::Match::boolean;
    std::vector<abi::PatternSet> sets;
    for (std::uint32_t at = 0; at < std::size(kMethods); ++at) {
      abi::PatternSet& set = sets.emplace_back();
      set.match = kMethods[at];
      set.parts = builder.rows(std::vector<abi::SetPart>{{at, 0}});
    }
    abi::Program program;
    program.references = builder.rows(references);
    program.sets = builder.rows(sets);
    bytes = builder.finish(program);
    image = bytes.view();
    for (const abi::Match method : kMethods) views.push_back({&image, {}, method, false});
  }

  abi::Image bytes;
  abi::ImageView image;
  std::vector<kernels::SetView> views;
};

// Whatever commands did, patterns are listed as often as they are counted.
void check_sets(tables::PatternStore& store) {
  for (std::uint32_t reference = 0; reference < store.references(); ++reference) {
    const auto summary = store.summary(reference);
    require(store.rows(reference, std::nullopt).size() <= summary.entries);
    require(static_cast<std::int32_t>(summary.next - summary.current) >= 0);
  }
}

void answer(const Command& command, tables::State& state) {
  static const abi::Image plan = abi::ImageBuilder().finish(abi::Plan());
  const tables::Installed installed(plan.view(), state);
  static admin::Facts facts;
  facts.dropped_logs = [] { return std::uint64_t{0}; };
  facts.stopping = [] { return false; };
  admin::Session session{.level = abi::AccessLevel::admin};
  const auto answer = admin::execute({installed, facts}, command, session);
  std::string out;
  for (int pieces = 0; !answer->append(out); ++pieces) require(pieces < 1000);
  check_sets(state.patterns());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Read whole = read_all(bytes, size == 0 ? 1 : size);
  const Read pieces = read_all(bytes, 7);
  // A line that is too long may be noticed sooner when it comes in pieces.
  require(whole.too_long || pieces.too_long || whole.commands.size() == pieces.commands.size());
  for (std::size_t at = 0; at < whole.commands.size() && at < pieces.commands.size(); ++at) {
    require(whole.commands[at].words == pieces.commands[at].words);
    require(whole.commands[at].payload == pieces.commands[at].payload);
  }
  static Sets sets;
  tables::State state(1);
  tables::LiveSets live(sets.image, sets.views);
  state.patterns().install(live);
  for (const Command& command : whole.commands) answer(command, state);
  return 0;
}
