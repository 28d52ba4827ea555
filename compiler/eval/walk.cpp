#include "compiler/eval/walk.h"

#include "compiler/plan/order.h"
#include "runtime/base/ascii.h"
#include "runtime/kernels/matchers.h"

namespace hawser::eval {
namespace {

using abi::EntryPoint;

class Walker {
 public:
  Walker(const Evaluator& evaluator, model::ProxyId frontend, exec::Subject& subject, exec::WorkerContext& worker)
      : evaluator_(evaluator), frontend_(frontend), subject_(subject), worker_(worker) {}

  Walk walk(http::Head* response, const compiler::ProxyOrder& order) {
    const bool http = subject_.request != nullptr;
    if (http && visit(frontend_, EntryPoint::http_request)) return std::move(walk_);
    choose();
    if (!walk_.backend) return std::move(walk_);
    const model::ProxyId backend = *walk_.backend;
    subject_.exchange->backend = static_cast<std::int32_t>(order.index(backend));
    if (!http) return std::move(walk_);
    if (backend != frontend_ && visit(backend, EntryPoint::http_request)) return std::move(walk_);
    add_forwarded_for(backend);
    if (response == nullptr) return std::move(walk_);
    subject_.response = response;
    subject_.exchange->status = response->status;
    subject_.req->clear();  // they live as long as the request's rules
    if (visit(backend, EntryPoint::http_response)) return std::move(walk_);
    if (backend != frontend_) visit(frontend_, EntryPoint::http_response);
    return std::move(walk_);
  }

 private:
  const model::Proxy& proxy(model::ProxyId id) const { return evaluator_.config().proxies[id]; }

  // True when it is over: it answers, or closes.
  bool visit(model::ProxyId id, EntryPoint point) {
    Visit& visit = walk_.visits.emplace_back();
    visit.proxy = id;
    visit.point = point;
    visit.end = evaluator_.run(id, point, subject_, worker_, &visit.trace);
    walk_.answered = visit.end.kind == exec::Outcome::Kind::reply;
    walk_.closed = visit.end.kind == exec::Outcome::Kind::close;
    return walk_.answered || walk_.closed;
  }

  void choose() {
    visit(frontend_, EntryPoint::choose_backend);
    walk_.reached_choice = true;
    const model::Proxy& frontend = proxy(frontend_);
    if (const auto chosen = walk_.visits.back().end.backend) {
      walk_.backend = chosen;
      walk_.choice = Walk::Choice::rule;
    } else if (frontend.default_backend_id) {
      walk_.backend = frontend.default_backend_id;
      walk_.choice = Walk::Choice::default_backend;
    } else if (frontend.backend()) {
      walk_.backend = frontend_;
      walk_.choice = Walk::Choice::itself;
    }
  }

  // `option forwardfor`: the backend's goes before the frontend's.
  void add_forwarded_for(model::ProxyId backend) {
    const model::Proxy::ForwardFor& option =
        (*proxy(backend).forward_for).enabled ? *proxy(backend).forward_for : *proxy(frontend_).forward_for;
    const IpAddress client = subject_.session->client.ip();
    if (!option.enabled || client.family == IpAddress::Family::none) return;
    if (option.except.family == client.family &&
        kernels::same_prefix(client.bytes.data(), option.except.bytes.data(), option.except_bits)) {
      return;
    }
    const std::string name = lower_cased(option.field);
    if (option.if_none && subject_.request->find(name) != nullptr) return;
    subject_.request->add(*subject_.arena, name, client.to_string());
    walk_.forwarded_field = name;
  }

  const Evaluator& evaluator_;
  model::ProxyId frontend_;
  exec::Subject& subject_;
  exec::WorkerContext& worker_;
  Walk walk_;
};

}  // namespace

Walk walk(const Evaluator& evaluator, model::ProxyId frontend, exec::Subject& subject, exec::WorkerContext& worker,
          http::Head* response) {
  return Walker(evaluator, frontend, subject, worker).walk(response, compiler::ProxyOrder(evaluator.config()));
}

}  // namespace hawser::eval
