#include <map>

#include "base/text.h"
#include "cmd/jobs/job_change.h"
#include "cmd/jobs/log_tail.h"
#include "cmd/text/explain_text.h"
#include "cmd/text/job_text.h"
#include "cmd/text/node_text.h"
#include "cmd/text/service_text.h"
#include "cmd/watch/watch_calls.h"

namespace gp {
namespace {

using Stub = v1::Control::Stub;
using What = WatchRequest::What;

constexpr int64_t kTailBytes = 128 << 10;
constexpr size_t kTailLines = 200;

Result<std::string> ChangeJob(JobAction action, const std::string& job, WatchLine& line) {
  const auto changed = GP_TRY(line.Call(&Stub::ChangeJobs, ChangeOf(action, job)));
  return ChangeWords(action, job, changed);
}

// "n1: 6 GPUs DRAINING IN_USE, 2 GPUs AVAILABLE"
std::string NodeOutcome(const std::string& node, const std::vector<FoundGpu>& targets) {
  std::map<std::string, int> counts;
  for (const FoundGpu& target : targets) ++counts[StateText(*target.gpu)];
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(Count(count, "GPU") + " " + state);
  return node + ": " + (parts.empty() ? "it has no GPU" : Join(parts, ", "));
}

Result<std::string> SendServiceChange(v1::ChangeServiceRequest::Action action,
                                      const std::string& place, WatchLine& line) {
  v1::ChangeServiceRequest request;
  request.set_action(action);
  NameTarget(place, request);
  const auto cluster = GP_TRY(line.Call(&Stub::ChangeService, request));
  if (IsGpuName(place)) return Join(OutcomeLines(cluster, request), "; ");
  return NodeOutcome(place, ServiceTargets(cluster, request));
}

Result<std::string> ReadLastLines(const WatchRequest& request, WatchLine& line) {
  v1::ReadLogRequest read;
  read.set_job_id(request.subject);
  read.set_errors(request.errors);
  read.set_offset(-kTailBytes);
  const LogTail tail = GP_TRY(line.Stream([&read](Stub& stub, grpc::ClientContext& context) {
    return ReadLogTail(stub, context, read);
  }));
  return Join(LastLines(tail, kTailLines), "\n");
}

Result<std::string> ExplainedJob(const std::string& job, WatchLine& line) {
  return ExplainText(GP_TRY(line.Call(&Stub::ExplainJob, ExplainRequest(job))));
}

// As `jobs describe` prints it.
Result<std::string> DescribedJob(const std::string& id, WatchLine& line) {
  v1::GetJobRequest request;
  request.set_job_id(id);
  const v1::Job job = GP_TRY(line.Call(&Stub::GetJob, request));
  const std::string text = DescribeJob(job) + DescribeOutput(job);
  if (job.detail() != "QUEUED") return text;
  const auto outlook = line.Call(&Stub::ExplainJob, ExplainRequest(id));
  return outlook ? text + OutlookText(id, *outlook) : text;
}

// As `nodes describe` prints it.
Result<std::string> DescribedNode(const WatchRequest& request, WatchLine& line) {
  v1::GetClusterRequest get;
  get.set_readings(true);
  get.set_node(request.subject);
  const v1::Cluster cluster = GP_TRY(line.Call(&Stub::GetCluster, get));
  const v1::Node& node = cluster.nodes(0);
  std::string text = DescribeNode(node);
  if (node.gpus_size() > 0) text += "\n" + MarksTable(node).ToText(true, request.width);
  if (node.leases_size() == 0) return text + "\nno job holds resources of it\n";
  return text + "\n" + LeaseTable(node).ToText(true, request.width);
}

}  // namespace

Result<std::string> Perform(const WatchRequest& request, WatchLine& line) {
  using Jobs = v1::ChangeJobsRequest;
  using Service = v1::ChangeServiceRequest;
  GP_CHECK_OK(line.Connect());
  const std::string& subject = request.subject;
  switch (request.what) {
    case What::kCancel: return ChangeJob(Jobs::STOP, subject, line);
    case What::kHold: return ChangeJob(Jobs::HOLD, subject, line);
    case What::kRelease: return ChangeJob(Jobs::RELEASE, subject, line);
    case What::kDrain: return SendServiceChange(Service::DRAIN, subject, line);
    case What::kOnline: return SendServiceChange(Service::ONLINE, subject, line);
    case What::kReadLog: return ReadLastLines(request, line);
    case What::kExplainJob: return ExplainedJob(subject, line);
    case What::kDescribeJob: return DescribedJob(subject, line);
    case What::kDescribeNode: return DescribedNode(request, line);
  }
  return Fail(Internal("a request that is none"));
}

}  // namespace gp
