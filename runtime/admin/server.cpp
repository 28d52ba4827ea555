#include "runtime/admin/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <string>

#include "runtime/admin/answer.h"
#include "runtime/io/clock.h"

namespace hawser::admin {
namespace {

constexpr std::size_t kPieceBytes = 16 * 1024;
constexpr std::uint64_t kAcceptAgainMs = 10;         // after an error, such as too few descriptors
constexpr std::size_t kUnreadBytesMax = 256 * 1024;  // of a client that sends and does not read

// One client.
//
//   reading -> answering -> (reading | closing) -> gone
class Connection;

}  // namespace

struct CommandServer::Impl {
  struct Listener : io::Operation {
    Listener(Impl& server, const CommandListener& source)
        : Operation(&Impl::accepted), server(server), source(source) {}
    Impl& server;
    CommandListener source;
    bool shut = false;
  };
  struct Reaper : io::Timer {
    explicit Reaper(Impl& server) : Timer(&Impl::reap), server(server) {}
    Impl& server;
  };
  struct Waiting {
    io::Descriptor descriptor;
    abi::AccessLevel level;
    bool expose_listeners;
  };

  Impl(io::Ring& ring, io::Timers& timers, const Subject& subject, const Options& options)
      : ring(ring), timers(timers), subject(subject), options(options), reaper(*this) {}

  static void accepted(io::Operation& operation, const io::Completion& completion) noexcept;
  static void reap(io::Timer& timer) noexcept;
  void open(const Waiting& client);
  void ended() noexcept;
  void accept_all() noexcept;

  io::Ring& ring;
  io::Timers& timers;
  const Subject subject;
  const Options options;
  std::vector<std::unique_ptr<Listener>> listeners;
  std::vector<std::unique_ptr<Connection>> connections;
  std::deque<Waiting> waiting;
  Reaper reaper;  // frees what has ended, outside of its own completions
};

namespace {

class Connection {
 public:
  Connection(CommandServer::Impl& server, const CommandServer::Impl::Waiting& client)
      : server_(server), descriptor_(client.descriptor), receive_(this), send_(this), idle_(this) {
    session_.level = client.level;
    session_.connection = descriptor_;
    session_.expose_listeners = client.expose_listeners;
    start_timer();
    server_.ring.receive(receive_, descriptor_);
  }

  bool gone() const noexcept { return gone_; }
  io::Descriptor descriptor() const noexcept { return descriptor_; }

 private:
  // An operation or a timer, with the way back to its owner.
  struct Receive : io::Operation {
    explicit Receive(Connection* owner) : Operation(&Receive::done), owner(owner) {}
    static void done(io::Operation& operation, const io::Completion& completion) noexcept {
      static_cast<Receive&>(operation).owner->received(completion);
    }
    Connection* owner;
  };
  struct Send : io::Operation {
    explicit Send(Connection* owner) : Operation(&Send::done), owner(owner) {}
    static void done(io::Operation& operation, const io::Completion& completion) noexcept {
      static_cast<Send&>(operation).owner->sent(completion);
    }
    Connection* owner;
  };
  struct Idle : io::Timer {
    explicit Idle(Connection* owner) : Timer(&Idle::due), owner(owner) {}
    static void due(io::Timer& timer) noexcept { static_cast<Idle&>(timer).owner->close(); }
    Connection* owner;
  };

  void received(const io::Completion& completion) noexcept;
  void sent(const io::Completion& completion) noexcept;
  void advance() noexcept;
  bool begin_answer() noexcept;
  void fill() noexcept;
  void start_send() noexcept;
  void close() noexcept;
  void try_end() noexcept;
  void start_timer() noexcept {
    const std::uint32_t timeout_ms = session_.timeout_ms != 0 ? session_.timeout_ms : server_.options.timeout_ms;
    server_.timers.arm(idle_, io::Now::read().ms() + timeout_ms);
  }

