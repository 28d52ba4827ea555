#include "runtime/proxy/body.h"

namespace hawser::proxy {

static_assert(http::kBodyFramingMax <= Chunk::kSmallBytes, "a run's framing fits a small chunk");

void BodyPump::begin(const http::BodyFraming& framing, http::MessageReader& reader,
                     http::MessageWriter& writer) noexcept {
  framing_ = target_ = framing;
  reader_ = &reader;
  writer_ = &writer;
  moved_ = 0;
  malformed_ = promised_ = false;
  promise_left_ = 0;
  done_ = framing.kind == http::BodyKind::none || (framing.kind == http::BodyKind::length && framing.length == 0);
}

void BodyPump::reframe(const http::BodyFraming& target) noexcept {
  target_ = target;
  promised_ =
      target.kind == http::BodyKind::length && (framing_.kind != target.kind || framing_.length != target.length);
  promise_left_ = promised_ ? target.length : 0;
}

void BodyPump::write_end(Transport& target, ChunkPool& chunks) noexcept {
  if (target_.kind != http::BodyKind::chunked) return;
  Chunk& end = chunks.begin_writing();
  writer_->write_end(end.bytes, target_, reader_->trailers());
  target.queue(ChunkPool::finish(end));
}

void BodyPump::count(const http::BodyStep& step) noexcept {
  moved_ += step.payload.size();
  if (!step.done || framing_.kind != http::BodyKind::chunked) return;
  moved_ += 1;
  for (const http::Field& field : reader_->trailers()) moved_ += field.name.size() + field.value.size();
}

void BodyPump::run(Transport& source, Transport& target, ChunkPool& chunks, std::size_t unsent_max) noexcept {
  SliceQueue& input = source.input();
  char framing[http::kBodyFramingMax];
  while (!done_ && !malformed_ && !input.empty() && !target.output_full(unsent_max)) {
    const Slice& front = input.front();
    const http::BodyStep step = reader_->read_body(front.view());
    if (promised_) {
      malformed_ = step.payload.size() > promise_left_;
      if (malformed_) return;
      promise_left_ -= step.payload.size();
    }
    if (!step.payload.empty()) {
      if (const std::size_t size = writer_->before_payload(target_, step.payload.size(), framing)) {
        target.queue(chunks.small({framing, size}));
      }
      target.queue(front.part(step.payload));
      if (const std::size_t size = writer_->after_payload(target_, framing)) {
        target.queue(chunks.small({framing, size}));
      }
    }
    count(step);
    malformed_ = step.malformed;
    done_ = step.done;
    if (step.done) write_end(target, chunks);
    input.drop_front(step.consumed);
    if (step.consumed == 0 && !step.done) break;
  }
}

void BodyPump::discard(Transport& source) noexcept {
  SliceQueue& input = source.input();
  while (!done_ && !malformed_ && !input.empty()) {
    const http::BodyStep step = reader_->read_body(input.front().view());
    count(step);
    malformed_ = step.malformed;
    done_ = step.done;
    input.drop_front(step.consumed);
    if (step.consumed == 0 && !step.done) break;
  }
}

bool BodyPump::end_of_stream(Transport& target, ChunkPool& chunks) noexcept {
  if (done_ || !reader_->end_of_stream()) return done_;
  write_end(target, chunks);
  done_ = true;
  return true;
}

}  // namespace hawser::proxy
