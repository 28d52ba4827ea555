// The ring on epoll. A descriptor is registered once, edge-triggered, for both directions; from then on `Channel`
// remembers what the kernel last said about it, so that a receive after a short one costs one system call.
//
// What completes inside of a starting call (a send that fits the socket's buffer) waits in `done_` for turn().
#include "runtime/io/epoll_ring.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/io/buffer_pool.h"
#include "runtime/io/operation_kind.h"

namespace hawser::io {

namespace {

constexpr int kEventsMax = 256;     // of one epoll_wait
constexpr int kAcceptsPerTry = 64;  // then other operations have their turn
constexpr int kReceivesPerTry = 8;
constexpr int kPassesPerTurn = 4;  // over what became ready or done inside of the turn

// What is known of a descriptor. `reader` receives, accepts or polls; `writer` sends or connects.
struct Channel {
  Operation* reader = nullptr;
  Operation* writer = nullptr;
  bool registered = false;
  bool readable = false;  // a receive may find something
  bool writable = true;
  bool hung_up = false;  // the end of the stream, or an error, waits behind the bytes
};

// Operations in the order of their arrival, linked through Operation::ring.
class OperationList {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return size_; }
  void push(Operation& operation) noexcept {
    ++size_;
    operation.ring.next = nullptr;
    operation.ring.previous = last_;
    (last_ == nullptr ? first_ : last_->ring.next) = &operation;
    last_ = &operation;
  }
  void remove(Operation& operation) noexcept {
    --size_;
    Operation* const next = operation.ring.next;
    Operation* const previous = operation.ring.previous;
    (previous == nullptr ? first_ : previous->ring.next) = next;
    (next == nullptr ? last_ : next->ring.previous) = previous;
    operation.ring.next = operation.ring.previous = nullptr;
  }
  Operation* first() const noexcept { return first_; }

 private:
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  std::size_t size_ = 0;
};

// In which list an operation is, kept in Operation::ring.slot's upper half; the lower half has the flags of a send.
constexpr std::uint32_t kInReady = 1u << 31;
constexpr std::uint32_t kInDone = 1u << 30;
constexpr std::uint32_t kFlags = kInDone - 1;

class EpollRing final : public Ring {
 public:
  explicit EpollRing(const RingOptions& options)
      : pool_(options.buffer_bytes, options.buffers, std::min(options.buffers_max, 65536u)), events_(kEventsMax) {}
  ~EpollRing() override;
  Status open();

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
  const RingCounters& counters() const noexcept override { return counters_; }
  std::string_view name() const noexcept override { return "epoll"; }

 private:
  Channel& channel(Descriptor descriptor) noexcept;
  bool watch(Channel& channel, Descriptor descriptor) noexcept;
  void forget_if_idle(Channel& channel, Descriptor descriptor) noexcept;
  void start_reader(Operation& operation, OperationKind kind, Descriptor descriptor) noexcept;
  void start_writer(Operation& operation, OperationKind kind, Descriptor descriptor) noexcept;

  void ready(Operation& operation) noexcept;
  void done(Operation& operation, int result) noexcept;
  void take_out(Operation& operation) noexcept;
  bool emit(Operation& operation, const Completion& completion) noexcept;

  void attempt(Operation& operation) noexcept;
  void attempt_accept(Operation& operation) noexcept;
  void attempt_receive(Operation& operation) noexcept;
  void attempt_send(Operation& operation) noexcept;
  void finish_connect(Operation& operation) noexcept;

  void wait(int timeout_ms) noexcept;
  void on_event(const epoll_event& event) noexcept;
  void run_ready() noexcept;
  void run_done() noexcept;
  void close_descriptors() noexcept;

  int epoll_ = -1;
  int wake_event_ = -1;
  RingCounters counters_;
  BufferPool pool_;
  std::vector<epoll_event> events_;
  std::vector<Channel> channels_;  // by descriptor
  OperationList ready_;            // to be tried
  OperationList done_;             // to be completed with ring.completion
  std::vector<Descriptor> closing_;
};

Status EpollRing::open() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_ < 0) return Error::from_errno("epoll_create1");
  wake_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_event_ < 0) return Error::from_errno("eventfd");
  // Edge-triggered: each write is an event, and nobody need read the value.
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.fd = wake_event_;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_event_, &event) != 0) return Error::from_errno("epoll_ctl");
  if (!pool_.grow()) return Error{ENOMEM, "no memory for receive buffers"};
  return Success{};
}

