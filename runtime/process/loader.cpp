#include "runtime/process/loader.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "runtime/process/load_job.h"
#include "runtime/process/loader_process.h"

namespace hawser::process {
namespace {

constexpr std::size_t kSaidBytesMax = 64 << 10;
constexpr const char* kGone = "the loader, the process that compiles, is gone";

// What a job said; of very much, the beginning.
std::string text_of(int file) {
  std::string text(kSaidBytesMax, '\0');
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

NativeAnswer to_answer(const Message& message, std::vector<OwnedDescriptor>& descriptors) {
  NativeAnswer answer{message.number, message.milliseconds, {}, std::string(message.get_text()),
                      message.kept,   message.peak_kb};
  if (!descriptors.empty()) answer.code = std::move(descriptors.front());
  if (!answer.code && answer.failure.empty()) answer.failure = "there is no code";
  return answer;
}

}  // namespace

Loader::~Loader() {
  channel_.reset();
  if (pid_ < 0) return;
  int status;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

bool Loader::start(const Load& load, Messages& messages) {
  channel_.reset();
  pid_ = -1;
  auto channel = make_channel();
  if (!channel) {
    messages.alert(fmt::format("cannot start the loader: {}", channel.error().message));
    return false;
  }
  const pid_t served = getpid();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    messages.alert(fmt::format("cannot start the loader: cannot fork: {}", std::strerror(errno)));
    return false;
  }
  if (child == 0) {
    channel->first.reset();
    run_loader(std::move(channel->second), load, messages, served);
  }
  channel_ = std::move(channel->first);
  pid_ = child;
  return true;
}

Loaded Loader::load(Messages& messages) {
  Message request;
  request.kind = Message::Kind::load;
  std::vector<OwnedDescriptor> files;
  std::optional<Message> answer;
  if (send_message(channel_.get(), request, {})) answer = await(Message::Kind::load, files);
  std::string failure = answer ? std::string(answer->get_text()) : kGone;
  if (files.size() == (failure.empty() ? kLoadFiles + 1 : 1)) {
    messages.pass_on(text_of(files.back().get()));
    files.pop_back();
  }
  if (failure.empty()) {
    Result<LoadResult> result = read_loaded(files);
    if (result) {
      if (result->introduced) messages.started();
      return std::move(result->loaded);
    }
    failure = result.error().message;
  }
  messages.alert(fmt::format("the configuration could not be loaded: {}.", failure));
  Loaded failed;
  failed.exit_status = 1;
  return failed;
}

bool Loader::request_native(std::uint32_t number, int program_file, std::uint32_t cpu_seconds, bool symbols) {
  Message request;
  request.kind = Message::Kind::native;
  request.number = number;
  request.cpu_seconds = cpu_seconds;
  request.symbols = symbols;
  return channel_ && send_message(channel_.get(), request, std::array{program_file});
}

std::optional<NativeAnswer> Loader::take_native(Waiting waiting) {
  while (answers_.empty()) {
    Message message;
    std::vector<OwnedDescriptor> descriptors;
    const Received received =
        channel_ ? receive_message(channel_.get(), waiting, message, descriptors) : Received::closed;
    if (received == Received::nothing) return std::nullopt;
    if (received == Received::closed) {
      lost();
      return NativeAnswer{0, 0, {}, kGone, false, 0};
    }
    if (message.kind == Message::Kind::native) answers_.push_back(to_answer(message, descriptors));
  }
  NativeAnswer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

void Loader::settle() {
  Message request;
  request.kind = Message::Kind::settle;
  std::vector<OwnedDescriptor> descriptors;
  if (channel_ && send_message(channel_.get(), request, {})) await(Message::Kind::settle, descriptors);
}

std::optional<Message> Loader::await(Message::Kind kind, std::vector<OwnedDescriptor>& descriptors) {
  Message message;
  while (receive_message(channel_.get(), Waiting::yes, message, descriptors) == Received::message) {
    if (message.kind == kind) return message;
    if (message.kind == Message::Kind::native) answers_.push_back(to_answer(message, descriptors));
  }
  lost();
  return std::nullopt;
}

// It has ended, or does not speak our language: either way there is none.
void Loader::lost() noexcept {
  channel_.reset();
  if (pid_ >= 0 && waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
}

}  // namespace hawser::process
