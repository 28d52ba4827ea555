// The addresses of `bind`, `server`, `log` and `stats socket`, from a word to values of the model.
#pragma once

#include <optional>
#include <vector>

#include "compiler/keywords/arguments.h"
#include "compiler/keywords/context.h"

namespace hawser::compiler {

// Of `server`: one; the port may be left out, or be relative to the client's. A name is left to be looked up at start.
struct ServerAddress {
  model::Address address;
  bool port_given = true;
  std::int32_t port_offset = 0;
};

// Of `bind`: ports are needed, ranges expanded, names looked up at once. Of `log`: one, for datagrams or a
// descriptor; the port may be left out.
//
// Each reports in `voice` what is wrong with the word, and then returns nothing.
std::optional<std::vector<model::Address>> read_listen_addresses(ReadContext& cx, const Voice& voice,
                                                                 const grammar::Word& word);
std::optional<ServerAddress> read_server_address(ReadContext& cx, const Voice& voice, const grammar::Word& word);
std::optional<model::Address> read_log_address(ReadContext& cx, const Voice& voice, const grammar::Word& word);

}  // namespace hawser::compiler
