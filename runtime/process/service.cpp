#include "runtime/process/service.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/admin/server.h"
#include "runtime/process/pausing.h"
#include "runtime/process/takeover.h"
#include "runtime/process/version.h"
#include "runtime/proxy/worker.h"

namespace hawser::process {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
using Clock = std::chrono::steady_clock;

// How long we still accept when another process has our place: what the kernel had given to us comes in.
constexpr std::chrono::milliseconds kHandover{200};
constexpr int kStopSecondsMax = 2;  // a worker that does not stop when asked is left to the end of the process

sigset_t waited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGQUIT, SIGTTIN, SIGTTOU})
    sigaddset(&set, number);
  return set;
}

// The end of the process by the signal that asked for it, so that its parent sees which one it was.
[[noreturn]] void die_by(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  signal(number, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(number);
  _exit(128 + number);
}

// Workers, their threads, and what the main thread waits for.
//
//   starting -> serving -> asked -> draining -> (ended)
//                   |   (USR1; with `grace`, or when another process     |
//                   |    listens by now, it still accepts for a while)   | hard-stop-after
//                   \-> stopping -> (dead by the signal)                 \-> stopping -> (ended)
class Service {
 public:
  Service(proxy::Generation& generation, Listeners& listeners, const ServiceOptions& options, Jit& jit,
          Messages& messages)
      : generation_(generation),
        listeners_(listeners),
        options_(options),
        jit_(jit),
        messages_(messages),
        pausing_(generation_.plan_image.view(), listeners) {
    fill_facts();
  }
  ~Service() {
    if (events_ >= 0) close(events_);
    if (signals_ >= 0) close(signals_);
  }

  int run(const std::function<void()>& serving);

 private:
  // One worker's thread.
  struct Thread {
    Service* service = nullptr;
    std::unique_ptr<proxy::Worker> worker;
    pthread_t thread{};
    bool running = false;
    std::string failure;  // why run() ended badly
  };

  void fill_facts();
  admin::NativeFacts native_facts() const;
  bool start_threads();
  void bind_to_cpus(std::uint32_t worker) const;
  static void* thread_main(void* argument);
  void live(Thread& thread);
  std::unique_ptr<admin::CommandServer> serve_commands(proxy::Worker& worker) const;
  void notify() const;
  int wait_for_end();
  int patience_ms() const;
  void take_signals();
  void ask_to_drain(bool replaced);
  void pass_deadlines();
  void wake_acceptors() const;
  void hard_stop();
  void drain();
  void say_stopped(std::size_t proxy, log::Sender& sender);
  void stop_all();
  bool join_all();
  void see_workers_out();

  proxy::Generation& generation_;
  Listeners& listeners_;
  const ServiceOptions options_;
  Jit& jit_;
  Messages& messages_;
  Pausing pausing_;
  admin::Facts facts_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::atomic<std::size_t> started_{0};
  std::atomic<std::size_t> ended_{0};
  std::atomic<bool> draining_{false};
  std::atomic<bool> given_{false};  // another process has our sockets, too
  bool asked_ = false;              // to drain
  std::optional<Clock::time_point> drain_at_;
  std::optional<Clock::time_point> hard_stop_at_;
  std::optional<Clock::time_point> wake_at_;  // the acceptors of sockets that were given away
  int events_ = -1;                           // an eventfd: a worker has started or ended
  int signals_ = -1;                          // a signalfd
};

void Service::fill_facts() {
  const abi::Global& global = generation_.plan().global;
  const abi::ImageView image = generation_.plan_image.view();
  const io::Now now = io::Now::read();
  facts_.version = fmt::format("{}-hawser{}", kCompatibleVersion, kVersion);
  facts_.build = fmt::format("Hawser {}", kVersion);
  facts_.release_date = std::string(kReleaseDate);
  facts_.node = image.text(global.node);
  if (facts_.node.empty()) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    facts_.node = name;
  }
  facts_.description = image.text(global.description);
  facts_.pid = static_cast<std::uint32_t>(getpid());
  facts_.threads = options_.threads;
  facts_.maxconn = options_.limits.maxconn;
  facts_.memory_mb = options_.memory_mb;
  facts_.descriptors_granted = options_.limits.granted;
  facts_.descriptors_needed = options_.limits.descriptors;
  facts_.listeners = static_cast<std::uint32_t>(listeners_.count());
  facts_.started_s = now.wall_us / 1'000'000;
  facts_.started_monotonic_s = now.monotonic_us / 1'000'000;
  facts_.dropped_logs = [this] { return generation_.logs->dropped(); };
  facts_.stopping = [this] { return draining_.load(std::memory_order_relaxed); };
  facts_.native = [this] { return native_facts(); };
  facts_.give_listeners = [this](int connection) {
    const bool good = net::give_sockets(connection, listeners_.to_give(generation_.plan_image.view()));
    if (good) given_.store(true);
    return good;
  };
}

