#include "runtime/abi/sample.h"

#include <cstring>

namespace hawser::abi {

std::string_view to_string(SampleType type) noexcept {
  switch (type) {
    case SampleType::absent: return "absent";
    case SampleType::any: return "any";
    case SampleType::boolean: return "bool";
    case SampleType::sint: return "sint";
    case SampleType::address: return "addr";
    case SampleType::ipv4: return "ipv4";
    case SampleType::ipv6: return "ipv6";
    case SampleType::string: return "str";
    case SampleType::binary: return "bin";
    case SampleType::method: return "meth";
  }
  return "?";
}

std::string_view to_string(Match match) noexcept {
  switch (match) {
    case Match::found: return "found";
    case Match::boolean: return "bool";
    case Match::integer: return "int";
    case Match::ip: return "ip";
    case Match::binary: return "bin";
    case Match::length: return "len";
    case Match::string: return "str";
    case Match::substring: return "sub";
    case Match::regex: return "reg";
    case Match::begin: return "beg";
    case Match::end: return "end";
    case Match::directory: return "dir";
    case Match::domain: return "dom";
  }
  return "?";
}

Sample Sample::address(const IpAddress& address) noexcept {
  Sample sample;
  if (address.family == IpAddress::Family::none) return sample;
  const bool v4 = address.family == IpAddress::Family::v4;
  sample.type = v4 ? SampleType::ipv4 : SampleType::ipv6;
  std::memcpy(sample.ip, address.bytes.data(), v4 ? 4 : 16);
  return sample;
}

IpAddress Sample::to_address() const noexcept {
  IpAddress address;
  if (type == SampleType::ipv4) {
    address.family = IpAddress::Family::v4;
    std::memcpy(address.bytes.data(), ip, 4);
  } else if (type == SampleType::ipv6) {
    address.family = IpAddress::Family::v6;
    std::memcpy(address.bytes.data(), ip, 16);
  }
  return address;
}

}  // namespace hawser::abi
