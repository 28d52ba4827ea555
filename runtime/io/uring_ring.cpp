// The ring on io_uring: completions point to their Operation, receives are multishot into a ring of provided
// buffers, and a turn in the steady state is one system call that submits and waits.
//
// The kernel may finish a multishot operation when its completion queue overflows although nothing went wrong; such an
// operation is started again here, so that its owner sees only the ends that ring.h names. Kernel baseline: 6.1.
#include "runtime/io/uring_ring.h"

#include <liburing.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <climits>
#include <utility>
#include <vector>

#include "runtime/base/check.h"
#include "runtime/io/buffer_pool.h"
#include "runtime/io/operation_kind.h"

namespace hawser::io {

namespace {

constexpr int kBufferGroup = 0;
constexpr std::uint32_t kBufferRingEntriesMax = 2048;  // 32 KiB of pinned memory
constexpr std::uint32_t kProvidedAtFirst = 16;
constexpr std::uint64_t kIgnored = 0;  // user_data of what nobody waits for
constexpr std::uint64_t kWoken = 1;    // of the read of the eventfd
static_assert(alignof(Operation) > kWoken, "user_data below this is no Operation");

class UringRing final : public Ring {
 public:
  explicit UringRing(const RingOptions& options)
      : pool_(options.buffer_bytes, options.buffers, std::min(options.buffers_max, 65536u)) {}
  ~UringRing() override;
  Status open(const RingOptions& options);

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
  std::string_view name() const noexcept override { return "io_uring"; }

 private:
  Status open_queues(const RingOptions& options);
  Status open_buffers();
  io_uring_sqe& next_entry() noexcept;
  void submit() noexcept;
  void wait(int timeout_ms) noexcept;
  void submit_accept(Operation& operation) noexcept;
  void submit_receive(Operation& operation) noexcept;
  void submit_send(Operation& operation) noexcept;
  void submit_wake_read() noexcept;
  void deliver(std::uint64_t user_data, int result, std::uint32_t flags) noexcept;
  void on_receive(Operation& operation, int result, std::uint32_t flags) noexcept;
  void on_accept(Operation& operation, int result, std::uint32_t flags) noexcept;
  void on_send(Operation& operation, int result) noexcept;
  void finish_operation(Operation& operation, int result) noexcept;
  void provide(std::uint32_t id) noexcept;
  void refill() noexcept;
  bool provide_more() noexcept;

  io_uring ring_{};
  bool queues_open_ = false;
  RingCounters counters_;

  // Provided buffers. The kernel takes them in the order in which it got them, so it holds few, about twice what a turn takes;
  // the others wait in the pool, which hands out the warmest first. (All in the kernel's ring would be used in turn: cold, and
  // resident.)
  BufferPool pool_;
  io_uring_buf_ring* buffer_ring_ = nullptr;
  std::uint32_t buffer_ring_entries_ = 0;
  std::uint32_t provided_ = 0;  // in the kernel's hands
  std::uint32_t provided_wanted_ = kProvidedAtFirst;
  std::uint32_t taken_ = 0;  // by completions of this turn

  // A msghdr for each submission entry: the kernel has read it when the entry may be used again.
  std::vector<msghdr> messages_;

