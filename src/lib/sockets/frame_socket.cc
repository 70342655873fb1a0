#include "lib/sockets/frame_socket.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gp {
namespace {

constexpr size_t kHeadBytes = 4;
constexpr size_t kReadBytes = 16 << 10;
// Of one Receive: one peer that sends without a pause does not keep others waiting.
constexpr size_t kReceiveBytesMax = 256 << 10;
// A larger buffer is not kept for the next frames.
constexpr size_t kKeptBytesMax = 4 << 10;

std::string HeadOf(size_t length) {
  std::string head(kHeadBytes, '\0');
  for (size_t i = 0; i < kHeadBytes; ++i)
    head[i] = static_cast<char>(length >> (8 * (kHeadBytes - 1 - i)) & 0xff);
  return head;
}

void Forget(std::string& buffer, size_t& done) {
  if (done < buffer.size()) return;
  buffer.clear();
  if (buffer.capacity() > kKeptBytesMax) buffer.shrink_to_fit();
  done = 0;
}

Result<IoProgress> OfSystemCall(ssize_t result, bool has_ended) {
  if (result > 0 || (result == 0 && !has_ended))
    return IoProgress{static_cast<size_t>(result), false, false};
  if (result == 0) return IoProgress{0, true, false};
  if (errno == EAGAIN || errno == EINTR) return IoProgress{};
  return Fail(Unavailable(std::strerror(errno)));
}

}  // namespace

FrameSocket::FrameSocket(Descriptor socket, const TlsSide* tls, size_t frame_bytes_max)
    : socket_(std::move(socket)), frame_bytes_max_(frame_bytes_max) {
  if (tls != nullptr) tls_.emplace(*tls, socket_.get());
}

Status FrameSocket::Continue() {
  if (!is_open()) {
    const IoProgress shaken = GP_TRY(tls_->Handshake());
    if (shaken.has_ended) return Fail(Unavailable("the peer ended the TLS handshake"));
    handshake_awaits_write_ = shaken.wants_write;
    if (!is_open()) return Ok();
  }
  while (has_unsent()) {
    const IoProgress written = GP_TRY(Write(std::string_view(out_).substr(sent_)));
    if (written.bytes == 0) return Ok();
    sent_ += written.bytes;
  }
  Forget(out_, sent_);
  return Ok();
}

Status FrameSocket::Send(std::string_view frame) {
  const bool is_waiting = has_unsent() || !is_open();
  out_ += HeadOf(frame.size());
  out_ += frame;
  return is_waiting ? Ok() : Continue();
}

Status FrameSocket::Receive() {
  if (!is_open()) return Ok();
  in_.erase(0, taken_);
  taken_ = 0;
  char buffer[kReadBytes];
  has_more_ = true;
  for (size_t received = 0; has_more_ && received < kReceiveBytesMax;) {
    const IoProgress read = GP_TRY(Read(buffer, sizeof buffer));
    has_ended_ = has_ended_ || read.has_ended;
    read_awaits_write_ = read.wants_write;
    in_.append(buffer, read.bytes);
    received += read.bytes;
    // Less than there was room for: nothing is left, which would cost another call to learn.  What
    // TLS has pending may be a part of a record, of which nothing can be read.
    has_more_ = read.bytes == sizeof buffer || (read.bytes > 0 && tls_ && tls_->HasPending());
  }
  const std::optional<size_t> length = LengthOfNext();
  if (length > frame_bytes_max_)
    return Fail(InvalidArgument("a message of " + std::to_string(*length) + " bytes; at most " +
                                std::to_string(frame_bytes_max_) + " are accepted"));
  return Ok();
}

std::optional<std::string_view> FrameSocket::NextFrame() {
  const std::optional<size_t> length = LengthOfNext();
  if (!length || *length > frame_bytes_max_ || in_.size() - taken_ - kHeadBytes < *length) {
    Forget(in_, taken_);
    return std::nullopt;
  }
  const std::string_view frame = std::string_view(in_).substr(taken_ + kHeadBytes, *length);
  taken_ += kHeadBytes + *length;
  return frame;
}

bool FrameSocket::HasMore() const {
  const std::optional<size_t> length = LengthOfNext();
  const bool is_complete = length && in_.size() - taken_ - kHeadBytes >= *length;
  return is_complete || has_more_;
}

std::optional<size_t> FrameSocket::LengthOfNext() const {
  if (in_.size() - taken_ < kHeadBytes) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < kHeadBytes; ++i)
    length = length << 8 | static_cast<unsigned char>(in_[taken_ + i]);
  return length;
}

Result<IoProgress> FrameSocket::Read(char* buffer, size_t size) {
  if (tls_) return tls_->Read(buffer, size);
  return OfSystemCall(recv(socket_.get(), buffer, size, 0), true);
}

Result<IoProgress> FrameSocket::Write(std::string_view bytes) {
  if (tls_) return tls_->Write(bytes);
  return OfSystemCall(send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), false);
}

}  // namespace gp
