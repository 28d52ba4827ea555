// `word` and `field`: parts of a text between delimiters.
//
// Both count from 1, negative indexes from the end. With a count, that many parts and what stands between them are
// given; 0 means all that are left. When there are fewer, the result reaches to the end of the text, or to its beginning for a
// negative index. Fields may be empty, words may not: a run of delimiters parts two words once. A field that is not
// there is absent, a word that is not there is "" (haproxy 2.6, measured).
#include "runtime/kernels/converters.h"

namespace hawser::kernels {
namespace {

using abi::Sample;

struct Selection {
  std::string_view text;
  std::string_view delimiters;
  std::int64_t index;  // not 0
  std::int64_t count;  // 0: all

  Selection(const Sample& sample, const Sample* arguments) noexcept
      : text(sample.view()),
        delimiters(arguments[1].is_absent() ? std::string_view() : arguments[1].view()),
        index(arguments[0].integer),
        count(arguments[2].is_absent() ? 1 : arguments[2].integer) {}

  bool delimiter(std::size_t at) const noexcept { return delimiters.find(text[at]) != std::string_view::npos; }
};

bool field_forward(const Selection& s, std::string_view& part) noexcept {
  std::size_t begin = 0;
  std::int64_t number = 1;
  for (std::size_t at = 0; at < s.text.size(); ++at) {
    if (!s.delimiter(at)) continue;
    if (s.count != 0 && number >= s.index && number - s.index + 1 == s.count) {
      part = s.text.substr(begin, at - begin);
      return true;
    }
    if (++number == s.index) begin = at + 1;
  }
  if (number < s.index) return false;
  part = s.text.substr(begin);
  return true;
}

bool field_backward(const Selection& s, std::string_view& part) noexcept {
  std::size_t end = s.text.size();
  std::int64_t number = -1;
  for (std::size_t at = s.text.size(); at-- > 0;) {
    if (!s.delimiter(at)) continue;
    if (s.count != 0 && number <= s.index && s.index - number + 1 == s.count) {
      part = s.text.substr(at + 1, end - at - 1);
      return true;
    }
    if (--number == s.index) end = at;
  }
  if (number > s.index) return false;
  part = s.text.substr(0, end);
  return true;
}

std::string_view word_forward(const Selection& s) noexcept {
  std::int64_t number = 0;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t at = 0; at < s.text.size(); ++at) {
    if (s.delimiter(at)) {
      if (inside && s.count != 0 && number >= s.index && number - s.index + 1 == s.count)
        return s.text.substr(begin, at - begin);
      inside = false;
    } else if (!inside) {
      inside = true;
      if (++number == s.index) begin = at;
    }
  }
  return number < s.index ? std::string_view() : s.text.substr(begin);
}

std::string_view word_backward(const Selection& s) noexcept {
  std::int64_t number = 0;
  std::size_t end = 0;
  bool inside = false;
  for (std::size_t at = s.text.size(); at-- > 0;) {
    if (s.delimiter(at)) {
      if (inside && s.count != 0 && number <= s.index && s.index - number + 1 == s.count)
        return s.text.substr(at + 1, end - at - 1);
      inside = false;
    } else if (!inside) {
      inside = true;
      if (--number == s.index) end = at + 1;
    }
  }
  return number > s.index ? std::string_view() : s.text.substr(0, end);
}

}  // namespace

bool convert_field(Sample& sample, const Sample* arguments, Arena&) noexcept {
  const Selection selection(sample, arguments);
  std::string_view part;
  if (selection.index == 0) return false;
  const bool found = selection.index > 0 ? field_forward(selection, part) : field_backward(selection, part);
  if (!found) return false;
  sample = Sample::text(part);
  return true;
}

bool convert_word(Sample& sample, const Sample* arguments, Arena&) noexcept {
  const Selection selection(sample, arguments);
  if (selection.index == 0) return false;
  sample = Sample::text(selection.index > 0 ? word_forward(selection) : word_backward(selection));
  return true;
}

}  // namespace hawser::kernels
