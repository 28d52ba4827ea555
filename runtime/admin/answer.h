// The answer to one command, made piece by piece, so that a long one neither fills the memory nor holds up the loop.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/admin/facts.h"
#include "runtime/admin/line.h"

namespace hawser::admin {

class Answer {
 public:
  virtual ~Answer() = default;
  // Appends the next piece, a few kilobytes; true when that was the last one.
  virtual bool append(std::string& out) = 0;
};

// A short answer: everything at once.
std::unique_ptr<Answer> answer_text(std::string text);
std::unique_ptr<Answer> answer_info(const Subject& subject, const Command& command);
std::unique_ptr<Answer> answer_stat(const Subject& subject, const Command& command);

// What a client may do and wants, from command to command.
struct Session {
  abi::AccessLevel level = abi::AccessLevel::oper;
  bool prompt = false;  // keep the connection, and prompt
  bool quit = false;
  std::uint32_t timeout_ms = 0;   // without a byte in either direction, set by the client; 0: that of the socket
  int connection = -1;            // for descriptors that are sent over it
  bool expose_listeners = false;  // whether those may be the listeners
};

// Finds the command and begins its answer.
std::unique_ptr<Answer> execute(const Subject& subject, const Command& command, Session& session);

}  // namespace hawser::admin
