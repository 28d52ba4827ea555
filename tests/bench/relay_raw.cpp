// The same bare relay written straight on liburing, without our ring: the difference is what the ring costs.
//
//   bench_relay_raw LISTEN_PORT ORIGIN_PORT
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr unsigned kBuffers = 1024;
constexpr unsigned kBufferBytes = 4096;

enum class Kind : std::uint64_t { accept, connect, receive, send };

struct End {  // of a pair: `other` is where its bytes go
  int descriptor = -1;
  End* other = nullptr;
  bool closed = false;
};

io_uring ring;
io_uring_buf_ring* buffers;
char* memory;
sockaddr_in origin{};

// user_data: the pointer (47 bits), the buffer that a send holds (10 bits above), the kind (in the low two bits).
std::uint64_t tag(End* end, Kind kind, unsigned buffer = 0) {
  return reinterpret_cast<std::uint64_t>(end) | static_cast<std::uint64_t>(kind) | std::uint64_t{buffer} << 48;
}

io_uring_sqe* entry() {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring);
  while (sqe == nullptr) {
    io_uring_submit(&ring);
    sqe = io_uring_get_sqe(&ring);
  }
  return sqe;
}

void give(unsigned buffer) {
  io_uring_buf_ring_add(buffers, memory + std::size_t{buffer} * kBufferBytes, kBufferBytes,
                        static_cast<unsigned short>(buffer), io_uring_buf_ring_mask(kBuffers), 0);
  io_uring_buf_ring_advance(buffers, 1);
}

void receive(End* end) {
  io_uring_sqe* sqe = entry();
  io_uring_prep_recv_multishot(sqe, end->descriptor, nullptr, 0, 0);
  sqe->flags |= IOSQE_BUFFER_SELECT;
  io_uring_sqe_set_data64(sqe, tag(end, Kind::receive));
}

void on_accept(int descriptor) {
  End* client = new End{descriptor};
  End* server = new End{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), client};
  client->other = server;
  const int on = 1;
  setsockopt(server->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  io_uring_sqe* sqe = entry();
  io_uring_prep_connect(sqe, server->descriptor, reinterpret_cast<sockaddr*>(&origin), sizeof origin);
  io_uring_sqe_set_data64(sqe, tag(server, Kind::connect));
}

void on_receive(End* end, const io_uring_cqe& cqe) {
  const unsigned buffer = cqe.flags >> IORING_CQE_BUFFER_SHIFT;
  if (cqe.res > 0) {
    io_uring_sqe* sqe = entry();
    io_uring_prep_send(sqe, end->other->descriptor, memory + std::size_t{buffer} * kBufferBytes,
                       static_cast<std::size_t>(cqe.res), MSG_NOSIGNAL | MSG_WAITALL);
    io_uring_sqe_set_data64(sqe, tag(end, Kind::send, buffer));
  }
  if ((cqe.flags & IORING_CQE_F_MORE) != 0) return;
  if (cqe.res > 0 || cqe.res == -ENOBUFS) return receive(end);
  end->closed = true;  // it is a benchmark: the pair's memory stays
  shutdown(end->other->descriptor, SHUT_RDWR);
  if (end->other->closed) {
    close(end->descriptor);
    close(end->other->descriptor);
  }
}

void on_completion(const io_uring_cqe& cqe) {
  End* end = reinterpret_cast<End*>(cqe.user_data & 0xffff'ffff'fffc);
  switch (static_cast<Kind>(cqe.user_data & 3)) {
    case Kind::accept: return on_accept(cqe.res);
    case Kind::connect: receive(end); return receive(end->other);
    case Kind::receive: return on_receive(end, cqe);
    case Kind::send: return give(static_cast<unsigned>(cqe.user_data >> 48));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  io_uring_params params{};
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
  params.cq_entries = 4096;
  if (io_uring_queue_init_params(512, &ring, &params) != 0) return 1;
  io_uring_register_ring_fd(&ring);
  buffers = static_cast<io_uring_buf_ring*>(
      mmap(nullptr, kBuffers * sizeof(io_uring_buf), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uint64_t>(buffers);
  registration.ring_entries = kBuffers;
  if (io_uring_register_buf_ring(&ring, &registration, 0) != 0) return 1;
  memory = static_cast<char*>(
      mmap(nullptr, std::size_t{kBuffers} * kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (unsigned buffer = 0; buffer < kBuffers; ++buffer) give(buffer);

  origin.sin_family = AF_INET;
  origin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  origin.sin_port = htons(static_cast<std::uint16_t>(std::atoi(words[2])));
  sockaddr_in here = origin;
  here.sin_port = htons(static_cast<std::uint16_t>(std::atoi(words[1])));
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (bind(listener, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 || listen(listener, 1024) != 0) return 1;
  io_uring_sqe* sqe = entry();
  io_uring_prep_multishot_accept(sqe, listener, nullptr, nullptr, SOCK_CLOEXEC);
  io_uring_sqe_set_data64(sqe, tag(nullptr, Kind::accept));
  std::puts("ready");
  std::fflush(stdout);
  for (;;) {
    io_uring_submit_and_wait(&ring, 1);
    io_uring_cqe* cqe = nullptr;
    unsigned head = 0, seen = 0;
    io_uring_for_each_cqe(&ring, head, cqe) {
      on_completion(*cqe);
      ++seen;
    }
    io_uring_cq_advance(&ring, seen);
  }
}
