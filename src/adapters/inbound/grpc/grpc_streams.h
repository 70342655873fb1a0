#pragma once

// Streams of gRPC calls as the API speaks of them.

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include "adapters/inbound/api/streams.h"

namespace gp {

template <typename Message>
class GrpcSink : public Sink<Message> {
 public:
  GrpcSink(grpc::ServerContext& context, grpc::ServerWriter<Message>& writer) : context_(context), writer_(writer) {}
  bool Write(const Message& message) override { return writer_.Write(message); }
  bool IsGone() const override { return context_.IsCancelled(); }

 private:
  grpc::ServerContext& context_;
  grpc::ServerWriter<Message>& writer_;
};

template <typename Input, typename Output>
class GrpcConversation : public Conversation<Input, Output> {
 public:
  GrpcConversation(grpc::ServerContext& context, grpc::ServerReaderWriter<Output, Input>& stream) : context_(context), stream_(stream) {}
  bool Write(const Output& message) override { return stream_.Write(message); }
  bool IsGone() const override { return context_.IsCancelled(); }
  bool Read(Input* message) override { return stream_.Read(message); }
  void Break() override { context_.TryCancel(); }

 private:
  grpc::ServerContext& context_;
  grpc::ServerReaderWriter<Output, Input>& stream_;
};

}  // namespace gp
