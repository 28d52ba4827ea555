#include "runtime/io/sim_ring.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/base/check.h"
#include "runtime/io/operation_kind.h"

namespace hawser::io {

using PieceKind = SimSocket::PieceKind;

namespace {

constexpr std::uint32_t kEndPosted = 1;  // in Operation::ring.slot
constexpr int kReceivesPerTurn = 4;      // of one operation

bool reads(OperationKind kind) {
  return kind == OperationKind::accept || kind == OperationKind::receive || kind == OperationKind::poll;
}

}  // namespace

SimRing::SimRing(Simulation& simulation, const RingOptions& options)
    : simulation_(simulation), options_(options), pool_(options.buffer_bytes, options.buffers, options.buffers_max) {
  HAWSER_CHECK(pool_.grow());
}

SimRing::~SimRing() {
  for (const Descriptor descriptor : closing_) simulation_.close_end(descriptor - Simulation::kFirstDescriptor);
  std::erase(simulation_.rings_, this);
}

// ---- starting --------------------------------------------------------------------------------------

void SimRing::start(Operation& operation, Descriptor descriptor, bool is_reader) noexcept {
  ++counters_.submissions;
  if (descriptor >= Simulation::kFirstDescriptor) {
    SimSocket& socket = simulation_.socket(descriptor);
    Operation*& place = is_reader ? socket.reader : socket.writer;
    HAWSER_CHECK(socket.listening || place == nullptr);  // every worker may accept from a listener
    if (!socket.listening) place = &operation;
  }
  started_.push_back(&operation);
  simulation_.happened_ = true;
  if (started_.size() + closing_.size() >= options_.entries) submit();
}

void SimRing::accept(Operation& operation, Descriptor listener) noexcept {
  begin(operation, OperationKind::accept, listener);
  start(operation, listener, true);
}

void SimRing::receive(Operation& operation, Descriptor descriptor) noexcept {
  begin(operation, OperationKind::receive, descriptor);
  start(operation, descriptor, true);
}

void SimRing::send(Operation& operation, Descriptor descriptor, std::span<const iovec> vectors, bool) noexcept {
  begin(operation, OperationKind::send, descriptor);
  operation.ring.vectors = vectors.data();
  operation.ring.vector_count = static_cast<std::uint32_t>(vectors.size());
  start(operation, descriptor, false);
}

void SimRing::connect(Operation& operation, Descriptor descriptor, const SocketAddress& address) noexcept {
  begin(operation, OperationKind::connect, descriptor);
  operation.ring.address = &address;
  start(operation, descriptor, false);
}

void SimRing::poll_readable(Operation& operation, Descriptor descriptor) noexcept {
  begin(operation, OperationKind::poll, descriptor);
  start(operation, descriptor, true);
}

void SimRing::cancel(Operation& operation) noexcept {
  if (!operation.in_flight) return;
  operation.ring.cancelled = true;
  simulation_.happened_ = true;
}

void SimRing::close(Descriptor descriptor) noexcept {
  const SimSocket& socket = simulation_.socket(descriptor);
  HAWSER_CHECK(socket.reader == nullptr);
  HAWSER_CHECK(socket.writer == nullptr);
  HAWSER_CHECK(std::find(closing_.begin(), closing_.end(), descriptor) == closing_.end());
  closing_.push_back(descriptor);
  simulation_.happened_ = true;
}

void SimRing::release(const Buffer& buffer) noexcept {
  HAWSER_CHECK(buffer.id < buffer_out_.size());
  HAWSER_CHECK(buffer_out_[buffer.id]);
  buffer_out_[buffer.id] = false;
  pool_.hide(buffer.id);
  pool_.put(buffer.id);
}

std::uint32_t SimRing::buffers_out() const noexcept { return pool_.count() - pool_.free_count(); }

void SimRing::submit() noexcept {
  for (Operation* operation : started_) {
    if (kind_of(*operation) == OperationKind::connect) {
      simulation_.start_connect(simulation_.socket(operation->ring.descriptor), *operation->ring.address);
    }
    active_.push_back(operation);
  }
  started_.clear();
  for (const Descriptor descriptor : closing_) simulation_.close_end(descriptor - Simulation::kFirstDescriptor);
  closing_.clear();
}

// ---- the world around ------------------------------------------------------------------------------

Descriptor SimRing::open_stream(int) noexcept {
  if (simulation_.streams_left_ == 0) return -EMFILE;
  --simulation_.streams_left_;
  return Simulation::kFirstDescriptor + simulation_.add_socket();
}

void SimRing::finish(Descriptor descriptor) noexcept {
  SimSocket& socket = simulation_.socket(descriptor);
  if (std::exchange(socket.finished, true)) return;
  if (socket.other >= 0) simulation_.deliver(socket.other, PieceKind::end, {}, 0);
  simulation_.happened_ = true;
}

void SimRing::reset_on_close(Descriptor descriptor) noexcept { simulation_.socket(descriptor).resets = true; }

SocketAddress SimRing::local_address(Descriptor descriptor) noexcept { return simulation_.socket(descriptor).local; }

SocketAddress SimRing::peer_address(Descriptor descriptor) noexcept {
  const SimSocket& socket = simulation_.socket(descriptor);
  return socket.connected ? socket.remote : SocketAddress();
}

void SimRing::wake() noexcept {
  woken_ = true;
  simulation_.happened_ = true;
}

// ---- going on --------------------------------------------------------------------------------------

// Posts a completion; behind the last one nothing more is tried.
void SimRing::post(Operation& operation, const Completion& completion) noexcept {
  simulation_.happened_ = true;
  posted_.push_back({&operation, completion});
  if (completion.more) return;
  operation.ring.slot = kEndPosted;
  std::erase(active_, &operation);
}

// Tells the owner; with the last completion the operation leaves its socket.
void SimRing::tell(const Posted& posted) noexcept {
  Operation& operation = *posted.operation;
  ++counters_.completions;
  operation.in_flight = posted.completion.more;
  if (!posted.completion.more && operation.ring.descriptor >= Simulation::kFirstDescriptor) {
    SimSocket& socket = simulation_.socket(operation.ring.descriptor);
    if (!socket.listening) (reads(kind_of(operation)) ? socket.reader : socket.writer) = nullptr;
  }
  operation.complete(operation, posted.completion);
}

void SimRing::attempt(Operation& operation) noexcept {
  // A cancellation may come too late for what is already there.
  const bool too_late = operation.ring.cancelled && simulation_.chance(300);
  if (!operation.ring.cancelled || too_late) {
    switch (kind_of(operation)) {
      case OperationKind::accept: attempt_accept(operation); break;
      case OperationKind::receive: attempt_receive(operation); break;
      case OperationKind::send: attempt_send(operation); break;
      case OperationKind::connect: attempt_connect(operation); break;
      case OperationKind::poll: attempt_poll(operation); break;
      case OperationKind::none: HAWSER_CHECK(false);
    }
  }
  if (operation.ring.cancelled && operation.ring.slot != kEndPosted) {
    if (kind_of(operation) == OperationKind::connect) simulation_.socket(operation.ring.descriptor).connect_result = 1;
    post(operation, {.result = -ECANCELED, .more = false, .buffer = {}});
  }
}

void SimRing::attempt_accept(Operation& operation) noexcept {
  SimSocket& listener = simulation_.socket(operation.ring.descriptor);
  while (!listener.backlog.empty() && simulation_.passed(listener.backlog.front().first)) {
    const int accepted = listener.backlog.front().second;
    listener.backlog.pop_front();
    post(operation, {.result = Simulation::kFirstDescriptor + accepted, .more = true, .buffer = {}});
  }
}

void SimRing::attempt_receive(Operation& operation) noexcept {
  SimSocket& socket = simulation_.socket(operation.ring.descriptor);
  if (socket.broken) return post(operation, {.result = 0, .more = false, .buffer = {}});
  for (int i = 0; i < kReceivesPerTurn && simulation_.arrived(socket); ++i) {
    SimSocket::Piece& piece = socket.inbox.front();
    if (piece.kind == PieceKind::reset) {
      socket.broken = true;
      socket.peer_gone = true;
      return post(operation, {.result = -ECONNRESET, .more = false, .buffer = {}});
    }
    if (piece.kind == PieceKind::end) {  // stays: a later receive sees it again
      return post(operation, {.result = 0, .more = false, .buffer = {}});
    }
    if (simulation_.chance(simulation_.options_.no_buffers) || (pool_.free_count() == 0 && !pool_.grow())) {
      ++counters_.buffers_exhausted;
      return post(operation, {.result = -ENOBUFS, .more = false, .buffer = {}});
    }
    std::size_t size = std::min<std::size_t>(piece.bytes.size(), pool_.buffer_bytes());
    if (simulation_.chance(simulation_.options_.cut)) size = 1 + simulation_.random_() % size;
    const std::uint32_t id = pool_.take();
    if (id >= buffer_out_.size()) buffer_out_.resize(pool_.count());
    buffer_out_[id] = true;
    pool_.show(id);
    std::memcpy(pool_.data(id), piece.bytes.data(), size);
    socket.inbox_bytes -= size;
    piece.bytes.erase(0, size);
    if (piece.bytes.empty()) socket.inbox.pop_front();
    const std::uint32_t bytes = static_cast<std::uint32_t>(size);
    post(operation, {.result = static_cast<int>(bytes), .more = true, .buffer = {pool_.data(id), bytes, id}});
  }
}

// Moves what fits of the current vector into the far end's inbox; 0 when there is no room.
std::size_t SimRing::move_bytes(Operation& operation, SimSocket& from) noexcept {
  Operation::Private& state = operation.ring;
  const iovec& vector = state.vectors[state.vector_at];
  SimSocket& target = simulation_.sockets_[static_cast<std::size_t>(from.other)];
  const std::size_t room =
      simulation_.options_.socket_bytes - std::min(simulation_.options_.socket_bytes, target.inbox_bytes);
  std::size_t size = std::min(vector.iov_len - state.done, room);
  if (size == 0) return 0;
  if (simulation_.chance(simulation_.options_.cut)) size = 1 + simulation_.random_() % size;
  simulation_.deliver(from.other, PieceKind::bytes, {static_cast<const char*>(vector.iov_base) + state.done, size}, 0);
  state.done += size;
  simulation_.happened_ = true;
  return size;
}

void SimRing::attempt_send(Operation& operation) noexcept {
  Operation::Private& state = operation.ring;
  SimSocket& socket = simulation_.socket(state.descriptor);
  std::size_t sum = 0;
  for (std::uint32_t i = 0; i < state.vector_count; ++i) sum += state.vectors[i].iov_len;
  if (!socket.connected || socket.finished || socket.broken)
    return post(operation, {.result = -EPIPE, .more = false, .buffer = {}});
  if (!socket.inbox.empty() && socket.inbox.back().kind == PieceKind::reset &&
      simulation_.passed(socket.inbox.back().due_us)) {
    return post(operation, {.result = -ECONNRESET, .more = false, .buffer = {}});
  }
  if (socket.peer_gone) {
    // The first bytes that reach a closed socket bring the reset; until then a send knows nothing.
    if (!simulation_.chance(simulation_.options_.lost_send))
      return post(operation, {.result = -EPIPE, .more = false, .buffer = {}});
    simulation_.deliver(state.descriptor - Simulation::kFirstDescriptor, PieceKind::reset, {}, 0);
    return post(operation, {.result = static_cast<int>(sum), .more = false, .buffer = {}});
  }
  for (;;) {
    while (state.vector_at < state.vector_count && state.done == state.vectors[state.vector_at].iov_len) {
      state.done = 0;
      ++state.vector_at;
    }
    if (state.vector_at == state.vector_count)
      return post(operation, {.result = static_cast<int>(sum), .more = false, .buffer = {}});
    if (move_bytes(operation, socket) == 0) return;
    if (simulation_.chance(simulation_.options_.held_back)) return;
  }
}

void SimRing::attempt_connect(Operation& operation) noexcept {
  SimSocket& socket = simulation_.socket(operation.ring.descriptor);
  if (!simulation_.passed(socket.connect_due_us)) return;
  const int result = std::exchange(socket.connect_result, 1);
  if (result == 0) simulation_.finish_connect(operation.ring.descriptor - Simulation::kFirstDescriptor);
  post(operation, {.result = result, .more = false, .buffer = {}});
}

void SimRing::attempt_poll(Operation& operation) noexcept {
  const Descriptor descriptor = operation.ring.descriptor;
  bool readable = false;
  if (descriptor >= Simulation::kFirstDescriptor) {
    readable = simulation_.arrived(simulation_.socket(descriptor));
  } else {  // an eventfd or a signalfd of the system's
    pollfd real{descriptor, POLLIN, 0};
    readable = ::poll(&real, 1, 0) > 0;
  }
  if (readable) post(operation, {.result = 0, .more = false, .buffer = {}});
}

// Any order between operations, the order of events within one.
void SimRing::shuffle_posted() noexcept {
  if (posted_.size() < 2 || simulation_.options_.held_back == 0) return;
  std::vector<Posted> mixed;
  while (!posted_.empty()) {
    const std::size_t at = simulation_.random_() % posted_.size();
    const Operation* operation = posted_[at].operation;
    const auto first =
        std::find_if(posted_.begin(), posted_.end(), [&](const Posted& each) { return each.operation == operation; });
    mixed.push_back(*first);
    posted_.erase(first);
  }
  posted_ = std::move(mixed);
}

void SimRing::turn(int timeout_ms) noexcept {
  ++counters_.turns;
  deadline_us_ = timeout_ms < 0 ? ~std::uint64_t{0}
                                : simulation_.now().monotonic_us + static_cast<std::uint64_t>(timeout_ms) * 1000;
  submit();
  woken_ = false;
  std::vector<Operation*> order = active_;
  if (simulation_.options_.held_back != 0) std::shuffle(order.begin(), order.end(), simulation_.random_);
  for (Operation* operation : order) {
    if (simulation_.chance(simulation_.options_.held_back)) {
      simulation_.held_back_ = true;
    } else {
      attempt(*operation);
    }
  }
  shuffle_posted();
  // Handlers may start operations; those begin in a later turn, or when the queue is full.
  std::vector<Posted> now_posted = std::move(posted_);
  posted_.clear();
  for (const Posted& each : now_posted) tell(each);
}

}  // namespace hawser::io
