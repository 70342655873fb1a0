#include "cmd/demo/demo_client.h"

#include <poll.h>

#include <chrono>

#include "adapters/wire/call_deadline.h"
#include "adapters/wire/job_spec.h"
#include "base/ignore_result.h"
#include "cmd/connection/controller_line.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

constexpr int kAskAgainMs = 20;

}  // namespace

Result<ControlClient*> DemoClient::Line() {
  if (line_ == nullptr) line_ = GP_TRY(ControlClient::Open(directory_));
  return line_.get();
}

Result<v1::Cluster> DemoClient::Cluster() {
  return Call<v1::Cluster>("GetCluster", v1::GetClusterRequest());
}

Result<std::string> DemoClient::Submit(const JobSpec& spec) {
  v1::SubmitJobsRequest request;
  ToProto(spec, request.add_specs());
  const auto reply = GP_TRY(Call<v1::SubmitJobsReply>("SubmitJobs", request));
  return reply.job_ids(0);
}

Result<v1::Job> DemoClient::Job(const std::string& id) {
  v1::GetJobRequest request;
  request.set_job_id(id);
  return Call<v1::Job>("GetJob", request);
}

Result<std::string> DemoClient::Output(const std::string& id) {
  ControlClient* line = GP_TRY(Line());
  grpc::ClientContext context;
  v1::Control::Stub* stub = GP_TRY(line->Streams(context));
  context.set_deadline(DeadlineIn(kCallTime));
  v1::ReadLogRequest request;
  request.set_job_id(id);
  const auto reader = stub->ReadLog(&context, request);
  std::string output;
  for (v1::LogChunk chunk; reader->Read(&chunk);) output += chunk.data();
  const Error error = ControlClient::ErrorOf(reader->Finish());
  if (error.message.empty() || error.code == ErrorCode::kConflict) return output;
  return Fail(error);
}

Status DemoClient::KillAll(int seconds) {
  v1::ListJobsRequest list;
  for (int left_ms = seconds * 1000; left_ms > 0; left_ms -= kAskAgainMs) {
    const auto live = GP_TRY(Call<v1::ListJobsReply>("ListJobs", list));
    if (live.jobs_size() == 0) return Ok();
    for (const v1::Job& job : live.jobs()) {
      v1::StopJobRequest stop;
      stop.set_job_id(job.id());
      stop.set_force(true);
      IgnoreResult(Call<v1::Job>("StopJob", stop), "the job may be over");
    }
    poll(nullptr, 0, kAskAgainMs);
  }
  return Fail(Unavailable("jobs do not end"));
}

}  // namespace gp
