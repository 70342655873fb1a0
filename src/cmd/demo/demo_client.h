#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/grpc/control_client.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {

// The demo's connection to its controller: the same calls as any client's, each with a time limit.
class DemoClient {
 public:
  explicit DemoClient(std::string socket_directory) : directory_(std::move(socket_directory)) {}

  Result<v1::Cluster> Cluster();
  // The id of the queued job.
  Result<std::string> Submit(const JobSpec& spec);
  Result<v1::Job> Job(const std::string& id);
  // Standard output of rank 0 so far; empty before it starts.
  Result<std::string> Output(const std::string& id);
  // Kills every job that is not over, and waits for their end at most `seconds`.
  Status KillAll(int seconds);

  // Any call of the service.
  template <typename Reply>
  Result<Reply> Call(std::string_view method, const google::protobuf::Message& request) {
    ControlClient* line = GP_TRY(Line());
    return line->Call<Reply>(method, request);
  }

 private:
  Result<ControlClient*> Line();

  std::string directory_;
  std::unique_ptr<ControlClient> line_;
};

}  // namespace gp