  CommandServer::Impl& server_;
  io::Descriptor descriptor_;
  Receive receive_;
  Send send_;
  Idle idle_;
  LineReader reader_;
  Session session_;
  std::unique_ptr<Answer> answer_;  // being sent
  std::string out_;
  iovec vector_{};
  std::size_t unread_ = 0;    // bytes received since the last answer was sent
  bool answered_ = false;     // at least one line was
  bool client_done_ = false;  // it sends no more
  bool closing_ = false;
  bool gone_ = false;
};

void Connection::received(const io::Completion& completion) noexcept {
  if (completion.buffer) {
    if (!closing_) {
      reader_.push(completion.buffer.view());
      unread_ += completion.buffer.size;
    }
    server_.ring.release(completion.buffer);
  }
  if (closing_) return try_end();
  if (completion.result == -ENOBUFS && !completion.more) {
    return server_.ring.receive(receive_, descriptor_);
  }
  if (completion.result < 0 || unread_ > kUnreadBytesMax) return close();
  if (completion.result == 0) {
    client_done_ = true;
  } else if (!completion.more) {
    server_.ring.receive(receive_, descriptor_);
  }
  start_timer();
  advance();
}

void Connection::sent(const io::Completion& completion) noexcept {
  out_.clear();
  if (closing_) return try_end();
  if (completion.result < 0) return close();
  start_timer();
  advance();
}

// Answers what can be answered, a piece at a time; ends the connection when nothing more is to come.
void Connection::advance() noexcept {
  if (send_.in_flight) return;
  while (out_.size() < kPieceBytes) {
    if (answer_) {
      fill();
    } else if (session_.quit || !begin_answer()) {
      break;
    }
  }
  if (!out_.empty()) return start_send();
  unread_ = 0;
  // Without a prompt a connection is for what came at once.
  if (closing_ || session_.quit || client_done_ || (answered_ && !session_.prompt)) close();
}

// False when no command is complete.
bool Connection::begin_answer() noexcept {
  Command command;
  bool ends_line = false;
  const LineReader::State state = reader_.next(command, ends_line);
  if (state == LineReader::State::too_long) {
    session_.quit = true;
    return false;
  }
  if (state == LineReader::State::waiting) return false;
  answered_ = true;
  answer_ = execute(server_.subject, command, session_);
  return true;
}

void Connection::fill() noexcept {
  if (!answer_->append(out_)) return;
  answer_.reset();
  if (session_.quit) return;
  out_ += '\n';
  if (session_.prompt) out_ += "> ";
}

void Connection::start_send() noexcept {
  vector_ = {out_.data(), out_.size()};
  server_.ring.send(send_, descriptor_, std::span<const iovec>(&vector_, 1));
}

void Connection::close() noexcept {
  closing_ = true;
  server_.ring.cancel(receive_);
  server_.ring.cancel(send_);
  try_end();
}

// Goes only when nothing is in flight; its memory is freed by the reaper.
void Connection::try_end() noexcept {
  if (gone_ || receive_.in_flight || send_.in_flight) return;
  gone_ = true;
  server_.timers.disarm(idle_);
  server_.ring.close(descriptor_);
  server_.ended();
}

}  // namespace

// A socket that is one process's alone is closed to others.
static bool welcome(const CommandListener& source, io::Descriptor client) noexcept {
  if (source.only_process == 0) return true;
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == source.only_process;
}

void CommandServer::Impl::accepted(io::Operation& operation, const io::Completion& completion) noexcept {
  auto& listener = static_cast<Listener&>(operation);
  Impl& server = listener.server;
  if (completion.result >= 0) {
    const Waiting client{completion.result, listener.source.level, listener.source.expose_listeners};
    if (!welcome(listener.source, client.descriptor)) {
      server.ring.close(client.descriptor);
    } else if (server.connections.size() < server.options.connections_max) {
      server.open(client);
    } else {
      server.waiting.push_back(client);
      server.ring.cancel(operation);
    }
  }
  // The socket may be another process's by now: what comes is for that one.
  if (server.subject.facts.stopping && server.subject.facts.stopping()) {
    listener.shut = true;
    server.ring.cancel(operation);
  }
  // The listener was shut: the process is about to end.
  if (completion.result == -EINVAL || completion.result == -EBADF) listener.shut = true;
  if (!operation.in_flight && server.connections.size() < server.options.connections_max) {
    server.timers.arm(server.reaper, io::Now::read().ms() + kAcceptAgainMs);
  }
}

void CommandServer::Impl::open(const Waiting& client) {
  connections.push_back(std::make_unique<Connection>(*this, client));
}

void CommandServer::Impl::ended() noexcept { timers.arm(reaper, io::Now::read().ms()); }

void CommandServer::Impl::reap(io::Timer& timer) noexcept {
  Impl& server = static_cast<Reaper&>(timer).server;
  std::erase_if(server.connections, [](const std::unique_ptr<Connection>& each) { return each->gone(); });
  while (!server.waiting.empty() && server.connections.size() < server.options.connections_max) {
    const Waiting client = server.waiting.front();
    server.waiting.pop_front();
    server.open(client);
  }
  server.accept_all();
}

void CommandServer::Impl::accept_all() noexcept {
  if (!waiting.empty()) return;
  for (const auto& listener : listeners) {
    if (!listener->in_flight && !listener->shut) ring.accept(*listener, listener->source.descriptor);
  }
}

CommandServer::CommandServer(io::Ring& ring, io::Timers& timers, const Subject& subject,
                             std::vector<CommandListener> listeners, const Options& options)
    : impl_(std::make_unique<Impl>(ring, timers, subject, options)) {
  for (const CommandListener& listener : listeners) {
    impl_->listeners.push_back(std::make_unique<Impl::Listener>(*impl_, listener));
  }
  impl_->accept_all();
}

CommandServer::~CommandServer() {
  for (const auto& connection : impl_->connections) {
    if (!connection->gone()) ::close(connection->descriptor());
  }
  for (const auto& waiting : impl_->waiting) ::close(waiting.descriptor);
}

}  // namespace hawser::admin
