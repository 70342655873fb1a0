#pragma once

// gRPC streams as the Sink and Conversation of the API.

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <functional>
#include <mutex>

#include "adapters/inbound/api/streams/streams.h"
#include "base/result.h"

namespace gp {

// Whether the caller of a stream still has access: tokens expire or are revoked, and roles change.
// Asks again at most once a second.  Any thread.
class Admission {
 public:
  explicit Admission(std::function<Status()> ask) : ask_(std::move(ask)) {}

  bool Holds() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!status_ || now < next_) return status_.has_value();
    next_ = now + kAskEvery;
    status_ = ask_();
    return status_.has_value();
  }
  // The result of the last check.
  Status status() {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  static constexpr std::chrono::seconds kAskEvery{1};

  const std::function<Status()> ask_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kAskEvery;
  Status status_ = Ok();
};

// A server-side stream.
template <typename Message>
class GrpcSink : public Sink<Message> {
 public:
  GrpcSink(grpc::ServerContext& context, Admission& admission, grpc::ServerWriter<Message>& writer)
      : context_(context), admission_(admission), writer_(writer) {}
  bool Write(const Message& message) override { return writer_.Write(message); }
  bool IsGone() const override { return context_.IsCancelled() || !admission_.Holds(); }

 private:
  grpc::ServerContext& context_;
  Admission& admission_;
  grpc::ServerWriter<Message>& writer_;
};

// A stream in both directions.
template <typename Input, typename Output>
class GrpcConversation : public Conversation<Input, Output> {
 public:
  GrpcConversation(grpc::ServerContext& context, Admission& admission,
                   grpc::ServerReaderWriter<Output, Input>& stream)
      : context_(context), admission_(admission), stream_(stream) {}
  bool Write(const Output& message) override {
    return admission_.Holds() && stream_.Write(message);
  }
  bool IsGone() const override { return context_.IsCancelled() || !admission_.Holds(); }
  bool Read(Input* message) override { return stream_.Read(message) && admission_.Holds(); }
  void Break() override { context_.TryCancel(); }

 private:
  grpc::ServerContext& context_;
  Admission& admission_;
  grpc::ServerReaderWriter<Output, Input>& stream_;
};

}  // namespace gp
