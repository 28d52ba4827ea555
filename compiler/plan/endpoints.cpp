// Where a configuration listens, logs and what it answers: listeners, log targets, addresses, replies.
#include <fmt/format.h>

#include "compiler/plan/rows.h"

namespace hawser::compiler {

// Each address of a `bind` is a listener; a range of ports has been taken apart before.
abi::SocketOptions PlanWriter::socket_options(const model::Bind& bind) {
  abi::SocketOptions options;
  options.transparent = bind.transparent;
  options.fast_open = bind.fast_open;
  options.defer_accept = bind.defer_accept;
  options.v6_only = bind.v6_only;
  options.segment_bytes = bind.segment_bytes;
  options.user_timeout_ms = bind.user_timeout_ms;
  options.interface = builder_.text(bind.interface);
  return options;
}

void PlanWriter::add_listeners(const model::Proxy& proxy, std::uint32_t index, std::vector<abi::Listener>& rows) {
  Ids ids;
  for (const model::Bind& bind : proxy.binds) ids.reserve(bind.id);
  for (const model::Bind& bind : proxy.binds) {
    for (const model::Address& at : bind.addresses) {
      abi::Listener row;
      row.proxy = index;
      row.id = ids.next(&at == &bind.addresses.front() ? bind.id : std::nullopt);
      row.name = builder_.text(bind.name.empty() ? fmt::format("sock-{}", row.id) : bind.name);
      row.address = address(at);
      row.maxconn = bind.maxconn;
      row.backlog = bind.backlog != 0 ? bind.backlog : (proxy.backlog.is_set() ? *proxy.backlog : 0);
      row.unix_mode = bind.mode;
      if (bind.uid) row.unix_uid = *bind.uid;
      if (bind.gid) row.unix_gid = *bind.gid;
      row.options = socket_options(bind);
      row.threads = bind.threads;
      row.place = place(bind.span);
      rows.push_back(row);
    }
  }
}

// `log global` stands for the targets of the global section, at its place in the order.
abi::Rows<abi::LogTarget> PlanWriter::logs(const std::vector<model::LogTarget>& targets) {
  std::vector<abi::LogTarget> rows;
  for (const model::LogTarget& target : targets) {
    if (!target.global) {
      add_log(target, rows);
      continue;
    }
    for (const model::LogTarget& of_global : config_.global.logs) add_log(of_global, rows);
  }
  return builder_.rows(rows);
}

void PlanWriter::add_log(const model::LogTarget& target, std::vector<abi::LogTarget>& rows) {
  abi::LogTarget row;
  row.kind = target.kind;
  row.format = target.format;
  row.facility = target.facility;
  row.level_max = target.level_max;
  row.level_min = target.level_min;
  row.length_max = target.length_max;
  row.address = address(target.address);
  row.place = place(target.span);
  rows.push_back(row);
}

abi::Address PlanWriter::address(const model::Address& source) {
  abi::Address row;
  row.family = source.family;
  std::copy(source.ip.bytes.begin(), source.ip.bytes.end(), row.ip);
  row.port = source.port;
  row.descriptor = source.descriptor;
  row.path = builder_.text(source.path.empty() ? source.host : source.path);
  return row;
}

abi::Rows<abi::Reply> PlanWriter::replies() {
  std::vector<abi::Reply> rows;
  for (const model::Reply& source : config_.replies) rows.push_back(reply(source));
  for (const std::uint16_t status : kDenyStatus) {
    abi::Reply row;
    row.status = status;
    row.error_page = true;
    rows.push_back(row);
  }
  return builder_.rows(rows);
}

abi::Reply PlanWriter::reply(const model::Reply& source) {
  abi::Reply row;
  row.status = source.status;
  row.silent = source.silent;
  row.raw = source.raw;
  row.content_type = builder_.text(source.content_type);
  row.body = builder_.text(source.body);
  row.computed = source.body_format.has_value();
  row.error_page = source.is_error_page;
  std::vector<abi::Text> names;
  for (const auto& [name, format] : source.fields) names.push_back(builder_.text(name));
  row.field_names = builder_.rows(names);
  return row;
}

}  // namespace hawser::compiler
