// The two byte streams of one connection (contract 6): raw TCP or UNIX sockets; later layers (TLS, the PROXY
// protocol) stand here too. Nothing above sees a descriptor or a buffer of the ring.
//
//   input: filled by a multishot receive while wanted; past its bound the receive is cancelled (back-pressure)
//   output: slices queue; flush() sends them, up to kBatchSlices at a time, in one system call of the ring
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/address.h"
#include "runtime/io/ring.h"
#include "runtime/proxy/slice.h"

namespace hawser::proxy {

struct Core;

// What a send in flight needs until its completion. Pooled: an idle connection has none.
struct SendBatch {
  static constexpr std::size_t kSlices = 16;
  iovec vectors[kSlices];
  Slice slices[kSlices];
  std::size_t count = 0;
  SendBatch* next_free = nullptr;
};

class Transport {
 public:
  // Who is told. The calls come from the ring's turn, never from inside a call to the transport.
  class Owner {
   public:
    virtual void on_received() noexcept = 0;            // the input grew, ended, or failed
    virtual void on_sent() noexcept = 0;                // the output is empty, or failed
    virtual void on_connected(int error) noexcept = 0;  // 0 or an errno

   protected:
    ~Owner() = default;
  };

  Transport(Core& core, Owner& owner) noexcept;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Begins with a connected socket, or with one to be connected; `address` lives until on_connected.
  void adopt(io::Descriptor descriptor) noexcept;
  void connect(io::Descriptor descriptor, const SocketAddress& address) noexcept;

  // Input.
  void receive() noexcept;  // wanted from now on
  void pause() noexcept;    // not wanted; what was in flight still arrives
  SliceQueue& input() noexcept { return input_; }
  // A peer that sends byte by byte must not hold a buffer for each: so many slices count as full.
  static constexpr std::size_t kSlicesMax = 64;
  // Pauses or resumes by how full the input is; called by who consumes or leaves it.
  void balance(std::size_t bytes_max) noexcept;
  bool input_ended() const noexcept { return ended_; }       // the peer will send no more
  int input_error() const noexcept { return input_error_; }  // why, when it was not an orderly end

  // Output.
  void queue(Slice slice) { output_.push(std::move(slice)); }
  void flush() noexcept;
  bool output_full(std::size_t bytes_max) const noexcept {
    return unsent() >= bytes_max || output_.count() >= kSlicesMax;
  }
  std::size_t unsent() const noexcept { return output_.bytes() + sending_bytes_; }
  int output_error() const noexcept { return output_error_; }
  // Tells the peer that no more will come, once everything queued is sent.
  void finish_output() noexcept;
  bool output_finished() const noexcept { return finishing_; }

  // Cancels what is in flight and closes. gone() once nothing of it is left.
  void close() noexcept;
  bool gone() const noexcept { return descriptor_ < 0 && !receive_.in_flight && !send_.in_flight; }
  // Makes close() reset the connection instead of ending it in order.
  void reset_on_close() noexcept;
  // Makes close() tell the peer nothing. What is still to be sent is not.
  void drop_on_close() noexcept;

  SocketAddress local_address() const noexcept;
  SocketAddress peer_address() const noexcept;

  // As new; only when gone().
  void recycle() noexcept;

 private:
  struct Operation : io::Operation {
    Operation(Transport& transport, io::Operation::Complete complete) noexcept
        : io::Operation(complete), transport(transport) {}
    Transport& transport;
  };
  static void received(io::Operation& operation, const io::Completion& completion) noexcept;
  static void sent(io::Operation& operation, const io::Completion& completion) noexcept;
  void on_receive(const io::Completion& completion) noexcept;
  void on_send(const io::Completion& completion) noexcept;
  void start_send() noexcept;
  void close_when_quiet() noexcept;
  friend struct Core;  // restarts a receive that found the pool empty
  void restart_receive() noexcept;

  Core& core_;
  Owner& owner_;
  io::Descriptor descriptor_ = -1;
  bool wanted_ = false;
  bool starved_ = false;
  bool ended_ = false;
  bool connecting_ = false;
  bool finishing_ = false;
  bool closing_ = false;
  int input_error_ = 0;
  int output_error_ = 0;
  Operation receive_;
  Operation send_;  // connects first
  SliceQueue input_;
  SliceQueue output_;
  SendBatch* batch_ = nullptr;
  std::size_t sending_bytes_ = 0;
  Transport* next_starved_ = nullptr;
};

}  // namespace hawser::proxy
