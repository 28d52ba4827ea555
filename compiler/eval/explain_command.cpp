// The command line of `hawser explain`.
#include <charconv>

#include <fmt/format.h>

#include "compiler/eval/explain.h"
#include "grammar/diagnostics.h"

namespace hawser::eval {
namespace {

constexpr std::uint16_t kClientPort = 50000;  // where none is given

// "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80".
std::optional<SocketAddress> parse_socket(std::string_view text, std::optional<std::uint16_t> default_port) {
  if (const auto whole = IpAddress::parse(text)) {
    if (!default_port) return std::nullopt;
    return SocketAddress::ip(*whole, *default_port);
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const auto address = IpAddress::parse(host);
  if (!address) return std::nullopt;
  return SocketAddress::ip(*address, port);
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  Result<ExplainCommand, std::string> parse() {
    while (at_ < words_.size() && wrong_.empty() && !command_.help) word(words_[at_++]);
    if (wrong_.empty() && !command_.help && command_.paths.empty()) {
      wrong_ = "there is no configuration file to read: give one with -f";
    }
    if (!wrong_.empty()) return std::move(wrong_);
    return std::move(command_);
  }

 private:
  void word(const std::string& word) {
    if (word == "-h" || word == "--help") {
      command_.help = true;
    } else if (word == "--json") {
      command_.json = true;
    } else if (word == "-f") {
      if (const std::string* path = value(word)) command_.paths.push_back(*path);
    } else if (word == "-H") {
      if (const std::string* field = value(word)) add_field(*field);
    } else if (word == "--frontend") {
      if (const std::string* name = value(word)) command_.frontend = *name;
    } else if (word == "--src") {
      if (const std::string* text = value(word)) client(*text);
    } else if (word == "--dst") {
      if (const std::string* text = value(word)) local(*text);
    } else if (word == "--response") {
      if (const std::string* text = value(word)) command_.response = *text;
    } else if (word.starts_with('-')) {
      refuse_option(word);
    } else if (!command_.request.empty()) {
      wrong_ =
          fmt::format("'{}': one request is explained at a time, and '{}' was given already", word, command_.request);
    } else {
      request(word);
    }
  }

  const std::string* value(const std::string& option) {
    if (at_ < words_.size()) return &words_[at_++];
    wrong_ = fmt::format("'{}' expects a value", option);
    return nullptr;
  }

  void add_field(const std::string& field) {
    const std::size_t colon = field.find(':');
    if (colon == std::string::npos || colon == 0 || field.find_first_of("\r\n") != std::string::npos) {
      wrong_ = fmt::format("'{}' is no field: -H expects 'Name: value'", field);
      return;
    }
    (command_.response.empty() ? command_.fields : command_.response_fields).push_back(field);
  }

  void client(const std::string& text) {
    command_.client = parse_socket(text, kClientPort);
    if (!command_.client) wrong_ = fmt::format("'{}' is no address: --src expects IP or IP:PORT", text);
  }

  void local(const std::string& text) {
    command_.local = parse_socket(text, std::nullopt);
    if (!command_.local) wrong_ = fmt::format("'{}' is no address with a port: --dst expects IP:PORT", text);
  }

  // "GET /path" and "/path" are completed; a line with a version stays as it is.
  void request(const std::string& text) {
    if (text.empty() || text.find_first_of("\r\n") != std::string::npos) {
      wrong_ = fmt::format("'{}' is no request line: 'GET /path HTTP/1.1' is one", text);
      return;
    }
    const bool has_method = text.find(' ') != std::string::npos;
    const bool has_version = has_method && text.find(" HTTP/") != std::string::npos;
    command_.request = (has_method ? "" : "GET ") + text + (has_version ? "" : " HTTP/1.1");
  }

  void refuse_option(const std::string& word) {
    const std::string_view guess =
        grammar::did_you_mean(word, {"--frontend", "--src", "--dst", "--response", "--json", "--help"});
    wrong_ = fmt::format("'{}' is no option of explain", word);
    if (!guess.empty()) wrong_ += fmt::format(": did you mean '{}'?", guess);
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  ExplainCommand command_;
  std::string wrong_;
};

}  // namespace

Result<ExplainCommand, std::string> parse_explain(const std::vector<std::string>& words) {
  return Parser(words).parse();
}

std::string explain_usage(std::string_view program) {
  return fmt::format(
      "Usage : {} explain -f <cfgfile|cfgdir> [options] ['GET /path HTTP/1.1'] [-H 'Name: value']*\n"
      "        --frontend <name> chooses the frontend ; --dst <ip:port> chooses it by its bind lines\n"
      "        --src <ip[:port]> is the client's address (127.0.0.1)\n"
      "        --response <status> also explains the response's rules ; -H behind it are the response's fields\n"
      "        --json prints the same as data\n",
      program);
}

}  // namespace hawser::eval
