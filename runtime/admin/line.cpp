#include "runtime/admin/line.h"

namespace hawser::admin {
namespace {

bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t' || byte == '\r'; }

}  // namespace

std::vector<Command> split_line(std::string_view line, std::string& tag) {
  // What stands behind a NUL does not count: haproxy reads lines as C strings.
  line = line.substr(0, line.find('\0'));
  std::vector<Command> commands(1);
  std::string word;
  bool in_word = false;
  bool escaped = false;  // the word had an escape: it announces no payload
  bool payload = false;
  const auto end_word = [&] {
    if (!in_word) return;
    if (!escaped && word.starts_with("<<") && word.size() - 2 <= kTagBytesMax) {
      payload = true;
      tag = word.substr(2);
    } else if (commands.back().words.size() < kWordsMax) {
      payload = false;  // only the last word of a line announces one
      commands.back().words.push_back(word);
    }
    word.clear();
    in_word = escaped = false;
  };
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char byte = line[at];
    if (byte == '\\' && at + 1 < line.size()) {
      word += line[++at];
      in_word = escaped = true;
    } else if (byte == ';') {
      end_word();
      payload = false;
      commands.emplace_back();
    } else if (is_blank(byte)) {
      end_word();
    } else {
      word += byte;
      in_word = true;
    }
  }
  end_word();
  commands.back().has_payload = payload;
  if (!payload) tag.clear();
  return commands;
}

LineReader::State LineReader::next(Command& command, bool& ends_line) {
  if (in_payload_) {
    const State state = read_payload();
    if (state != State::command) return state;
  }
  while (queued_ == queue_.size()) {
    const State state = read_line();
    if (state != State::command) return state;
    if (queue_.back().has_payload) {
      in_payload_ = true;
      payload_at_ = taken_;
      const State payload = read_payload();
      if (payload != State::command) return payload;
    }
  }
  command = std::move(queue_[queued_++]);
  ends_line = queued_ == queue_.size();
  return State::command;
}

LineReader::State LineReader::read_line() {
  const std::size_t end = pending_.find('\n', taken_);
  const std::size_t size = (end == std::string::npos ? pending_.size() : end) - taken_;
  if (size >= kLineBytesMax) return State::too_long;
  if (end == std::string::npos) {
    compact();
    return State::waiting;
  }
  queue_ = split_line(std::string_view(pending_).substr(taken_, size), tag_);
  queued_ = 0;
  taken_ = end + 1;
  return State::command;
}

LineReader::State LineReader::read_payload() {
  for (;;) {
    const std::size_t at = payload_at_;
    const std::size_t end = pending_.find('\n', at);
    if (end == std::string::npos) {
      return pending_.size() - taken_ > kPayloadBytesMax ? State::too_long : State::waiting;
    }
    std::string_view line(pending_.data() + at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line == tag_) {
      if (at - taken_ > kPayloadBytesMax) return State::too_long;
      queue_.back().payload = pending_.substr(taken_, at - taken_);
      taken_ = end + 1;
      in_payload_ = false;
      return State::command;
    }
    payload_at_ = end + 1;
  }
}

void LineReader::compact() {
  pending_.erase(0, taken_);
  taken_ = 0;
}

}  // namespace hawser::admin