EpollRing::~EpollRing() {
  close_descriptors();
  if (wake_event_ >= 0) ::close(wake_event_);
  if (epoll_ >= 0) ::close(epoll_);
}

// Also for signal handlers, which must find errno as they left it.
void EpollRing::wake() noexcept {
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_event_, &one, sizeof one);
  errno = saved;
}

void EpollRing::release(const Buffer& buffer) noexcept {
  HAWSER_DCHECK(buffer.id < pool_.count());
  HAWSER_DCHECK(pool_.free_count() < pool_.count());
  pool_.hide(buffer.id);
  pool_.put(buffer.id);
}

// ---- descriptors -----------------------------------------------------------------------------------

Channel& EpollRing::channel(Descriptor descriptor) noexcept {
  HAWSER_CHECK(descriptor >= 0);
  const std::size_t at = static_cast<std::size_t>(descriptor);
  if (at >= channels_.size()) channels_.resize(std::max<std::size_t>(at + 1, channels_.size() * 2));
  return channels_[at];
}

// Registers the descriptor, unless it is; false with errno set when the kernel refuses. Its present state comes as an event.
bool EpollRing::watch(Channel& channel, Descriptor descriptor) noexcept {
  if (channel.registered) return true;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.fd = descriptor;
  ++counters_.enters;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0 && errno != EEXIST) return false;
  channel.registered = true;
  channel.readable = channel.hung_up = false;
  return true;
}

// A descriptor leaves this ring with the cancellation of its last operation: it may go to another worker.
void EpollRing::forget_if_idle(Channel& channel, Descriptor descriptor) noexcept {
  if (channel.reader != nullptr || channel.writer != nullptr || !channel.registered) return;
  epoll_event event{};
  ++counters_.enters;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, &event);
  channel = {};
}

void EpollRing::close(Descriptor descriptor) noexcept {
  Channel& state = channel(descriptor);
  HAWSER_CHECK(state.reader == nullptr);
  HAWSER_CHECK(state.writer == nullptr);
  closing_.push_back(descriptor);
}

void EpollRing::close_descriptors() noexcept {
  for (const Descriptor descriptor : closing_) {
    channel(descriptor) = {};
    ::close(descriptor);
    ++counters_.enters;
  }
  closing_.clear();
}

// ---- starting --------------------------------------------------------------------------------------

void EpollRing::start_reader(Operation& operation, OperationKind kind, Descriptor descriptor) noexcept {
  begin(operation, kind, descriptor);
  ++counters_.submissions;
  Channel& state = channel(descriptor);
  HAWSER_CHECK(state.reader == nullptr);
  state.reader = &operation;
}

void EpollRing::start_writer(Operation& operation, OperationKind kind, Descriptor descriptor) noexcept {
  begin(operation, kind, descriptor);
  ++counters_.submissions;
  Channel& state = channel(descriptor);
  HAWSER_CHECK(state.writer == nullptr);
  state.writer = &operation;
}

void EpollRing::accept(Operation& operation, Descriptor listener) noexcept {
  start_reader(operation, OperationKind::accept, listener);
  if (!watch(channel(listener), listener)) return done(operation, -errno);
  ready(operation);
}

void EpollRing::receive(Operation& operation, Descriptor descriptor) noexcept {
  start_reader(operation, OperationKind::receive, descriptor);
  Channel& state = channel(descriptor);
  if (!watch(state, descriptor)) return done(operation, -errno);
  if (state.readable || state.hung_up) ready(operation);
}

void EpollRing::poll_readable(Operation& operation, Descriptor descriptor) noexcept {
  start_reader(operation, OperationKind::poll, descriptor);
  Channel& state = channel(descriptor);
  const bool known = state.registered;
  state.readable = false;
  if (!watch(state, descriptor)) return done(operation, errno == EPERM ? 0 : -errno);  // a file can always be read
  if (known) {
    // The owner reads the descriptor itself, perhaps not to its end: ask for its state again.
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.fd = descriptor;
    ++counters_.enters;
    epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event);
  }
}

void EpollRing::send(Operation& operation, Descriptor descriptor, std::span<const iovec> vectors,
                     bool more_follows) noexcept {
  start_writer(operation, OperationKind::send, descriptor);
  operation.ring.vectors = vectors.data();
  operation.ring.vector_count = static_cast<std::uint32_t>(vectors.size());
  operation.ring.slot = MSG_NOSIGNAL | MSG_DONTWAIT | (more_follows ? MSG_MORE : 0);
  attempt_send(operation);
}

