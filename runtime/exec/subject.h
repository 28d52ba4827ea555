// What a Program is run about: the plain facts of a session and of an exchange, which their owners keep current,
// and which fetches, log aliases and actions read and edit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi/plan.h"
#include "runtime/abi/program.h"
#include "runtime/base/address.h"
#include "runtime/base/arena.h"
#include "runtime/http/head.h"
#include "runtime/io/clock.h"
#include "runtime/tables/state.h"

namespace hawser::exec {

// Variables of one scope, by name. Few: a linear search over hashes is the fastest.
class Variables {
 public:
  // Null when it is not set.
  const abi::Sample* find(std::string_view name) const noexcept;
  // Copies the bytes of the value and the name into `arena`, which must live as long as this scope. A value that fits
  // takes the place of the one before: setting it again and again takes no more memory.
  void set(std::string_view name, const abi::Sample& value, Arena& arena);
  void unset(std::string_view name) noexcept;
  void clear() noexcept { entries_.clear(); }

 private:
  struct Entry {
    std::uint64_t hash;
    std::string_view name;
    abi::Sample value;
    char* room;  // of the value's bytes, if it has any
    std::uint32_t capacity;
  };
  std::vector<Entry> entries_;
};

// Of one client connection.
struct SessionFacts {
  SocketAddress client;  // source
  SocketAddress local;   // destination
  io::Now accepted;
  std::uint32_t frontend = 0;  // of Installed::proxies
  std::uint32_t listener = 0;  // of Plan::listeners
  std::int64_t handshake_ms = 0;
  Variables variables;  // sess
  Arena arena{512};     // for what lives as long as the session
};

// HAProxy's two characters of a session's end (manual, 8.5) and those of cookies.
struct Termination {
  char who = '-';   // C S P L R I D U K c s
  char when = '-';  // R Q C H D L T
  char cookie_in = '-';
  char cookie_out = '-';
};

// Of one request and its response, or of one TCP session. Times are monotonic microseconds; 0: not reached.
struct ExchangeFacts {
  std::uint64_t number = 0;         // %rt
  std::uint64_t idle_since_us = 0;  // end of the previous exchange, or of the accept and handshakes
  io::Now began;                    // first byte of the request
  std::uint64_t head_read_us = 0;
  std::uint64_t connect_began_us = 0;
  std::uint64_t connected_us = 0;
  std::uint64_t response_head_us = 0;
  std::uint64_t ended_us = 0;
  std::int32_t backend = -1;     // of Installed::proxies; -1: none chosen
  std::int32_t server = -1;      // of that proxy's servers
  std::string_view service;      // "<STATS>"-like name shown instead of the server
  SocketAddress server_address;  // %si %sp
  SocketAddress server_local;    // %bi %bp
  bool reused_connection = false;
  std::uint16_t status = 0;        // sent to the client; 0: none
  std::uint64_t bytes_in = 0;      // from the client
  std::uint64_t bytes_out = 0;     // to the client
  std::uint32_t server_queue = 0;  // how many were before it in the queue
  std::uint32_t backend_queue = 0;
  std::uint32_t retries = 0;
  bool redispatched = false;
  Termination termination;
  // Copies kept for the log when the head is gone.
  std::string_view request_line;
  std::string_view method;
  std::string_view uri;
  std::uint8_t version_minor = 1;
};

// Pointers are null where there is no such thing.
struct Subject {
  const tables::Installed* installed = nullptr;
  SessionFacts* session = nullptr;
  ExchangeFacts* exchange = nullptr;
  http::Head* request = nullptr;
  http::Head* response = nullptr;
  Variables* txn = nullptr;
  Variables* req = nullptr;
  Variables* res = nullptr;
  Arena* arena = nullptr;  // of the exchange
  io::Now now;
  // Where bytes are looked at that nobody has parsed: what has come so far, in one piece.
  bool raw = false;  // TCP mode: there are no heads, whatever `request` and `response` are
  std::string_view request_bytes;
  std::string_view response_bytes;
  // Nothing more is waited for. Else what is not there yet may still come, and is not known (abi::Truth::unknown).
  bool final = true;
};

}  // namespace hawser::exec
