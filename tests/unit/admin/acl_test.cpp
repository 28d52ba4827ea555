// `show|get|add|del|clear acl` where vtc scripts, which ask haproxy too, do not reach.
#include <doctest/doctest.h>

#include <algorithm>

#include <fmt/format.h>

#include "runtime/admin/answer.h"
#include "runtime/tables/pattern_store.h"

using namespace hawser;

namespace {

// One set of texts, and what commands need to see it.
struct Fixture {
  explicit Fixture(std::size_t patterns) {
    abi::ImageBuilder builder;
    std::vector<abi::PatternReference> references(1);
    references[0].description = builder.text("acl 'hdr' file 'x.cfg' line 7");
    std::vector<abi::Pattern> rows(patterns);
    for (std::size_t at = 0; at < patterns; ++at) rows[at].text = builder.text(fmt::format("pattern{}", at));
    std::vector<abi::PatternSet> sets(1);
    sets[0].patterns = builder.rows(rows);
    sets[0].parts = builder.rows(std::vector<abi::SetPart>{{0, static_cast<std::uint32_t>(patterns)}});
    abi::Program program;
    program.references = builder.rows(references);
    program.sets = builder.rows(sets);
    bytes = builder.finish(program);
    image = bytes.view();
    views.push_back({&image, image.rows(image.rows(image.root<abi::Program>().sets)[0].patterns)});
    live.emplace(image, views);
    state.patterns().install(*live);
  }

  std::unique_ptr<admin::Answer> begin(admin::Command command) {
    admin::Session session{.level = abi::AccessLevel::user};
    return admin::execute({installed, facts}, command, session);
  }
  std::string ask(std::vector<std::string> words, std::string payload = "") {
    const bool has_payload = !payload.empty();
    const auto answer = begin({std::move(words), has_payload, std::move(payload)});
    std::string out;
    while (!answer->append(out)) {
    }
    return out;
  }

  abi::Image plan = abi::ImageBuilder().finish(abi::Plan());
  tables::State state{1};
  tables::Installed installed{plan.view(), state};
  admin::Facts facts;
  abi::Image bytes;
  abi::ImageView image;
  std::vector<kernels::SetView> views;
  std::optional<tables::LiveSets> live;
};

TEST_CASE("a long list of patterns comes in pieces, and changes meanwhile do not show in it") {
  Fixture fixture(5000);
  const auto answer = fixture.begin({{"show", "acl", "#0"}, false, ""});
  std::string out;
  std::size_t pieces = 1;
  for (; !answer->append(out); ++pieces) {
    CHECK(fixture.ask({"add", "acl", "#0", "later"}) == "");
    CHECK(fixture.ask({"del", "acl", "#0", fmt::format("pattern{}", 4999 - pieces)}) == "");
  }
  CHECK(pieces > 3);
  CHECK(std::count(out.begin(), out.end(), '\n') == 5000);
  CHECK(out.find("later") == std::string::npos);
  CHECK(out.ends_with(" pattern4999\n"));
  CHECK(fixture.ask({"show", "acl"}) ==
        "# id (file) description\n0 () acl 'hdr' file 'x.cfg' line 7. curr_ver=0 next_ver=0 entry_cnt=5000\n");
}

TEST_CASE("a payload is refused, not taken for a pattern") {
  Fixture fixture(1);
  CHECK(fixture.ask({"add", "acl", "#0", "x"}, "a\nb\n") == "'add acl' with a payload is not supported by hawser.\n");
  CHECK(fixture.ask({"add", "acl", "#0"}, "a\nb\n") ==
        "'add acl' expects two parameters: ACL identifier and pattern.\n");
  CHECK_FALSE(fixture.live->changed(0));
}

TEST_CASE("numbers of references and versions are read as strtol reads them") {
  Fixture fixture(1);
  for (const char* id : {"#0", "#", "#00", "#+0", "# 0"}) {
    CHECK_MESSAGE(fixture.ask({"get", "acl", id, "pattern0"}).find("match=yes") != std::string::npos, id);
  }
  for (const char* id : {"#1", "#-1", "#0x0", "#0 ", "#99999999999999999999", "0", ""}) {
    CHECK_MESSAGE(fixture.ask({"add", "acl", id, "x"}) != "", id);
  }
  CHECK(fixture.ask({"add", "acl", "@4294967296", "#0", "x"}) == "");
  CHECK(fixture.ask({"add", "acl", "@1x", "#0", "x"}).starts_with("Version number in the future"));
}

TEST_CASE("a pattern is removed by the number that show acl lists") {
  Fixture fixture(2);
  const std::string list = fixture.ask({"show", "acl", "#0"});
  const std::string number = list.substr(0, list.find(' '));
  REQUIRE(number.starts_with("0x"));
  CHECK(fixture.ask({"del", "acl", "#0", "#" + number.substr(2)}) == "Key not found.\n");
  CHECK(fixture.ask({"del", "acl", "#0", "#" + number}) == "");
  CHECK(fixture.ask({"del", "acl", "#0", "#" + number}) == "Key not found.\n");
  CHECK(fixture.ask({"show", "acl", "#0"}).ends_with(" pattern1\n"));
}

}  // namespace
