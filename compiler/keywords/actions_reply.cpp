// Replies of our own: deny, tarpit and return.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "compiler/keywords/actions.h"
#include "runtime/abi/plan.h"

namespace hawser::compiler {
namespace {

enum class Payload : std::uint8_t { none, error_page, error_file, file, format_file, text, format_text };

struct PayloadRow {
  std::string_view name;
  Payload payload;
  std::string_view argument;  // as messages call it; "": there is none
};
constexpr PayloadRow kPayloads[] = {
    {"default-errorfiles", Payload::error_page, ""},
    {"errorfile", Payload::error_file, "fmt"},
    {"file", Payload::file, "file"},
    {"lf-file", Payload::format_file, "file"},
    {"string", Payload::text, "str"},
    {"lf-string", Payload::format_text, "fmt"},
};

class ReplyReader {
 public:
  ReplyReader(ActionWords& words, abi::ActionId action)
      : words_(words), is_deny_(action != abi::ActionId::return_), is_tarpit_(action == abi::ActionId::tarpit) {}

  // Nothing after a message.
  std::optional<model::Reply> read() {
    const std::size_t first = words_.at;
    reply_.status = is_tarpit_ ? 500 : !is_deny_ ? 200 : words_.in_response() ? 502 : 403;
    reply_.span = words_.action().span;
    while (const grammar::Word* word = words_.next()) {
      bool taken = false;
      if (!read_argument(*word, words_.at == first, taken)) return std::nullopt;
      if (!taken) break;
    }
    // `deny` and `deny deny_status N` alone answer with the error page (haproxy 2.6 does the same).
    const bool is_bare = words_.at == first || (by_deny_status_ && words_.at == first + 2);
    if (is_deny_ && is_bare && (words_.next() == nullptr || words_.next_is_condition())) payload_ = Payload::error_page;
    if (!check() || !read_fields()) return std::nullopt;
    return std::move(reply_);
  }

 private:
  bool read_argument(const grammar::Word& word, bool is_first, bool& taken) {
    taken = true;
    if (word.text == "status" || (is_deny_ && is_first && word.text == "deny_status")) {
      by_deny_status_ = word.text == "deny_status";
      return read_status(word);
    }
    if (word.text == "content-type") {
      content_type_ = argument(word, "<ctype>");
      return content_type_ != nullptr;
    }
    if (word.text == "hdr") return read_field(word);
    for (const PayloadRow& row : kPayloads) {
      if (row.name == word.text) return read_payload(word, row);
    }
    if (word.text == "errorfiles") {
      const grammar::Word* const name = argument(word, "<name>");
      if (name != nullptr) words_.not_supported(word.span, "'errorfiles' of a reply");
      return false;
    }
    taken = false;
    return true;
  }

  const grammar::Word* argument(const grammar::Word& option, std::string_view what) {
    ++words_.at;
    const grammar::Word* const word = words_.next();
    if (word == nullptr) {
      const std::string_view name = option.text == "deny_status" ? "status" : std::string_view(option.text);
      words_.refuse(option.span, fmt::format("'{}' expects {} as argument", name, what));
    } else {
      ++words_.at;
    }
    return word;
  }

  bool read_status(const grammar::Word& option) {
    const grammar::Word* const word = argument(option, "<status_code>");
    if (word == nullptr) return false;
    const std::int64_t status = read_loose_integer(word->text).value;
    if (status < 200 || status > 599) {
      return words_.refuse(word->span, fmt::format("Unexpected status code '{}'", status)), false;
    }
    reply_.status = static_cast<std::uint16_t>(status);
    status_span_ = word->span;
    return true;
  }

  bool read_field(const grammar::Word& option) {
    ++words_.at;
    const grammar::Word* const name = words_.next();
    const grammar::Word* const value = name != nullptr ? words_.word(words_.at + 1) : nullptr;
    if (value == nullptr) {
      return words_.refuse(option.span, "'hdr' expects <name> and <value> as arguments"), false;
    }
    fields_.emplace_back(name, value);
    words_.at += 2;
    return true;
  }

  bool read_payload(const grammar::Word& option, const PayloadRow& row) {
    if (payload_ != Payload::none) {
      words_.refuse(option.span,
                    fmt::format("unexpected '{}' argument, '{}' already defined", option.text, payload_word_->text));
      return false;
    }
    payload_ = row.payload;
    payload_word_ = &option;
    if (row.argument.empty()) return ++words_.at, true;
    const grammar::Word* const word = argument(option, fmt::format("<{}>", row.argument));
    if (word == nullptr) return false;
    if (row.payload == Payload::text || row.payload == Payload::format_text) {
      body_ = *word;
      return true;
    }
    return read_file(*word);
  }

