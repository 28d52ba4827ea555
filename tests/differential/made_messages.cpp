#include "tests/differential/made_messages.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "runtime/abi/program.h"

namespace hawser::test {
namespace {

using abi::Constant;

class WordReader {
 public:
  explicit WordReader(abi::ImageView image) : image_(image) {}

  ProgramWords read() {
    const auto& program = image_.root<abi::Program>();
    for (const abi::ProxyEntries& proxy : image_.rows(program.proxies)) {
      for (const abi::Entry& entry : proxy.at) {
        for (const Constant& constant : image_.rows(entry.bindings)) read(constant);
      }
    }
    for (const abi::PatternSet& set : image_.rows(program.sets)) {
      for (const abi::Pattern& pattern : image_.rows(set.patterns)) add(words_.values, image_.text(pattern.text));
    }
    return std::move(words_);
  }

 private:
  void read(const Constant& constant) {
    switch (constant.kind) {
      case Constant::Kind::field:
      case Constant::Kind::text: add(words_.names, image_.text(constant.text)); break;
      case Constant::Kind::variable: add(words_.variables, image_.text(constant.text)); break;
      case Constant::Kind::arguments:
        for (const Constant& one : image_.rows(constant.arguments)) read(one);
        break;
      default: break;
    }
  }
  static void add(std::vector<std::string>& to, std::string_view word) {
    if (!word.empty() && std::find(to.begin(), to.end(), word) == to.end()) to.emplace_back(word);
  }

  abi::ImageView image_;
  ProgramWords words_;
};

// Chance from a fixed seed: a failure can be repeated.
class MessageMaker {
 public:
  explicit MessageMaker(const ProgramWords& words) : words_(words) {}

  MadeMessage make() {
    MadeMessage message;
    static constexpr std::string_view kMethods[] = {"GET", "POST", "HEAD", "OPTIONS", "PURGE"};
    message.method = one_in(3) ? value() : std::string(kMethods[below(std::size(kMethods))]);
    message.target = path();
    for (const std::string& name : words_.names) parameter(message.target, name);
    message.request_fields.emplace_back("Host", one_in(2) ? value() : "www.example.com:8080");
    std::string cookies;
    for (const std::string& name : words_.names) {
      while (one_in(2)) message.request_fields.emplace_back(name, values());
      while (one_in(2)) message.response_fields.emplace_back(name, values());
      if (one_in(2)) cookies += (cookies.empty() ? "" : "; ") + name + "=" + value();
    }
    if (!cookies.empty()) message.request_fields.emplace_back("Cookie", cookies);
    static constexpr std::uint16_t kStatus[] = {200, 204, 301, 404, 500};
    message.status = kStatus[below(std::size(kStatus))];
    const IpAddress source = IpAddress::parse(value()).value_or(*IpAddress::parse("192.0.2.1"));
    message.source = SocketAddress::ip(source, static_cast<std::uint16_t>(1024 + below(1000)));
    return message;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  std::string value() {
    static constexpr std::string_view kOthers[] = {"", "a", "1", "x y", "\"q,r\"", "%41b", "192.0.2.9"};
    if (words_.values.empty() || one_in(4)) return std::string(kOthers[below(std::size(kOthers))]);
    return words_.values[below(words_.values.size())];
  }
  std::string values() { return one_in(3) ? value() + ", " + value() : value(); }
  std::string path() {
    const std::string text = value();
    if (text.starts_with("http")) return text;
    return text.starts_with("/") ? text : "/" + text;
  }
  void parameter(std::string& target, const std::string& name) {
    if (!one_in(2)) return;
    target += (target.find('?') == std::string::npos ? "?" : "&") + name + "=" + value();
  }

  const ProgramWords& words_;
  std::mt19937 random_{20};
};

}  // namespace

ProgramWords words_of(abi::ImageView program) { return WordReader(program).read(); }

std::vector<MadeMessage> make_messages(const ProgramWords& words, std::size_t count) {
  std::vector<MadeMessage> messages(2);
  for (MadeMessage& message : messages) message.source = SocketAddress::ip(*IpAddress::parse("192.0.2.1"), 40000);
  messages[1].target = "/a/b.html?q=1&x=2";
  messages[1].request_fields = {{"Host", "www.example.com"}, {"User-Agent", "browser/1"}, {"Cookie", "a=1; b=2"}};
  messages[1].response_fields = {{"Server", "origin"}, {"Content-Type", "text/html"}, {"Set-Cookie", "a=1"}};
  MessageMaker maker(words);
  while (messages.size() < count) messages.push_back(maker.make());
  return messages;
}

}  // namespace hawser::test
