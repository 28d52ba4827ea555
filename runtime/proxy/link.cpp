#include "runtime/proxy/link.h"

#include "runtime/base/check.h"

namespace hawser::proxy {

Link::Link(Core& core) noexcept : core_(core), transport_(core, *this) {}

int Link::open(backend::ServerKey key, const SocketAddress& address, const Codec* codec, User& user) noexcept {
  key_ = key;
  address_ = address;
  codec_ = codec;
  user_ = &user;
  connected_ = false;
  if (codec != nullptr) {
    if (reader_codec_ != codec) {
      reader_ = codec->make_response_reader();
      reader_codec_ = codec;
    }
    reader_->reset();
  }
  const io::Descriptor descriptor = core_.ring->open_stream(address.family());
  if (descriptor < 0) {
    user_ = nullptr;
    core_.recycle(*this);
    return -descriptor;
  }
  core_.idle->used(key_);
  core_.server_counters(key_.proxy, key_.server).connects.add();
  transport_.connect(descriptor, address_);
  return 0;
}

void Link::use(User& user) noexcept {
  HAWSER_DCHECK(user_ == nullptr && connected_);
  user_ = &user;
  reader_->reset();
  core_.idle->used(key_);
  tables::Counters& counters = core_.server_counters(key_.proxy, key_.server);
  counters.reuses.add();
  counters.idle.add(-1);
}

void Link::part(bool reusable) noexcept {
  HAWSER_DCHECK(user_ != nullptr);
  user_ = nullptr;
  core_.idle->unused(key_);
  const bool clean = transport_.input().empty() && !transport_.input_ended() && transport_.unsent() == 0 &&
                     transport_.output_error() == 0 && !transport_.output_finished();
  if (reusable && clean && connected_ && !core_.draining && core_.idle->put(key_, *this)) {
    core_.server_counters(key_.proxy, key_.server).idle.add();
    transport_.receive();  // the server may close it, or send what nobody asked for: both end it
    return;
  }
  close();
}

void Link::close() noexcept {
  transport_.close();
  core_.leave(*this);
}

void Link::on_received() noexcept {
  if (user_ != nullptr) return user_->on_link_received();
  if (!pooled()) return;
  core_.idle->remove(*this);
  expire();
}

void Link::on_sent() noexcept {
  if (user_ != nullptr) user_->on_link_sent();
}

void Link::on_connected(int error) noexcept {
  connected_ = error == 0;
  if (connected_) {
    local_ = transport_.local_address();
    transport_.receive();
  }
  if (user_ != nullptr) user_->on_link_connected(error);
}

// Out of the pool already.
void Link::expire() noexcept {
  core_.server_counters(key_.proxy, key_.server).idle.add(-1);
  close();
}

void Link::take_back() noexcept {
  transport_.recycle();
  forget_past();
  core_.recycle(*this);
}

}  // namespace hawser::proxy
