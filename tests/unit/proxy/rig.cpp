// Plans and Programs by hand, and the workers that run them.
#include "tests/unit/proxy/rig.h"

#include "runtime/tables/pattern_store.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hawser::proxy::test {
namespace {

abi::Address loopback(std::uint16_t port) {
  abi::Address address;
  address.family = abi::Address::Family::v4;
  address.ip[0] = 127;
  address.ip[3] = 1;
  address.port = port;
  return address;
}

Setup two_proxies(abi::Mode mode, std::vector<Setup::Server> servers) {
  Setup setup;
  Setup::Proxy front;
  front.name = "front";
  front.row.is_frontend = true;
  front.row.default_backend = 1;
  Setup::Proxy back;
  back.name = "back";
  back.row.is_backend = true;
  back.servers = std::move(servers);
  for (Setup::Proxy* proxy : {&front, &back}) {
    proxy->row.mode = mode;
    proxy->row.maxconn = 1000;
    proxy->row.timeouts.client = 30'000;
    proxy->row.timeouts.server = 30'000;
    proxy->row.timeouts.connect = 5'000;
  }
  setup.proxies.push_back(std::move(front));
  setup.proxies.push_back(std::move(back));
  return setup;
}

abi::Image make_plan(const Setup& setup) {
  abi::ImageBuilder image;
  abi::Plan plan;
  plan.global.buffer_bytes = setup.buffer_bytes;
  std::vector<abi::Proxy> proxies;
  for (const Setup::Proxy& proxy : setup.proxies) {
    abi::Proxy row = proxy.row;
    row.name = image.text(proxy.name);
    std::vector<abi::Server> servers;
    for (const Setup::Server& server : proxy.servers) {
      abi::Server entry;
      entry.name = image.text(server.name);
      entry.id = static_cast<std::uint32_t>(servers.size() + 1);
      entry.address = loopback(server.port);
      entry.weight = server.weight;
      entry.disabled = server.disabled;
      servers.push_back(entry);
    }
    row.servers = image.rows(servers);
    if (setup.log_path != nullptr) {
      abi::LogTarget target;
      target.format = abi::LogTarget::Format::raw;
      target.address.family = abi::Address::Family::unix_path;
      target.address.path = image.text(setup.log_path);
      row.logs = image.rows(std::vector<abi::LogTarget>{target});
    }
    proxies.push_back(row);
  }
  plan.proxies = image.rows(proxies);
  plan.listeners = image.rows(std::vector<abi::Listener>{abi::Listener{}});
  std::vector<abi::Reply> replies;
  for (const Setup::ReplyRow& reply : setup.replies) {
    abi::Reply row = reply.row;
    row.body = image.text(reply.body);
    replies.push_back(row);
  }
  plan.replies = image.rows(replies);
  return image.finish(plan);
}

abi::Image make_program(const Setup& setup) {
  abi::ImageBuilder image;
  abi::Program program;
  std::vector<abi::Step> steps;
  std::vector<abi::Function> functions;
  std::vector<abi::ProxyEntries> proxies;
  for (const Setup::Proxy& proxy : setup.proxies) {
    abi::ProxyEntries entries;
    for (const Setup::Proxy::Entry& entry : proxy.entries) {
      abi::Function function;
      function.first_step = static_cast<std::uint32_t>(steps.size());
      function.steps = static_cast<std::uint32_t>(entry.steps.size());
      function.registers = entry.registers;
      for (const abi::Step& step : entry.steps) {
        function.resume_points =
            static_cast<std::uint16_t>(function.resume_points + (step.op == abi::Op::test_suspend));
      }
      steps.insert(steps.end(), entry.steps.begin(), entry.steps.end());
      std::vector<abi::Constant> constants;
      for (const std::string& text : entry.texts) {
        abi::Constant constant;
        constant.kind = abi::Constant::Kind::text;
        constant.text = image.text(text);
        constants.push_back(constant);
      }
      constants.insert(constants.end(), entry.constants.begin(), entry.constants.end());
      function.constants = static_cast<std::uint32_t>(constants.size());
      program.registers_max = std::max<std::uint32_t>(program.registers_max, entry.registers);
      abi::Entry& at = entries.at[static_cast<std::size_t>(entry.point)];
      at.function = static_cast<std::uint32_t>(functions.size());
      at.bindings = image.rows(constants);
      functions.push_back(function);
    }
    proxies.push_back(entries);
  }
  program.steps = image.rows(steps);
  program.functions = image.rows(functions);
  program.proxies = image.rows(proxies);
  program.redirects = image.rows(setup.redirects);
  program.replies = static_cast<std::uint32_t>(setup.replies.size());
  return image.finish(program);
}

int listen_with_nodelay(std::uint16_t& port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  SocketAddress address = SocketAddress::ip(*IpAddress::parse("127.0.0.1"), 0);
  REQUIRE(::bind(descriptor, &address.any, address.size) == 0);
  REQUIRE(::listen(descriptor, 1024) == 0);
  ::getsockname(descriptor, &address.any, &address.size);
  port = address.port();
  return descriptor;
}

}  // namespace

Setup Setup::http(std::vector<Server> servers) { return two_proxies(abi::Mode::http, std::move(servers)); }
Setup Setup::tcp(std::vector<Server> servers) { return two_proxies(abi::Mode::tcp, std::move(servers)); }

std::unique_ptr<Generation> make_generation(const Setup& setup, tables::State& state) {
  auto generation = std::make_unique<Generation>();
  generation->plan_image = make_plan(setup);
  generation->program_image = make_program(setup);
  generation->installed = std::make_unique<tables::Installed>(generation->plan_image.view(), state);
  auto engine = exec::Engine::make(generation->program_image.view());
  REQUIRE_MESSAGE(engine.ok(), engine.error().message);
  generation->engine = std::move(engine).value();
  state.patterns().install(generation->engine->live_sets());
  if (setup.log_path != nullptr) {
    auto targets = log::Targets::open(generation->plan_image.view());
    REQUIRE_MESSAGE(targets.ok(), targets.error().message);
    generation->logs = std::move(targets).value();
  }
  generation->maxconn = setup.maxconn;
  return generation;
}

Running::Running(const Setup& setup, std::uint32_t workers) : state_(std::make_unique<tables::State>(workers)) {
  generation_ = make_generation(setup, *state_);
  generation_->listeners.push_back(listen_with_nodelay(port_));
  std::vector<Worker*> siblings;
  for (std::uint32_t i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<Worker>(*generation_, i, workers));
    siblings.push_back(workers_.back().get());
  }
  for (const auto& worker : workers_) worker->set_siblings(siblings);
  std::atomic<std::uint32_t> started{0};
  for (const auto& worker : workers_) {
    threads_.emplace_back([&started, &worker] {
      const Status status = worker->run([&started](Worker&) { ++started; });
      if (!status) std::abort();
    });
  }
  REQUIRE(eventually([&] { return started == workers; }));
}

Running::~Running() {
  for (const auto& worker : workers_) worker->stop();
  join();
  ::close(generation_->listeners.front());
}

void Running::join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace hawser::proxy::test
