#include "adapters/inbound/rest/server/streamed_answer.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "adapters/inbound/rest/server/limits.h"
#include "adapters/inbound/rest/server/reply_head.h"

namespace gp {

namespace net = boost::asio;
using boost::system::error_code;

StreamedAnswer::StreamedAnswer(std::shared_ptr<Transport> transport, HttpReply reply,
                               Refusal refuse)
    : refuse_(std::move(refuse)),
      transport_(std::move(transport)),
      source_(std::move(reply.stream)),
      head_(HeadOf(reply, 11, false, std::nullopt)),
      begun_(transport_->executor()) {}

void StreamedAnswer::Begin(Lane& lane) {
  const std::weak_ptr<StreamedAnswer> weak = weak_from_this();
  source_->OnNews([weak, executor = transport_->executor()] {
    net::post(executor, [weak] {
      if (const auto self = weak.lock()) self->Push(false);
    });
  });
  lane.Add(shared_from_this());
  begun_.expires_at(std::chrono::steady_clock::time_point::max());
  // Keeps this alive until the result of the call is known
  begun_.async_wait([self = shared_from_this()](const error_code&) {});
  Push(false);
}

void StreamedAnswer::Push(bool is_beat) {
  if (source_ == nullptr) return;
  std::string beat = is_beat ? source_->Heartbeat() : "";
  if (is_sending_ || !source_->HasBegun()) return;
  if (!has_sent_head_) {
    begun_.cancel();
    // The result of the call is known: a stream or an error.
    const auto failure = source_->Failure();
    return failure ? Refuse(*failure) : SendHead();
  }
  auto piece = source_->Take();
  if (!piece) return EndStream();
  if (piece->empty()) piece = std::move(beat);
  if (!piece->empty()) SendPiece(*std::move(piece));
}

void StreamedAnswer::SendHead() {
  has_sent_head_ = true;
  is_sending_ = true;
  transport_->ExpiresAfter(kAnswerTime);
  transport_->Write(head_, {}, Sent(true));
}

void StreamedAnswer::SendPiece(std::string piece) {
  is_sending_ = true;
  // A client that reads too slowly is disconnected; it can resume where it was.
  transport_->ExpiresAfter(kAnswerTime);
  before_ = BeforeChunk(piece.size());
  piece_ = std::move(piece) + kAfterChunk;
  transport_->Write(before_, piece_, Sent(false));
}

Transport::Done StreamedAnswer::Sent(bool is_head) {
  return [self = shared_from_this(), is_head](const error_code& error, size_t) {
    self->is_sending_ = false;
    if (error) self->source_ = nullptr;
    if (!error && is_head) self->AwaitGone();
    if (!error && !is_head) self->transport_->ExpiresNever();
    self->Push(false);
  };
}

// A client sends nothing during a streaming answer: anything readable means that it is gone.
void StreamedAnswer::AwaitGone() {
  transport_->ExpiresNever();
  transport_->ReadSome(net::buffer(&nothing_, 1),
                       [self = shared_from_this()](const error_code&, size_t) {
                         self->source_ = nullptr;
                         self->transport_->Close();
                       });
}

void StreamedAnswer::Refuse(const Error& why) {
  source_ = nullptr;
  refuse_(why);
}

// Sends the last chunk only if the answer is complete.
void StreamedAnswer::EndStream() {
  const bool is_whole = !source_->Failure();
  source_ = nullptr;
  if (!is_whole) return transport_->Close();
  is_sending_ = true;
  transport_->ExpiresAfter(kAnswerTime);
  transport_->Write(kLastChunk, {}, [self = shared_from_this()](const error_code&, size_t) {
    self->transport_->Close();
  });
}

}  // namespace gp
