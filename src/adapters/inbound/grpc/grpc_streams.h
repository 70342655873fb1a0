#pragma once

// Streams of gRPC calls as the API speaks of them.

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <functional>
#include <mutex>

#include "adapters/inbound/api/streams.h"
#include "base/result.h"

namespace gp {

// Whether the caller of a stream may go on: tokens end and are revoked, roles are taken away. Asked
// now and then; any thread.
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
  // What came of it.
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
