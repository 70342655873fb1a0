// Calls over gRPC, many at a time on one connection: pipelined ADDRESS TOKEN CALLS OUTSTANDING
// First calls that do nothing, then as many submits of one job each, which are on the disk when
// they are answered. Prints both rates as a document.

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "gpu_platform/v1/control.grpc.pb.h"

namespace {

namespace v1 = gpu_platform::v1;

template <typename Reply>
struct Call {
  grpc::ClientContext context;
  grpc::Status status;
  Reply reply;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
};

// Calls a second, with `outstanding` calls in flight at any time.
template <typename Reply, typename Begin>
double RateOf(int calls, int outstanding, const std::string& token, Begin begin) {
  grpc::CompletionQueue queue;
  int begun = 0;
  const auto next = [&] {
    auto* call = new Call<Reply>;
    call->context.AddMetadata("authorization", "Bearer " + token);
    call->reader = begin(&call->context, &queue, begun++);
    call->reader->Finish(&call->reply, &call->status, call);
  };
  const auto from = std::chrono::steady_clock::now();
  while (begun < std::min(outstanding, calls)) next();
  for (int ended = 0; ended < calls; ++ended) {
    void* tag = nullptr;
    bool is_ok = false;
    queue.Next(&tag, &is_ok);
    const std::unique_ptr<Call<Reply>> call(static_cast<Call<Reply>*>(tag));
    if (!call->status.ok()) {
      std::fprintf(stderr, "refused: %s\n", call->status.error_message().c_str());
      std::exit(1);
    }
    if (begun < calls) next();
  }
  return calls / std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s ADDRESS TOKEN CALLS OUTSTANDING\n", argv[0]);
    return 2;
  }
  const std::string token = argv[2];
  const int calls = std::atoi(argv[3]);
  const int outstanding = std::atoi(argv[4]);
  const auto stub =
      v1::Control::NewStub(grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials()));
  const v1::WhoAmIRequest nothing;
  const auto ask = [&](grpc::ClientContext* context, grpc::CompletionQueue* queue, int) {
    return stub->AsyncWhoAmI(context, nothing, queue);
  };
  v1::SubmitJobsRequest request;
  v1::JobSpec& spec = *request.add_specs();
  spec.add_command("true");
  spec.mutable_gpus()->set_count(1);
  const auto submit = [&](grpc::ClientContext* context, grpc::CompletionQueue* queue, int number) {
    request.set_request_id("pipelined-" + std::to_string(number));
    return stub->AsyncSubmitJobs(context, request, queue);
  };
  RateOf<v1::WhoAmIReply>(1'000, outstanding, token, ask);  // warm
  const double empty = RateOf<v1::WhoAmIReply>(calls, outstanding, token, ask);
  const double submits = RateOf<v1::SubmitJobsReply>(calls, outstanding, token, submit);
  std::printf(
      "{\"calls\": %d, \"outstanding\": %d, \"empty_calls_per_s\": %.0f, \"submits_per_s\": %.0f, "
      "\"ratio\": %.3f}\n",
      calls, outstanding, empty, submits, submits / empty);
}
