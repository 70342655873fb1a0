#include "adapters/inbound/rest/server/session.h"

#include <boost/asio/post.hpp>
#include <cstdio>
#include <exception>
#include <utility>

#include "adapters/inbound/rest/problem.h"
#include "adapters/inbound/rest/server/limits.h"
#include "adapters/inbound/rest/server/reply_head.h"
#include "adapters/inbound/rest/server/streamed_answer.h"

namespace gp {

namespace net = boost::asio;
using boost::system::error_code;

Session::Session(std::shared_ptr<Transport> transport, FarEnd far_end, Shared& shared, Lane& lane,
                 std::atomic<size_t>& open)
    : transport_(std::move(transport)),
      shared_(shared),
      lane_(lane),
      open_(open),
      far_end_(std::move(far_end)) {
  ++open_;
}

Session::~Session() { --open_; }

void Session::Begin() {
  transport_->ExpiresAfter(kHandshakeTime);
  transport_->Begin([self = shared_from_this()](const error_code& error, size_t) {
    if (!error) self->Read();
  });
}

void Session::Read() {
  reader_.Next();
  transport_->ExpiresAfter(kRequestTime);
  Continue(reader_.Take(0));
}

void Session::Continue(RequestReader::Progress progress) {
  if (progress == RequestReader::Progress::kRefused) return Send(reader_.refusal(), false);
  if (progress == RequestReader::Progress::kWhole) return AnswerIt();
  transport_->ReadSome(reader_.Room(),
                       [self = shared_from_this()](const error_code& error, size_t bytes) {
                         if (!error) self->Continue(self->reader_.Take(bytes));
                         // On an error the peer is gone or timed out, or the server ends: no
                         // answer.
                       });
}

void Session::AnswerIt() {
  transport_->ExpiresNever();  // an answer may take long
  HttpRequest& request = reader_.request();
  request.from = far_end_.from;
  request.peer = far_end_.peer;
  if (!shared_.handler.takes_long(request)) return Send(Answer(request), MayContinue());
  net::post(shared_.long_work, [self = shared_from_this()] {
    HttpReply reply = self->Answer(self->reader_.request());
    net::post(self->transport_->executor(), [self, reply = std::move(reply)]() mutable {
      self->Send(std::move(reply), self->MayContinue());
    });
  });
}

// An exception in one answer must not end the process.
HttpReply Session::Answer(const HttpRequest& request) const {
  try {
    return shared_.handler.answer(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu-platform: an answer over HTTP failed: %s\n", error.what());
    return ProblemWithStatus(500, "the controller failed to answer");
  }
}

bool Session::MayContinue() const { return reader_.may_go_on() && !shared_.is_ending; }

void Session::Send(HttpReply reply, bool keep_alive) {
  if (reply.stream != nullptr) return BeginStream(std::move(reply));
  head_ = HeadOf(reply, reader_.version(), keep_alive, reply.body.size());
  body_ = std::move(reply.body);
  transport_->ExpiresAfter(kAnswerTime);
  transport_->Write(head_, body_,
                    [self = shared_from_this(), keep_alive](const error_code& error, size_t) {
                      if (!error && keep_alive) return self->Read();
                      self->End();
                    });
}

void Session::BeginStream(HttpReply reply) {
  const auto refuse = [self = shared_from_this()](const Error& why) {
    self->Send(ProblemOf(why), false);
  };
  std::make_shared<StreamedAnswer>(transport_, std::move(reply), refuse)->Begin(lane_);
}

void Session::End() {
  transport_->ExpiresAfter(kAnswerTime);
  transport_->End([self = shared_from_this()](const error_code&, size_t) {});
}

}  // namespace gp