  int wake_event_ = -1;
  std::uint64_t wake_count_ = 0;    // where the kernel stores the eventfd's value
  std::atomic<bool> woken_{false};  // a wake is on its way: further ones need no system call
};

Status UringRing::open_queues(const RingOptions& options) {
  // Completions are many per submission (multishot), so their queue is larger.
  const std::uint32_t entries = std::bit_ceil(std::clamp(options.entries / 4, 8u, 4096u));
  constexpr unsigned kCommon =
      IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER;
  int failure = 0;
  for (const unsigned extra : {unsigned{IORING_SETUP_DEFER_TASKRUN}, unsigned{IORING_SETUP_COOP_TASKRUN}}) {
    io_uring_params params{};
    params.flags = kCommon | extra;
    params.cq_entries = std::bit_ceil(std::max(options.entries * 2, entries * 2));
    failure = io_uring_queue_init_params(entries, &ring_, &params);
    if (failure == 0) {
      queues_open_ = true;
      if ((params.features & IORING_FEAT_EXT_ARG) == 0) return Error{ENOSYS, "io_uring: this kernel's is too old"};
      messages_.resize(ring_.sq.ring_entries);
      io_uring_register_ring_fd(&ring_);  // an improvement only: its failure changes nothing
      return Success{};
    }
    if (failure != -EINVAL) break;
  }
  return Error::from_errno("io_uring_setup", -failure);
}

Status UringRing::open_buffers() {
  buffer_ring_entries_ = std::min(std::bit_ceil(pool_.count_max()), kBufferRingEntriesMax);
  void* memory = mmap(nullptr, buffer_ring_entries_ * sizeof(io_uring_buf), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Error::from_errno("mmap of the buffer ring");
  buffer_ring_ = static_cast<io_uring_buf_ring*>(memory);
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uint64_t>(memory);
  registration.ring_entries = buffer_ring_entries_;
  registration.bgid = kBufferGroup;
  if (const int failure = io_uring_register_buf_ring(&ring_, &registration, 0); failure != 0) {
    return Error::from_errno("io_uring_register_buf_ring", -failure);
  }
  io_uring_buf_ring_init(buffer_ring_);
  if (!pool_.grow()) return Error{ENOMEM, "no memory for receive buffers"};
  refill();
  return Success{};
}

Status UringRing::open(const RingOptions& options) {
  if (Status queues = open_queues(options); !queues) return queues;
  if (Status buffers = open_buffers(); !buffers) return buffers;
  // Blocking: a read of a non-blocking one would not wait inside of io_uring.
  wake_event_ = eventfd(0, EFD_CLOEXEC);
  if (wake_event_ < 0) return Error::from_errno("eventfd");
  submit_wake_read();
  // Some profiles allow io_uring_setup but not io_uring_enter: find out here, while epoll can still take over.
  if (const int submitted = io_uring_submit(&ring_); submitted < 1) {
    return Error::from_errno("io_uring_enter", submitted < 0 ? -submitted : EIO);
  }
  return Success{};
}

UringRing::~UringRing() {
  if (queues_open_) {
    io_uring_submit(&ring_);  // closes that were asked for
    io_uring_queue_exit(&ring_);
  }
  if (buffer_ring_ != nullptr) munmap(buffer_ring_, buffer_ring_entries_ * sizeof(io_uring_buf));
  if (wake_event_ >= 0) ::close(wake_event_);
}

// ---- submission ------------------------------------------------------------------------------------

void UringRing::submit() noexcept {
  for (int tries = 0;; ++tries) {
    ++counters_.enters;
    const int submitted = io_uring_submit(&ring_);
    if (submitted >= 0) return;
    HAWSER_CHECK(submitted == -EINTR || submitted == -EAGAIN || submitted == -EBUSY);
    HAWSER_CHECK(tries < 1000);
    if (submitted != -EINTR) io_uring_get_events(&ring_);  // let the kernel move overflown completions over
  }
}

io_uring_sqe& UringRing::next_entry() noexcept {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  while (entry == nullptr) {
    submit();
    entry = io_uring_get_sqe(&ring_);
  }
  ++counters_.submissions;
  return *entry;
}

void UringRing::accept(Operation& operation, Descriptor listener) noexcept {
  begin(operation, OperationKind::accept, listener);
  submit_accept(operation);
}

void UringRing::submit_accept(Operation& operation) noexcept {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_multishot_accept(&entry, operation.ring.descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  io_uring_sqe_set_data(&entry, &operation);
}

void UringRing::receive(Operation& operation, Descriptor descriptor) noexcept {
  begin(operation, OperationKind::receive, descriptor);
  submit_receive(operation);
}

void UringRing::submit_receive(Operation& operation) noexcept {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_recv_multishot(&entry, operation.ring.descriptor, nullptr, 0, 0);
  entry.flags |= IOSQE_BUFFER_SELECT;
  entry.buf_group = kBufferGroup;
  io_uring_sqe_set_data(&entry, &operation);
}

void UringRing::send(Operation& operation, Descriptor descriptor, std::span<const iovec> vectors,
                     bool more_follows) noexcept {
  begin(operation, OperationKind::send, descriptor);
  operation.ring.vectors = vectors.data();
  operation.ring.vector_count = static_cast<std::uint32_t>(vectors.size());
  operation.ring.slot = MSG_NOSIGNAL | MSG_WAITALL | (more_follows ? MSG_MORE : 0);
  submit_send(operation);
}

// Sends what is left of the operation's bytes: `vector_at` names the first vector that is not sent in full, and `done`
// counts what is sent of that one while a send goes on (on_send adds the sum up).
void UringRing::submit_send(Operation& operation) noexcept {
  Operation::Private& state = operation.ring;
  io_uring_sqe& entry = next_entry();
  const std::uint32_t left = state.vector_count - state.vector_at;
  if (left <= 1 || state.done > 0) {
    const iovec first = left == 0 ? iovec{} : state.vectors[state.vector_at];
    // Only the rest of this vector: the vectors are the caller's, and not ours to change.
    io_uring_prep_send(&entry, state.descriptor, static_cast<char*>(first.iov_base) + state.done,
                       first.iov_len - state.done, static_cast<int>(state.slot | (left > 1 ? MSG_MORE : 0)));
  } else {
    msghdr& message = messages_[static_cast<std::size_t>(&entry - ring_.sq.sqes)];
    message = {};
    message.msg_iov = const_cast<iovec*>(state.vectors + state.vector_at);
    message.msg_iovlen = std::min<std::uint32_t>(left, IOV_MAX);
    io_uring_prep_sendmsg(&entry, state.descriptor, &message, state.slot);
  }
  io_uring_sqe_set_data(&entry, &operation);
}

void UringRing::connect(Operation& operation, Descriptor descriptor, const SocketAddress& address) noexcept {
  begin(operation, OperationKind::connect, descriptor);
  io_uring_sqe& entry = next_entry();
  io_uring_prep_connect(&entry, descriptor, &address.any, address.size);
  io_uring_sqe_set_data(&entry, &operation);
}

void UringRing::poll_readable(Operation& operation, Descriptor descriptor) noexcept {
  begin(operation, OperationKind::poll, descriptor);
  io_uring_sqe& entry = next_entry();
  io_uring_prep_poll_add(&entry, descriptor, POLLIN | POLLRDHUP);
  io_uring_sqe_set_data(&entry, &operation);
}

void UringRing::cancel(Operation& operation) noexcept {
  if (!operation.in_flight || operation.ring.cancelled) return;
  operation.ring.cancelled = true;
  // Behind the operation's own entry, and before any entry of another operation that may get its address later.
  io_uring_sqe& entry = next_entry();
  io_uring_prep_cancel(&entry, &operation, 0);
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(&entry, kIgnored);
}

void UringRing::close(Descriptor descriptor) noexcept {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_close(&entry, descriptor);
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  io_uring_sqe_set_data64(&entry, kIgnored);
}

void UringRing::submit_wake_read() noexcept {
  io_uring_sqe& entry = next_entry();
  io_uring_prep_read(&entry, wake_event_, &wake_count_, sizeof wake_count_, 0);
  io_uring_sqe_set_data64(&entry, kWoken);
}

void UringRing::wake() noexcept {
  if (woken_.exchange(true, std::memory_order_acq_rel)) return;
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_event_, &one, sizeof one);
  errno = saved;
}

// ---- buffers ---------------------------------------------------------------------------------------

void UringRing::provide(std::uint32_t id) noexcept {
  io_uring_buf_ring_add(buffer_ring_, pool_.data(id), pool_.buffer_bytes(), static_cast<unsigned short>(id),
                        io_uring_buf_ring_mask(buffer_ring_entries_), 0);
  io_uring_buf_ring_advance(buffer_ring_, 1);
  ++provided_;
}

void UringRing::refill() noexcept {
  while (provided_ < provided_wanted_ && pool_.free_count() > 0) provide(pool_.take());
}

void UringRing::release(const Buffer& buffer) noexcept {
  HAWSER_DCHECK(buffer.id < pool_.count());
  HAWSER_DCHECK(provided_ + pool_.free_count() < pool_.count());
  pool_.hide(buffer.id);
  pool_.put(buffer.id);  // turn() provides it again
}

// The kernel found no buffer: provides more of them, from a larger pool if need be. False when there are none.
bool UringRing::provide_more() noexcept {
  ++counters_.buffers_exhausted;
  if (provided_ == 0) provided_wanted_ = std::min(provided_wanted_ * 2, buffer_ring_entries_);
  if (provided_ == 0 && pool_.free_count() == 0) pool_.grow();
  refill();
  return provided_ > 0;
}

// ---- completions -----------------------------------------------------------------------------------

void UringRing::finish_operation(Operation& operation, int result) noexcept {
  operation.in_flight = false;
  operation.complete(operation, Completion{.result = result, .more = false, .buffer = {}});
}

void UringRing::on_receive(Operation& operation, int result, std::uint32_t flags) noexcept {
  Completion completion;
  if ((flags & IORING_CQE_F_BUFFER) != 0) {
    const std::uint32_t id = flags >> IORING_CQE_BUFFER_SHIFT;
    HAWSER_CHECK(id < pool_.count());
    --provided_;
    ++taken_;
    if (result > 0) {
      pool_.show(id);
      completion.buffer = {pool_.data(id), static_cast<std::uint32_t>(result), id};
    } else {
      pool_.put(id);
    }
  }
  if (result == -ENOBUFS) {
    if (operation.ring.cancelled) return finish_operation(operation, -ECANCELED);
    if (provide_more()) return submit_receive(operation);
  }
  completion.result = result;
  completion.more = (flags & IORING_CQE_F_MORE) != 0;
  if (!completion.more && result > 0 && !operation.ring.cancelled) {
    submit_receive(operation);
    completion.more = true;
  }
  operation.in_flight = completion.more;
  operation.complete(operation, completion);
}

void UringRing::on_accept(Operation& operation, int result, std::uint32_t flags) noexcept {
  Completion completion{.result = result, .more = (flags & IORING_CQE_F_MORE) != 0, .buffer = {}};
  if (!completion.more && !operation.ring.cancelled && (result >= 0 || result == -ECONNABORTED || result == -EINTR)) {
    submit_accept(operation);
    completion.more = true;
  }
  if (result < 0 && completion.more) return;  // a client that went before it was accepted
  operation.in_flight = completion.more;
  operation.complete(operation, completion);
}

void UringRing::on_send(Operation& operation, int result) noexcept {
  Operation::Private& state = operation.ring;
  if (result < 0) {
    if ((result == -EINTR || result == -EAGAIN) && !state.cancelled) return submit_send(operation);
    return finish_operation(operation, result);
  }
  state.done += static_cast<std::size_t>(result);
  while (state.vector_at < state.vector_count && state.done >= state.vectors[state.vector_at].iov_len) {
    state.done -= state.vectors[state.vector_at].iov_len;
    ++state.vector_at;
  }
  if (state.vector_at < state.vector_count) {
    if (state.cancelled) return finish_operation(operation, -ECANCELED);
    if (result == 0) return finish_operation(operation, -EPIPE);  // no progress: never seen, and no reason to spin
    return submit_send(operation);
  }
  std::size_t sum = 0;
  for (std::uint32_t i = 0; i < state.vector_count; ++i) sum += state.vectors[i].iov_len;
  finish_operation(operation, static_cast<int>(sum));
}

void UringRing::deliver(std::uint64_t user_data, int result, std::uint32_t flags) noexcept {
  if (user_data == kIgnored) return;
  if (user_data == kWoken) {
    woken_.store(false, std::memory_order_release);
    return submit_wake_read();
  }
  Operation& operation = *reinterpret_cast<Operation*>(user_data);
  switch (kind_of(operation)) {
    case OperationKind::accept: return on_accept(operation, result, flags);
    case OperationKind::receive: return on_receive(operation, result, flags);
    case OperationKind::send: return on_send(operation, result);
    case OperationKind::connect: return finish_operation(operation, result);
    case OperationKind::poll: return finish_operation(operation, std::min(result, 0));
    case OperationKind::none: break;
  }
  HAWSER_CHECK(false);
}

void UringRing::wait(int timeout_ms) noexcept {
  ++counters_.enters;
  int result = 0;
  if (timeout_ms == 0) {
    result = io_uring_submit_and_get_events(&ring_);
  } else if (timeout_ms < 0) {
    result = io_uring_submit_and_wait(&ring_, 1);
  } else {
    __kernel_timespec timeout{timeout_ms / 1000, static_cast<long long>(timeout_ms % 1000) * 1'000'000};
    io_uring_cqe* first = nullptr;
    result = io_uring_submit_and_wait_timeout(&ring_, &first, 1, &timeout, nullptr);
  }
  HAWSER_CHECK(result >= 0 || result == -ETIME || result == -EINTR || result == -EAGAIN || result == -EBUSY);
}

void UringRing::turn(int timeout_ms) noexcept {
  ++counters_.turns;
  wait(timeout_ms);
  // Only what is there now: handlers may submit, and what completes by that is for the next turn.
  std::uint32_t head = *ring_.cq.khead;
  const std::uint32_t tail = io_uring_smp_load_acquire(ring_.cq.ktail);
  counters_.completions += tail - head;
  while (head != tail) {
    const io_uring_cqe entry = ring_.cq.cqes[head & ring_.cq.ring_mask];
    ++head;
    io_uring_smp_store_release(ring_.cq.khead, head);
    deliver(entry.user_data, entry.res, entry.flags);
  }
  if (taken_ * 2 > provided_wanted_) provided_wanted_ = std::min(provided_wanted_ * 2, buffer_ring_entries_);
  taken_ = 0;
  refill();
}

}  // namespace

Result<std::unique_ptr<Ring>> make_uring_ring(const RingOptions& options) {
  auto ring = std::make_unique<UringRing>(options);
  if (Status opened = ring->open(options); !opened) return opened.error();
  return std::unique_ptr<Ring>(std::move(ring));
}

}  // namespace hawser::io
