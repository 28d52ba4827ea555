// A session with a request and a response for programs to run about.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "runtime/exec/run.h"

namespace hawser::test {

struct World {
  exec::SessionFacts session;
  exec::ExchangeFacts exchange;
  http::Head request;
  http::Head response;
  exec::Variables txn, req, res;
  Arena arena;
  exec::WorkerContext worker;
  exec::Frame frame;

  World() {
    session.client = SocketAddress::ip(*IpAddress::parse("192.0.2.1"), 40000);
    session.local = SocketAddress::ip(*IpAddress::parse("192.0.2.80"), 80);
    set_request("GET", "/a/b?q=1");
    response.status = 200;
  }

  void set_request(std::string_view method, std::string_view target) {
    request.method = method;
    request.target = target;
    request.path = target;
  }
  void add(std::string_view name, std::string_view value) { request.add(arena, name, value); }

  exec::Subject subject() {
    exec::Subject subject;
    subject.session = &session;
    subject.exchange = &exchange;
    subject.request = &request;
    subject.response = &response;
    subject.txn = &txn;
    subject.req = &req;
    subject.res = &res;
    subject.arena = &arena;
    return subject;
  }

  // The values of a field, in order.
  static std::vector<std::string_view> values(const http::Head& head, std::string_view name) {
    std::vector<std::string_view> found;
    for (const http::Field& field : head.fields) {
      if (!field.removed && field.name == name) found.push_back(field.value);
    }
    return found;
  }
};

}  // namespace hawser::test
