// Whether a Plan's offsets and indexes are sound.
#include "runtime/abi/plan.h"
#include "runtime/abi/verify.h"

namespace hawser::abi {
namespace {

constexpr std::uint32_t kNoProxy = 0xffff'ffff;

class PlanVerifier {
 public:
  explicit PlanVerifier(const ImageView& image) : image_(image), check_(image) {}

  std::string run() {
    plan_ = check_.root<Plan>();
    if (plan_ == nullptr) return check_.error();
    if (check_.inside(plan_->proxies, "proxies") && check_.inside(plan_->listeners, "listeners") &&
        check_.inside(plan_->replies, "replies") && global(plan_->global)) {
      for (const Proxy& row : image_.rows(plan_->proxies)) {
        if (!proxy(row)) return check_.error();
      }
      for (const Listener& row : image_.rows(plan_->listeners)) {
        if (!listener(row)) return check_.error();
      }
      for (const Reply& row : image_.rows(plan_->replies)) {
        if (!reply(row)) return check_.error();
      }
    }
    return check_.error();
  }

 private:
  bool texts(std::initializer_list<Text> all) {
    for (const Text text : all) {
      if (!check_.inside(text, "a text")) return false;
    }
    return true;
  }
  bool bools(std::initializer_list<const bool*> all) {
    for (const bool* value : all) {
      if (!check_.is_bool(*value, "a switch")) return false;
    }
    return true;
  }
  bool address(const Address& address) {
    return check_.expect(address.family <= Address::Family::descriptor, "an address is of an unknown family") &&
           texts({address.path});
  }
  bool logs(Rows<LogTarget> rows) {
    if (!check_.inside(rows, "log targets")) return false;
    for (const LogTarget& row : image_.rows(rows)) {
      if (!check_.expect(row.kind <= LogTarget::Kind::descriptor && row.format <= LogTarget::Format::priority,
                         "a log target is of an unknown kind") ||
          !check_.expect(row.facility < 24 && row.level_max < 8 && row.level_min < 8, "a log level is unknown") ||
          !address(row.address) || !texts({row.place.file})) {
        return false;
      }
    }
    return true;
  }
  bool global(const Global& row) {
    if (!bools({&row.daemon, &row.strict_limits, &row.reuse_port, &row.master_worker, &row.exit_on_failure,
                &row.dumpable}) ||
        !logs(row.logs) || !texts({row.chroot, row.pidfile, row.node, row.description, row.log_tag}) ||
        !check_.inside(row.command_sockets, "command sockets") || !check_.inside(row.thread_cpus, "CPUs of threads")) {
      return false;
    }
    for (const CommandSocket& socket : image_.rows(row.command_sockets)) {
      if (!address(socket.address) || !options(socket.options) || !bools({&socket.expose_listeners}) ||
          !texts({socket.place.file}))
        return false;
    }
    return true;
  }
  bool proxy(const Proxy& row) {
    if (!bools({&row.is_frontend, &row.is_backend, &row.disabled, &row.redispatch, &row.log_null_connections,
                &row.forward_for.enabled, &row.forward_for.if_none}) ||
        !texts({row.name, row.log_tag, row.forward_for.field, row.place.file}) || !logs(row.logs) ||
        !check_.expect(row.mode <= Mode::http && row.connection_mode <= ConnectionMode::close &&
                           row.reuse <= Reuse::always && row.log_format <= Proxy::LogFormat::program,
                       "a proxy has an unknown mode") ||
        !check_.expect(row.default_backend == kNoProxy || row.default_backend < plan_->proxies.count,
                       "default backend {} is none", row.default_backend) ||
        !check_.inside(row.servers, "servers")) {
      return false;
    }
    for (const std::uint32_t error : row.errors) {
      if (!check_.expect(error <= plan_->replies.count, "error page {} is none", error)) return false;
    }
    for (const Server& server : image_.rows(row.servers)) {
      if (!texts({server.name, server.host, server.place.file}) || !address(server.address) ||
          !bools({&server.port_given, &server.disabled})) {
        return false;
      }
    }
    return true;
  }
  bool options(const SocketOptions& row) {
    return texts({row.interface}) && bools({&row.transparent, &row.fast_open, &row.defer_accept, &row.v6_only});
  }
  bool listener(const Listener& row) {
    return check_.expect(row.proxy < plan_->proxies.count, "a listener is of proxy {}", row.proxy) &&
           address(row.address) && options(row.options) && texts({row.name, row.place.file});
  }
  bool reply(const Reply& row) {
    if (!bools({&row.silent, &row.raw, &row.computed, &row.error_page}) || !texts({row.content_type, row.body}) ||
        !check_.inside(row.field_names, "field names")) {
      return false;
    }
    for (const Text name : image_.rows(row.field_names)) {
      if (!texts({name})) return false;
    }
    return true;
  }

  const ImageView& image_;
  ImageChecker check_;
  const Plan* plan_ = nullptr;
};

}  // namespace

std::string verify_plan(const ImageView& plan) { return PlanVerifier(plan).run(); }

std::string verify_pair(const ImageView& plan, const ImageView& program) {
  if (std::string wrong = verify_plan(plan); !wrong.empty()) return wrong;
  if (std::string wrong = verify(program); !wrong.empty()) return wrong;
  const Plan& of_plan = plan.root<Plan>();
  const Program& of_program = program.root<Program>();
  if (of_plan.proxies.count != of_program.proxies.count) return "plan and program have different proxies";
  if (of_plan.replies.count != of_program.replies) return "plan and program have different replies";
  return "";
}

}  // namespace hawser::abi
