// Samples: names, arguments, types, variables, and the points at which they are there.
#include <doctest/doctest.h>

#include "compiler/resolve/availability.h"
#include "compiler/resolve/names.h"
#include "tests/unit/compiler/resolve_helper.h"

namespace hawser::compiler {
namespace {

const model::SampleExpr& sample_of(const Reading& reading) { return *reading.request_rules().at(0).sample; }

std::string refusal(std::string_view sample, std::string_view keyword = "http-request") {
  return Reading(std::string(keyword) + " set-var(txn.a) " + std::string(sample)).said();
}

bool refuses(std::string_view sample, std::string_view reason) {
  return refusal(sample).find(std::string(reason) + ".\n") != std::string::npos;
}

}  // namespace

TEST_CASE("no word that has a row is also a word for later") {
  for (const NameKind kind : {NameKind::fetch, NameKind::converter, NameKind::alias}) {
    for (const std::string_view name : known_names(kind)) CHECK_MESSAGE(!is_later(kind, name), name);
  }
  for (const std::string_view name : later_names(NameKind::criterion))
    CHECK_MESSAGE(find_criterion(name) == nullptr, name);
}

TEST_CASE("a sample's converters follow it in order, with the type of the last") {
  const Reading reading("http-request set-var(txn.a) req.hdr(host,-1),field(1,:),length");
  REQUIRE(reading.said() == "");
  const model::SampleExpr& sample = sample_of(reading);
  CHECK(sample.fetch == abi::FetchId::req_hdr);
  CHECK(std::get<std::string>(sample.args.at(0)) == "host");
  CHECK(std::get<std::int64_t>(sample.args.at(1)) == -1);
  REQUIRE(sample.converters.size() == 2);
  CHECK(sample.converters[0].converter == abi::ConverterId::field);
  CHECK(std::holds_alternative<std::monostate>(sample.converters[0].args.at(2)));
  CHECK(sample.result == abi::SampleType::sint);
}

TEST_CASE("a sample goes on in the words behind it that are converters") {
  const Reading reading("http-request set-var(txn.a) path upper,lower length if TRUE");
  REQUIRE(reading.said() == "");
  CHECK(sample_of(reading).converters.size() == 3);
  CHECK(reading.request_rules()[0].condition.has_value());
}

TEST_CASE("hdr is the request's field in a request and the response's in a response") {
  const Reading reading("http-request set-var(txn.a) hdr(host)\nhttp-response set-var(txn.b) hdr(server)");
  REQUIRE(reading.said() == "");
  CHECK(reading.request_rules().at(0).sample->fetch == abi::FetchId::req_hdr);
  CHECK(reading.response_rules().at(0).sample->fetch == abi::FetchId::res_hdr);
}

TEST_CASE("what arguments lack is said as haproxy says it") {
  CHECK(refuses("hdr(a,1x)", "fetch method 'hdr' : failed to parse '1x' as type 'integer' at position 2"));
  CHECK(refuses("src(a)", "fetch method 'src' : expected ')' before 'a)'"));
  CHECK(refuses("path,lower(x)", "invalid arg 1 in converter 'lower' : expected ')' before 'x)'"));
  CHECK(refuses("path,field",
                "invalid arg 1 in converter 'field' : expected type 'integer' at position 1, but got nothing"));
  CHECK(refuses("path,word(1)",
                "invalid arg 2 in converter 'word' : missing arguments (got 1/2), type 'string' expected"));
  CHECK(refuses("path,word(1,)", "invalid args in converter 'word' : Empty separators list"));
  CHECK(refuses("path,field(0,/)", "invalid args in converter 'field' : Unexpected value 0 for index"));
  CHECK(refuses("path,add(5x)", "invalid args in converter 'add' : expects an integer or a variable name"));
  CHECK(refuses("path,concat(a,b)", "invalid args in converter 'concat' : failed to register variable name 'b'"));
}

TEST_CASE("an integer argument that does not fit is the nearest that does") {
  const Reading reading("http-request set-var(txn.a) path,add(99999999999999999999)");
  REQUIRE(reading.said() == "");
  CHECK(std::get<std::int64_t>(sample_of(reading).converters[0].args.at(0)) == INT64_MAX);
}

TEST_CASE("a value may be a variable") {
  const Reading reading("http-request set-var(txn.a) src_port,sub(sess.base)");
  REQUIRE(reading.said() == "");
  const auto& variable = std::get<model::Variable>(sample_of(reading).converters[0].args.at(0));
  CHECK(variable.scope == abi::VariableScope::sess);
  CHECK(variable.name == "base");
}

TEST_CASE("a converter that cannot take the sample's type is refused") {
  CHECK(refuses("method,add(1)", "converter 'add' cannot be applied"));
  CHECK(refusal("src,add(1)") == "");
  CHECK(refusal("var(txn.b),add(1)") == "");
  CHECK(!can_cast(abi::SampleType::boolean, abi::SampleType::address));
  CHECK(can_cast(abi::SampleType::sint, abi::SampleType::address));
}

TEST_CASE("a name that HAProxy does not know gets its message and a guess, one that it knows is not supported") {
  const Reading unknown("http-request set-var(txn.a) pathh");
  CHECK(unknown.said().find("unknown fetch method 'pathh'.") != std::string::npos);
  CHECK(unknown.diagnostics.all().at(0).hint == "did you mean 'path'?");
  CHECK(unknown.pointed_at() == "pathh");
  const Reading later("http-request set-var(txn.a) path,base64");
  CHECK(later.diagnostics.all().at(0).unsupported);
  CHECK(later.said().find("the converter 'base64' is not supported by hawser yet") != std::string::npos);
  CHECK(later.pointed_at() == "base64");
}

TEST_CASE("a variable's name begins with its scope and holds letters, digits, dots and underscores") {
  CHECK(refuses("var(a)",
                "invalid variable name 'a'. A variable name must be start by its scope. The scope can be 'proc', "
                "'sess', 'txn', 'req', 'res' or 'check'"));
  CHECK(refuses("var(TXN.a)", "'sess', 'txn', 'req', 'res' or 'check'"));
  CHECK(refuses("var(txn.a!b)", "invalid syntax at char '!b'"));
  CHECK(refuses("var()", "Empty variable name cannot be accepted"));
  CHECK(refusal("var(txn.a.b_C1)") == "");
}

TEST_CASE("a fetch is refused where what it reads is not there") {
  CHECK(refusal("path", "http-response")
            .find("extracts information from 'HTTP request headers', none of which is available "
                  "here") != std::string::npos);
  CHECK(refusal("method", "http-response") == "");
  CHECK(refusal("status").find("'HTTP response'") != std::string::npos);
  CHECK(available_at(*find_fetch("status"), abi::EntryPoint::log));
  CHECK(!available_at(*find_fetch("res.hdr"), abi::EntryPoint::log));
  CHECK(!available_at(*find_fetch("path"), abi::EntryPoint::log));
  CHECK(available_at(*find_fetch("method"), abi::EntryPoint::log));
}

}  // namespace hawser::compiler
