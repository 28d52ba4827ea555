// A worker's ring in the simulator: the promises of ring.h, kept as unkindly as they allow.
//
// Operations begin at the next turn (or sooner, when the queue of `entries` is full), go on in any order between each other, are
// held back, cut short and out of buffers by chance, and a cancelled one may still have a result. A misuse stops the program:
// an operation that is started twice, a close below an operation, a buffer that is released twice.
#pragma once

#include <vector>

#include "runtime/io/buffer_pool.h"
#include "runtime/io/ring.h"
#include "runtime/io/sim_network.h"

namespace hawser::io {

class SimRing final : public Ring {
 public:
  SimRing(Simulation& simulation, const RingOptions& options);
  ~SimRing() override;

  void accept(Operation& operation, Descriptor listener) noexcept override;
  void receive(Operation& operation, Descriptor descriptor) noexcept override;
  void send(Operation& operation, Descriptor descriptor, std::span<const iovec> vectors,
            bool more_follows) noexcept override;
  void connect(Operation& operation, Descriptor descriptor, const SocketAddress& address) noexcept override;
  void poll_readable(Operation& operation, Descriptor descriptor) noexcept override;
  void cancel(Operation& operation) noexcept override;
  void close(Descriptor descriptor) noexcept override;
  void release(const Buffer& buffer) noexcept override;
  void turn(int timeout_ms) noexcept override;
  void wake() noexcept override;
  Descriptor open_stream(int family) noexcept override;
  void finish(Descriptor descriptor) noexcept override;
  void reset_on_close(Descriptor descriptor) noexcept override;
  void drop_on_close(Descriptor descriptor) noexcept override { reset_on_close(descriptor); }
  SocketAddress local_address(Descriptor descriptor) noexcept override;
  SocketAddress peer_address(Descriptor descriptor) noexcept override;
  Now now() noexcept override { return simulation_.now(); }
  const RingCounters& counters() const noexcept override { return counters_; }
  std::string_view name() const noexcept override { return "sim"; }

  // When its last turn wanted to end at the latest; ~0: never.
  std::uint64_t deadline_us() const noexcept { return deadline_us_; }
  // Buffers that are not given back yet.
  std::uint32_t buffers_out() const noexcept;

 private:
  struct Posted {
    Operation* operation;
    Completion completion;
  };
  void start(Operation& operation, Descriptor descriptor, bool reads) noexcept;
  void submit() noexcept;
  void attempt(Operation& operation) noexcept;
  void attempt_accept(Operation& operation) noexcept;
  void attempt_receive(Operation& operation) noexcept;
  void attempt_send(Operation& operation) noexcept;
  void attempt_connect(Operation& operation) noexcept;
  void attempt_poll(Operation& operation) noexcept;
  std::size_t move_bytes(Operation& operation, SimSocket& from) noexcept;
  void post(Operation& operation, const Completion& completion) noexcept;
  void tell(const Posted& posted) noexcept;
  void shuffle_posted() noexcept;

  Simulation& simulation_;
  RingOptions options_;
  RingCounters counters_;
  BufferPool pool_;
  std::vector<bool> buffer_out_;
  std::vector<Operation*> started_;  // not begun
  std::vector<Operation*> active_;   // begun, last completion not posted
  std::vector<Descriptor> closing_;
  std::vector<Posted> posted_;
  std::uint64_t deadline_us_ = ~std::uint64_t{0};
  bool woken_ = false;
};

}  // namespace hawser::io