  bool read_file(const grammar::Word& word) {
    auto text = read_whole_file(word.text);
    if (!text) {
      words_.refuse(word.span,
                    fmt::format("error opening file '{}'{}", word.text, payload_ == Payload::error_file ? "." : ""));
      return false;
    }
    const auto& configured = words_.context().config.global.buffer_bytes;
    const std::size_t bytes_max = configured.is_set() ? *configured : 16384;
    if (payload_ == Payload::error_file && !text->empty() && !looks_like_reply(*text)) {
      words_.refuse(word.span, fmt::format("'{}': unable to parse headers (error offset: 0)", word.text));
      return false;
    }
    if (payload_ != Payload::format_file && text->size() > bytes_max) {
      words_.refuse(word.span,
                    fmt::format("file '{}' exceeds the buffer size ({} > {})", word.text, text->size(), bytes_max));
      return false;
    }
    body_ = built_in_word(*text, word.span);
    return true;
  }

  // The reply's head is read again where the file is sent; here, a file that is plainly something else is
  // refused.
  static bool looks_like_reply(std::string_view text) {
    return text.starts_with("HTTP/") &&
           (text.find("\n\n") != std::string_view::npos || text.find("\n\r\n") != std::string_view::npos);
  }

  bool check() {
    switch (payload_) {
      case Payload::none: ignore_content_type("because neither errorfile nor payload defined"); return true;
      case Payload::error_page: return check_error_page();
      case Payload::error_file:
        ignore_for_error_file();
        reply_.raw = true;
        reply_.silent = body_.text.empty();
        reply_.body = body_.text;
        return true;
      case Payload::file:
      case Payload::text:
        if (body_.text.empty()) {
          ignore_content_type("when used with an empty payload");
          return true;
        }
        if (content_type_ == nullptr) return needs_content_type("when non-empty payload is configured");
        reply_.body = body_.text;
        break;
      case Payload::format_file:
      case Payload::format_text:
        if (content_type_ == nullptr) return needs_content_type("with a log-format payload");
        reply_.body_format = resolve_format(words_.context(), body_, words_.where());
        if (!reply_.body_format) return false;
        break;
    }
    if (reply_.status == 204 || reply_.status == 304) {
      words_.refuse(status_span_, fmt::format("No body expected for {} responses", reply_.status));
      return false;
    }
    reply_.content_type = content_type_->text;
    return true;
  }

  bool check_error_page() {
    const auto* const end = std::end(abi::kErrorStatus);
    if (std::find(std::begin(abi::kErrorStatus), end, reply_.status) == end) {
      words_.refuse(
          status_span_,
          fmt::format("status code '{}' not handled by default with 'default-errorfiles' argument.", reply_.status));
      return false;
    }
    ignore_for_error_file();
    reply_.is_error_page = true;
    return true;
  }

  void ignore_for_error_file() {
    ignore_content_type("when used with an erorrfile");
    if (fields_.empty()) return;
    warn(words_.context(), {}, fields_.front().first->span,
         "hdr parameters ignored by the http reply when used with an erorrfile.");
    fields_.clear();
  }

  void ignore_content_type(std::string_view why) {
    if (content_type_ == nullptr) return;
    warn(words_.context(), {}, content_type_->span,
         fmt::format("content-type '{}' ignored by the http reply {}.", content_type_->text, why));
  }

  bool needs_content_type(std::string_view when) {
    words_.refuse(payload_word_->span, fmt::format("a content type must be defined {}", when));
    return false;
  }

  bool read_fields() {
    for (const auto& [name, value] : fields_) {
      auto format = resolve_format(words_.context(), *value, words_.where());
      if (!format) return false;
      reply_.fields.emplace_back(name->text, std::move(*format));
    }
    return true;
  }

  ActionWords& words_;
  bool is_deny_;  // or tarpit, which has the same words
  bool is_tarpit_;
  bool by_deny_status_ = false;
  model::Reply reply_;
  Payload payload_ = Payload::none;
  const grammar::Word* payload_word_ = nullptr;
  grammar::Word body_;
  const grammar::Word* content_type_ = nullptr;
  grammar::Span status_span_;
  std::vector<std::pair<const grammar::Word*, const grammar::Word*>> fields_;
};

}  // namespace

bool read_reply_action(ActionWords& words, model::Rule& rule) {
  auto reply = ReplyReader(words, rule.action).read();
  if (!reply) return false;
  rule.reply = words.context().config.replies.add(std::move(*reply));
  return true;
}

}  // namespace hawser::compiler