void EpollRing::connect(Operation& operation, Descriptor descriptor, const SocketAddress& address) noexcept {
  start_writer(operation, OperationKind::connect, descriptor);
  ++counters_.enters;
  if (::connect(descriptor, &address.any, address.size) == 0) return done(operation, 0);
  if (errno != EINPROGRESS && errno != EINTR) return done(operation, -errno);
  Channel& state = channel(descriptor);
  if (!watch(state, descriptor)) return done(operation, -errno);
  state.writable = false;
}

void EpollRing::cancel(Operation& operation) noexcept {
  if (!operation.in_flight || operation.ring.cancelled) return;
  operation.ring.cancelled = true;
  if ((operation.ring.slot & kInDone) == 0) done(operation, -ECANCELED);
}

// ---- lists -----------------------------------------------------------------------------------------

void EpollRing::take_out(Operation& operation) noexcept {
  if ((operation.ring.slot & kInReady) != 0) ready_.remove(operation);
  if ((operation.ring.slot & kInDone) != 0) done_.remove(operation);
  operation.ring.slot &= kFlags;
}

void EpollRing::ready(Operation& operation) noexcept {
  if ((operation.ring.slot & (kInReady | kInDone)) != 0) return;
  operation.ring.slot |= kInReady;
  ready_.push(operation);
}

void EpollRing::done(Operation& operation, int result) noexcept {
  take_out(operation);
  operation.ring.completion = {.result = result, .more = false, .buffer = {}};
  operation.ring.slot |= kInDone;
  done_.push(operation);
}

// Delivers one of several completions; false when its handler has cancelled the operation.
bool EpollRing::emit(Operation& operation, const Completion& completion) noexcept {
  ++counters_.completions;
  operation.complete(operation, completion);
  return !operation.ring.cancelled;
}

// ---- trying ----------------------------------------------------------------------------------------

void EpollRing::attempt(Operation& operation) noexcept {
  switch (kind_of(operation)) {
    case OperationKind::accept: return attempt_accept(operation);
    case OperationKind::receive: return attempt_receive(operation);
    case OperationKind::send: return attempt_send(operation);
    case OperationKind::connect: return finish_connect(operation);
    case OperationKind::poll: return done(operation, 0);
    case OperationKind::none: break;
  }
  HAWSER_CHECK(false);
}

void EpollRing::attempt_accept(Operation& operation) noexcept {
  for (int i = 0; i < kAcceptsPerTry; ++i) {
    ++counters_.enters;
    const int accepted = accept4(operation.ring.descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0) {
      if (!emit(operation, {.result = accepted, .more = true, .buffer = {}})) return;
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != ECONNABORTED && errno != EINTR) {
      return done(operation, -errno);
    }
  }
  ready(operation);
}

void EpollRing::attempt_receive(Operation& operation) noexcept {
  const Descriptor descriptor = operation.ring.descriptor;
  for (int i = 0; i < kReceivesPerTry; ++i) {
    if (pool_.free_count() == 0 && !pool_.grow()) {
      ++counters_.buffers_exhausted;
      return done(operation, -ENOBUFS);
    }
    const std::uint32_t id = pool_.take();
    pool_.show(id);
    ++counters_.enters;
    const ssize_t received = recv(descriptor, pool_.data(id), pool_.buffer_bytes(), MSG_DONTWAIT);
    if (received <= 0) {
      const int failure = received == 0 ? 0 : errno;
      release({.data = nullptr, .size = 0, .id = id});
      if (failure == EINTR) continue;
      if (failure != EAGAIN) return done(operation, -failure);
      channel(descriptor).readable = false;
      return;
    }
    const std::uint32_t size = static_cast<std::uint32_t>(received);
    const Channel& before = channel(descriptor);
    // A short receive has emptied the socket; what comes later is another event, but an end that was announced is not.
    const bool again = size == pool_.buffer_bytes() || before.hung_up;
    if (!again) channel(descriptor).readable = false;
    if (!emit(operation, {.result = static_cast<int>(size), .more = true, .buffer = {pool_.data(id), size, id}}))
      return;
    if (!again) return;
  }
  ready(operation);
}

