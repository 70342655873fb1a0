// jobs explain, and the plan of a job that is not submitted yet.

#include <fmt/format.h>

#include <cstdio>

#include "adapters/wire/job_spec.h"
#include "base/text.h"
#include "cmd/jobs_explain.h"

namespace gp {
namespace {

std::string Text(const v1::ExplainJobReply& reply) {
  std::string out;
  if (reply.starts_now()) return "Starts now: " + reply.placement() + "\n";
  out += fmt::format("Waits in queue {}{}\n", reply.queue(), reply.has_ahead() ? fmt::format(", {} before it", reply.ahead()) : "");
  out += "\nWhy\n";
  for (const v1::Reason& reason : reply.reasons()) out += fmt::format("  {:<16} {}\n", reason.kind(), reason.text());
  if (!reply.kept_nodes().empty()) {
    const std::vector<std::string> nodes(reply.kept_nodes().begin(), reply.kept_nodes().end());
    out += fmt::format("\nKept for it: {}{}\n", Join(nodes, ", "),
                       reply.has_starts_by() ? "; it starts there by " + reply.starts_by() + " at the latest" : "");
  }
  out += "\nWhat would start it now, each by itself\n";
  for (const v1::Change& change : reply.changes()) out += fmt::format("  {:<16} {}\n", change.kind(), change.text());
  if (reply.changes().empty()) out += "  no single change that was tried\n";
  if (!reply.holders().empty()) out += "\nWho holds the GPUs that it could use\n";
  for (const v1::JobHolder& holder : reply.holders()) out += fmt::format("  {:<16} {:.4g} GPUs, queue {}\n", holder.user(), holder.gpus(), holder.queue());
  return out;
}

void Explain(const v1::ExplainJobRequest& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::ExplainJobReply>(&v1::Control::Stub::ExplainJob, request);
  if (!reply) return cli.Complain(reply.error());
  if (!cli.PrintDocument(*reply)) std::fputs(Text(*reply).c_str(), stdout);
}

}  // namespace

void ExplainJob(const std::string& job, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  v1::ExplainJobRequest request;
  request.set_job_id(job);
  Explain(request, cli);
}

void PlanJob(const JobSpec& spec, Cli& cli) {
  if (!cli.Offers({"table"})) return;
  v1::ExplainJobRequest request;
  ToProto(spec, request.mutable_spec());
  Explain(request, cli);
}

}  // namespace gp