admin::NativeFacts Service::native_facts() const {
  admin::NativeFacts facts = jit_.facts();
  for (const auto& thread : threads_) {
    const proxy::EngineCounts& counts = thread->worker->engine_counts();
    facts.exchanges_native += counts.native.get();
    facts.exchanges_interpreted += counts.interpreted.get();
  }
  return facts;
}

int Service::run(const std::function<void()>& serving) {
  events_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const sigset_t set = waited_signals();
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (events_ < 0 || signals_ < 0) {
    messages_.alert(fmt::format("cannot wait for signals: {}", std::strerror(errno)));
    return 1;
  }
  if (!start_threads()) {
    stop_all();
    see_workers_out();
    return 1;
  }
  pollfd event{events_, POLLIN, 0};
  while (started_.load() + ended_.load() < threads_.size()) {
    poll(&event, 1, -1);
    std::uint64_t count;
    [[maybe_unused]] const ssize_t size = read(events_, &count, sizeof count);
  }
  if (ended_.load() == 0) serving();
  return wait_for_end();
}

bool Service::start_threads() {
  std::vector<proxy::Worker*> workers;
  for (std::uint32_t index = 0; index < options_.threads; ++index) {
    auto thread = std::make_unique<Thread>();
    thread->service = this;
    thread->worker = std::make_unique<proxy::Worker>(generation_, index, options_.threads);
    workers.push_back(thread->worker.get());
    threads_.push_back(std::move(thread));
  }
  for (proxy::Worker* worker : workers) worker->set_siblings(workers);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  int code = 0;
  for (const auto& thread : threads_) {
    code = pthread_create(&thread->thread, &attributes, &Service::thread_main, thread.get());
    if (code != 0) break;
    thread->running = true;
  }
  pthread_attr_destroy(&attributes);
  if (code != 0) messages_.alert(fmt::format("cannot start a thread: {}", std::strerror(code)));
  return code == 0;
}

void* Service::thread_main(void* argument) {
  auto& thread = *static_cast<Thread*>(argument);
  thread.service->live(thread);
  return nullptr;
}

// cpu-map. A CPU that we may not use is no reason to serve nobody.
void Service::bind_to_cpus(std::uint32_t worker) const {
  const auto rows = generation_.plan_image.view().rows(generation_.plan().global.thread_cpus);
  if (worker >= rows.size() || rows[worker] == 0) return;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (std::uint32_t cpu = 0; cpu < 64; ++cpu) {
    if ((rows[worker] >> cpu & 1) != 0) CPU_SET(cpu, &cpus);
  }
  pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
}

// A worker's life. The first one serves the command sockets too.
void Service::live(Thread& thread) {
  bind_to_cpus(thread.worker->index());
  std::unique_ptr<admin::CommandServer> commands;
  const Status status = thread.worker->run([&](proxy::Worker& worker) {
    if (worker.index() == 0) commands = serve_commands(worker);
    started_.fetch_add(1);
    notify();
  });
  if (!status) thread.failure = status.error().message;
  commands.reset();
  ended_.fetch_add(1);
  notify();
}

