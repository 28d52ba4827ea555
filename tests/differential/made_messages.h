// Requests and responses for a Program, made of the names and values that it compares with, so that its conditions are
// true for some of them and false for others.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/abi/image.h"
#include "runtime/base/address.h"

namespace hawser::test {

struct MadeMessage {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  std::string method = "GET";
  std::string target = "/";
  Fields request_fields;
  std::uint16_t status = 200;
  Fields response_fields;
  SocketAddress source;
};

// The words of a Program: what its patterns look for, and the names among its constants.
struct ProgramWords {
  std::vector<std::string> names;      // of fields, cookies, parameters: any text argument
  std::vector<std::string> values;     // patterns
  std::vector<std::string> variables;  // without their scope
};
ProgramWords words_of(abi::ImageView program);

// The same ones for equal words: the first is bare, the second a plain browser's.
std::vector<MadeMessage> make_messages(const ProgramWords& words, std::size_t count);

}  // namespace hawser::test