void EpollRing::attempt_send(Operation& operation) noexcept {
  Operation::Private& state = operation.ring;
  iovec rest[64];
  for (;;) {
    while (state.vector_at < state.vector_count && state.done >= state.vectors[state.vector_at].iov_len) {
      state.done -= state.vectors[state.vector_at].iov_len;
      ++state.vector_at;
    }
    if (state.vector_at == state.vector_count) {
      std::size_t sum = 0;
      for (std::uint32_t i = 0; i < state.vector_count; ++i) sum += state.vectors[i].iov_len;
      return done(operation, static_cast<int>(sum));
    }
    const std::uint32_t left = state.vector_count - state.vector_at;
    const std::uint32_t count = std::min<std::uint32_t>(left, std::size(rest));
    std::copy_n(state.vectors + state.vector_at, count, rest);
    rest[0].iov_base = static_cast<char*>(rest[0].iov_base) + state.done;
    rest[0].iov_len -= state.done;
    const int flags = static_cast<int>(state.slot & kFlags) | (count < left ? MSG_MORE : 0);
    msghdr message{};
    message.msg_iov = rest;
    message.msg_iovlen = count;
    ++counters_.enters;
    const ssize_t sent = count == 1 ? ::send(state.descriptor, rest[0].iov_base, rest[0].iov_len, flags)
                                    : sendmsg(state.descriptor, &message, flags);
    if (sent >= 0) {
      state.done += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      Channel& known = channel(state.descriptor);
      known.writable = false;
      if (!watch(known, state.descriptor)) done(operation, -errno);
      return;
    } else if (errno != EINTR) {
      return done(operation, -errno);
    }
  }
}

void EpollRing::finish_connect(Operation& operation) noexcept {
  int failure = 0;
  socklen_t size = sizeof failure;
  ++counters_.enters;
  if (getsockopt(operation.ring.descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) != 0) failure = errno;
  done(operation, -failure);
}

// ---- turns -----------------------------------------------------------------------------------------

void EpollRing::on_event(const epoll_event& event) noexcept {
  if (event.data.fd == wake_event_) return;
  Channel& state = channel(event.data.fd);
  if ((event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) state.hung_up = true;
  if ((event.events & EPOLLIN) != 0) state.readable = true;
  if ((event.events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) state.writable = true;
  if (state.reader != nullptr && (state.readable || state.hung_up)) ready(*state.reader);
  if (state.writer != nullptr && state.writable) ready(*state.writer);
}

void EpollRing::wait(int timeout_ms) noexcept {
  ++counters_.enters;
  const int count = epoll_wait(epoll_, events_.data(), kEventsMax, timeout_ms);
  HAWSER_CHECK(count >= 0 || errno == EINTR);
  for (int i = 0; i < count; ++i) on_event(events_[static_cast<std::size_t>(i)]);
}

void EpollRing::run_ready() noexcept {
  for (std::size_t left = ready_.size(); left > 0 && !ready_.empty(); --left) {
    Operation& operation = *ready_.first();
    take_out(operation);
    attempt(operation);
  }
}

// Ends operations. A handler may start its operation again and thereby queue it once more: that is for the next pass.
void EpollRing::run_done() noexcept {
  for (std::size_t left = done_.size(); left > 0 && !done_.empty(); --left) {
    Operation& operation = *done_.first();
    take_out(operation);
    const Descriptor descriptor = operation.ring.descriptor;
    Channel& state = channel(descriptor);
    (state.reader == &operation ? state.reader : state.writer) = nullptr;
    if (operation.ring.cancelled) forget_if_idle(state, descriptor);
    operation.in_flight = false;
    ++counters_.completions;
    operation.complete(operation, Completion(operation.ring.completion));
  }
}

void EpollRing::turn(int timeout_ms) noexcept {
  ++counters_.turns;
  close_descriptors();
  const bool busy = !ready_.empty() || !done_.empty();
  wait(busy ? 0 : timeout_ms);
  run_ready();
  for (int pass = 0; pass < kPassesPerTurn && !done_.empty(); ++pass) run_done();
}

}  // namespace

Result<std::unique_ptr<Ring>> make_epoll_ring(const RingOptions& options) {
  auto ring = std::make_unique<EpollRing>(options);
  if (Status opened = ring->open(); !opened) return opened.error();
  return std::unique_ptr<Ring>(std::move(ring));
}

}  // namespace hawser::io