std::unique_ptr<admin::CommandServer> Service::serve_commands(proxy::Worker& worker) const {
  const abi::Global& global = generation_.plan().global;
  const auto sockets = generation_.plan_image.view().rows(global.command_sockets);
  if (sockets.empty()) return nullptr;
  std::vector<admin::CommandListener> listeners;
  for (std::size_t at = 0; at < sockets.size(); ++at)
    listeners.push_back({listeners_.commands()[at], sockets[at].level, sockets[at].expose_listeners});
  return std::make_unique<admin::CommandServer>(
      worker.ring(), worker.timers(), admin::Subject{*generation_.installed, facts_}, std::move(listeners),
      admin::CommandServer::Options{.timeout_ms = global.command_timeout_ms,
                                    .connections_max = global.command_maxconn});
}

void Service::notify() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t size = write(events_, &one, sizeof one);
}

int Service::wait_for_end() {
  jit_.advance();  // an answer may have come before another one that was waited for
  while (ended_.load() < threads_.size()) {
    pollfd waited[] = {{signals_, POLLIN, 0}, {events_, POLLIN, 0}, {jit_.descriptor(), POLLIN, 0}};
    poll(waited, 3, patience_ms());
    if (waited[2].revents != 0) jit_.advance();
    std::uint64_t count;
    [[maybe_unused]] const ssize_t size = read(events_, &count, sizeof count);
    take_signals();
    pass_deadlines();
    // A worker that ends by itself cannot serve: nobody should believe that we do.
    if (ended_.load() != 0 && !draining_.load()) break;
  }
  const bool good = draining_.load();
  if (!good) stop_all();
  see_workers_out();
  if (good) wake_acceptors();
  return good ? 0 : 1;
}

int Service::patience_ms() const {
  std::optional<Clock::time_point> next = drain_at_;
  for (const auto& other : {hard_stop_at_, wake_at_}) {
    if (other) next = next ? std::min(*next, *other) : *other;
  }
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

void Service::take_signals() {
  const auto look_again = [this] {
    for (const auto& thread : threads_) thread->worker->look_for_room();
  };
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const int number = static_cast<int>(info.ssi_signo);
    if (number == SIGTERM || number == SIGINT) {
      stop_all();
      join_all();
      die_by(number);
    }
    if (number == SIGUSR1) ask_to_drain(info.ssi_code == SI_QUEUE && info.ssi_int == kReplaced);
    if (number == SIGTTOU && !asked_) pausing_.pause(messages_);
    if (number == SIGTTIN && !asked_ && pausing_.resume(messages_)) look_again();
  }
}

// At once, or a little later: with `grace`, and when another process listens where we do. Then new connections are for that
// one, and those that the kernel had queued for us are taken before our sockets go.
void Service::ask_to_drain(bool replaced) {
  if (std::exchange(asked_, true)) return;
  const abi::Global& global = generation_.plan().global;
  const Clock::time_point now = Clock::now();
  if (global.hard_stop_ms != 0) hard_stop_at_ = now + std::chrono::milliseconds(global.hard_stop_ms);
  for (const int listener : listeners_.traffic()) {
    if (listener >= 0 && net::steer_to_newest(listener)) replaced = true;
  }
  const std::chrono::milliseconds grace(global.grace_ms);
  drain_at_ = now + (replaced ? std::max(grace, kHandover) : grace);
}

void Service::pass_deadlines() {
  const Clock::time_point now = Clock::now();
  if (drain_at_ && now >= *drain_at_) {
    drain_at_.reset();
    drain();
  }
  if (wake_at_ && now >= *wake_at_) {
    wake_at_.reset();
    wake_acceptors();
  }
  if (hard_stop_at_ && now >= *hard_stop_at_) {
    hard_stop_at_.reset();
    hard_stop();
  }
}

void Service::wake_acceptors() const {
  if (!given_.load()) return;
  for (const int listener : listeners_.to_give(generation_.plan_image.view())) net::wake_acceptors(listener);
}

