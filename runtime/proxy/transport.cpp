#include "runtime/proxy/transport.h"

#include <cerrno>

#include "runtime/base/check.h"
#include "runtime/proxy/core.h"

namespace hawser::proxy {

Transport::Transport(Core& core, Owner& owner) noexcept
    : core_(core), owner_(owner), receive_(*this, &Transport::received), send_(*this, &Transport::sent) {}

void Transport::adopt(io::Descriptor descriptor) noexcept {
  HAWSER_DCHECK(descriptor_ < 0);
  descriptor_ = descriptor;
}

void Transport::connect(io::Descriptor descriptor, const SocketAddress& address) noexcept {
  HAWSER_DCHECK(descriptor_ < 0);
  descriptor_ = descriptor;
  connecting_ = true;
  core_.ring->connect(send_, descriptor_, address);
}

void Transport::receive() noexcept {
  wanted_ = true;
  if (receive_.in_flight || starved_ || ended_ || closing_ || descriptor_ < 0) return;
  core_.ring->receive(receive_, descriptor_);
}

void Transport::pause() noexcept {
  wanted_ = false;
  if (receive_.in_flight) core_.ring->cancel(receive_);
}

void Transport::balance(std::size_t bytes_max) noexcept {
  if (input_.bytes() >= bytes_max || input_.count() >= kSlicesMax) {
    if (wanted_) pause();
  } else if (!wanted_ && input_.bytes() * 2 <= bytes_max && input_.count() * 2 <= kSlicesMax) {
    receive();
  }
}

void Transport::restart_receive() noexcept {
  starved_ = false;
  if (wanted_) receive();
}

void Transport::received(io::Operation& operation, const io::Completion& completion) noexcept {
  Transport& transport = static_cast<Operation&>(operation).transport;
  transport.core_.tick();
  transport.on_receive(completion);
}

void Transport::on_receive(const io::Completion& completion) noexcept {
  if (completion.buffer) {
    if (closing_) {
      core_.ring->release(completion.buffer);
    } else {
      input_.push(core_.chunks->received(completion.buffer));
    }
  }
  bool news = static_cast<bool>(completion.buffer);
  if (!completion.more) {
    if (completion.result == 0) {
      ended_ = news = true;
    } else if (completion.result == -ENOBUFS) {
      if (!closing_) core_.starve(*this);
    } else if (completion.result < 0 && completion.result != -ECANCELED) {
      ended_ = news = true;
      input_error_ = -completion.result;
    } else if (wanted_ && !closing_) {
      core_.ring->receive(receive_, descriptor_);
    }
  }
  if (closing_) return close_when_quiet();
  if (news) owner_.on_received();
}

void Transport::flush() noexcept {
  if (send_.in_flight || connecting_ || output_.empty() || closing_) return;
  if (output_error_ != 0) {
    output_.clear();
    return;
  }
  start_send();
}

void Transport::start_send() noexcept {
  batch_ = &core_.take_batch();
  batch_->count = 0;
  sending_bytes_ = 0;
  while (!output_.empty() && batch_->count < SendBatch::kSlices) {
    Slice slice = output_.pop();
    sending_bytes_ += slice.size();
    batch_->vectors[batch_->count] = {const_cast<char*>(slice.view().data()), slice.size()};
    batch_->slices[batch_->count++] = std::move(slice);
  }
  core_.ring->send(send_, descriptor_, {batch_->vectors, batch_->count}, !output_.empty());
}

void Transport::sent(io::Operation& operation, const io::Completion& completion) noexcept {
  Transport& transport = static_cast<Operation&>(operation).transport;
  transport.core_.tick();
  transport.on_send(completion);
}

void Transport::on_send(const io::Completion& completion) noexcept {
  if (connecting_) {
    connecting_ = false;
    if (closing_) return close_when_quiet();
    return owner_.on_connected(completion.result < 0 ? -completion.result : 0);
  }
  core_.give_batch(*std::exchange(batch_, nullptr));
  sending_bytes_ = 0;
  if (completion.result < 0) {
    output_error_ = -completion.result;
    output_.clear();
  }
  if (closing_) return close_when_quiet();
  if (!output_.empty()) return start_send();
  if (finishing_ && output_error_ == 0) core_.ring->finish(descriptor_);
  owner_.on_sent();
}

void Transport::finish_output() noexcept {
  if (finishing_ || descriptor_ < 0) return;
  finishing_ = true;
  if (unsent() == 0 && !connecting_) core_.ring->finish(descriptor_);
}

void Transport::close() noexcept {
  if (closing_) return;
  closing_ = true;
  wanted_ = false;
  if (starved_) core_.feed(*this);
  if (receive_.in_flight) core_.ring->cancel(receive_);
  if (send_.in_flight) core_.ring->cancel(send_);
  output_.clear();
  input_.clear();
  close_when_quiet();
}

void Transport::close_when_quiet() noexcept {
  if (descriptor_ < 0 || receive_.in_flight || send_.in_flight) return;
  core_.ring->close(std::exchange(descriptor_, -1));
}

void Transport::reset_on_close() noexcept {
  if (descriptor_ >= 0) core_.ring->reset_on_close(descriptor_);
}

void Transport::drop_on_close() noexcept {
  if (descriptor_ >= 0) core_.ring->drop_on_close(descriptor_);
}

SocketAddress Transport::local_address() const noexcept { return core_.ring->local_address(descriptor_); }

SocketAddress Transport::peer_address() const noexcept { return core_.ring->peer_address(descriptor_); }

void Transport::recycle() noexcept {
  HAWSER_DCHECK(gone());
  wanted_ = starved_ = ended_ = connecting_ = finishing_ = closing_ = false;
  input_error_ = output_error_ = 0;
  input_.clear();
  output_.clear();
  sending_bytes_ = 0;
}

}  // namespace hawser::proxy
