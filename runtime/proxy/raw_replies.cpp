#include "runtime/proxy/raw_replies.h"

#include "runtime/proxy/codec.h"

namespace hawser::proxy {

const RawReply* RawReplies::read(std::uint32_t row, std::string_view text) noexcept {
  const auto [found, is_new] = replies_.try_emplace(row);
  RawReply& reply = found->second;
  if (is_new) {
    http::HeadLimits limits;
    limits.head_bytes_max = text.size();
    reply.result = h1_codec().make_response_reader()->read_head(text, arena_, reply.head, limits);
    if (reply.result.read == http::Read::complete) reply.body = text.substr(reply.result.consumed);
  }
  return reply.result.read == http::Read::complete ? &reply : nullptr;
}

}  // namespace hawser::proxy