// Of what a soft stop has waited for long enough.
void Service::hard_stop() {
  messages_.warning("soft-stop running for too long, performing a hard-stop.");
  const auto& proxies = generation_.installed->proxies();
  for (std::size_t at = 0; at < proxies.size(); ++at) {
    const std::uint32_t left = generation_.gauges->frontends[at].count();
    if (left == 0) continue;
    messages_.warning(
        fmt::format("Proxy {} hard-stopped ({} remaining conns will be closed).", proxies[at].name, left));
  }
  drain();
  stop_all();
}

// Finishes gracefully: no new connections, those that are there end as usual.
void Service::drain() {
  if (draining_.exchange(true)) return;
  if (given_.load()) wake_at_ = Clock::now() + kHandover;
  for (const auto& thread : threads_) thread->worker->drain();
  // Clients that come now are refused, not kept waiting. An inherited socket is not ours alone to shut, nor one that was
  // given away.
  const abi::ImageView image = generation_.plan_image.view();
  const abi::Plan& plan = generation_.plan();
  const auto shut = [this](int descriptor, const abi::Address& address) {
    if (descriptor < 0 || address.family == abi::Address::Family::descriptor) return;
    if (address.family == abi::Address::Family::unix_path || !given_.load()) shutdown(descriptor, SHUT_RDWR);
  };
  const auto listeners = image.rows(plan.listeners);
  for (std::size_t at = 0; at < listeners.size(); ++at) shut(listeners_.traffic()[at], listeners[at].address);
  const auto sockets = image.rows(plan.global.command_sockets);
  for (std::size_t at = 0; at < sockets.size(); ++at) shut(listeners_.commands()[at], sockets[at].address);
  // haproxy's order: what has listeners, then the rest.
  log::Sender sender(*generation_.logs, options_.threads);
  const auto& proxies = generation_.installed->proxies();
  for (std::size_t at = 0; at < proxies.size(); ++at) {
    if (proxies[at].plan->is_frontend) say_stopped(at, sender);
  }
  for (std::size_t at = 0; at < proxies.size(); ++at) {
    if (!proxies[at].plan->is_frontend) say_stopped(at, sender);
  }
}

void Service::say_stopped(std::size_t proxy, log::Sender& sender) {
  const tables::Installed::ProxyRow& row = generation_.installed->proxies()[proxy];
  if (row.plan->disabled) return;
  const std::string text = fmt::format("Proxy {} stopped (cumulated conns: FE: {}, BE: {}).", row.name,
                                       row.state->frontend.sum(&tables::Counters::connections),
                                       row.state->backend.sum(&tables::Counters::total));
  messages_.warning(text);
  sender.send(static_cast<std::int32_t>(proxy), log::Level::warning, text, io::Now::read());
}

void Service::stop_all() {
  for (const auto& thread : threads_) {
    if (thread->running) thread->worker->stop();
  }
}

// False when a thread did not end in time.
bool Service::join_all() {
  timespec deadline{};
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += kStopSecondsMax;
  bool all = true;
  for (const auto& thread : threads_) {
    if (!thread->running) continue;
    if (pthread_timedjoin_np(thread->thread, nullptr, &deadline) == 0) {
      thread->running = false;
    } else {
      all = false;
    }
  }
  return all;
}

// Says why workers failed. One that does not stop in time still uses what would be destroyed now: the process ends here.
void Service::see_workers_out() {
  const bool all = join_all();
  for (const auto& thread : threads_) {
    if (!thread->running && !thread->failure.empty()) {
      messages_.alert(fmt::format("a worker could not go on: {}", thread->failure));
    }
  }
  if (!all) _exit(1);
}

}  // namespace

void block_signals() {
  const sigset_t set = waited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int serve(proxy::Generation& generation, Listeners& listeners, const ServiceOptions& options, Jit& jit,
          Messages& messages, const std::function<void()>& serving) {
  return Service(generation, listeners, options, jit, messages).run(serving);
}

}  // namespace hawser::process
