// jobs explain, and the dry run of a job that is not submitted yet.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "adapters/wire/job_spec.h"
#include "base/text.h"
#include "cmd/jobs/jobs.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

std::string CostText(const v1::JobCost& cost) {
  std::string out = "Cost: " + cost.text() + "\n";
  for (const v1::GpuHourLimit& limit : cost.limits()) {
    const std::string who =
        (limit.user().empty() ? "" : "user " + limit.user() + " in ") + "queue " + limit.queue();
    out += fmt::format("  {}: {:.1f} of {:.6g} GPU-hours of this period left\n", who,
                       std::max(limit.limit() - limit.used(), 0.0), limit.limit());
  }
  return out;
}

// "n3, n7 and 40 more"
std::string Some(const google::protobuf::RepeatedPtrField<std::string>& names, int64_t count) {
  constexpr int kShown = 4;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + std::min(names.size(), kShown));
  const int64_t more = count - static_cast<int64_t>(shown.size());
  return Join(shown, ", ") + (more > 0 ? fmt::format(" and {} more", more) : "");
}

void PrintNodes(const v1::ExplainJobReply& reply, Cli& cli) {
  Table table({{"NODES"},
               {"FREE", true},
               {"FITS", true},
               {.title = "WHY NOT HERE", .cut = true},
               {.title = "HELD BY", .cut = true}});
  for (const v1::NodeRow& row : reply.nodes()) {
    table.Add({Some(row.nodes(), row.count()), fmt::format("{} of {}", row.gpus_free(), row.gpus()),
               std::to_string(row.fits()), row.takes_rank() ? "takes a rank" : row.why(),
               row.holder_count() == 0 ? kDash : Some(row.holders(), row.holder_count())});
  }
  std::printf("\n");
  cli.PrintTable(table);
}

std::string Text(const v1::ExplainJobReply& reply) {
  std::string out = reply.note().empty() ? "" : "Note: " + reply.note() + "\n";
  if (reply.starts_now())
    return out + "Starts now: " + reply.placement() + "\n" +
           (reply.has_cost() ? CostText(reply.cost()) : "");
  out += fmt::format("Waits in queue {}{}\n", reply.queue(),
                     reply.has_ahead() ? fmt::format(", {} before it", reply.ahead()) : "");
  if (reply.has_forecast()) out += "When: " + reply.forecast().text() + "\n";
  if (reply.has_cost()) out += CostText(reply.cost());
  out += "\nWhy\n";
  for (const v1::Reason& reason : reply.reasons())
    out += fmt::format("  {:<16} {}\n", reason.kind(), reason.text());
  if (!reply.kept_nodes().empty()) {
    const std::vector<std::string> nodes(reply.kept_nodes().begin(), reply.kept_nodes().end());
    out += fmt::format("\nReserved for it: {}{}\n", Join(nodes, ", "),
                       reply.has_starts_by()
                           ? "; it starts there by " + reply.starts_by() + " at the latest"
                           : "");
  }
  // No change of its own would do
  if (!reply.reasons().empty() && reply.reasons(0).kind() == "after") return out;
  out += "\nWhat would start it now, each change alone\n";
  for (const v1::Change& change : reply.changes())
    out += fmt::format("  {:<16} {}\n", change.kind(), change.text());
  if (reply.changes().empty()) out += "  no single change that was tried\n";
  if (!reply.holders().empty()) out += "\nHolders of the GPUs that it could use\n";
  for (const v1::JobHolder& holder : reply.holders())
    out += fmt::format("  {:<16} {:.4g} GPUs, queue {}\n", holder.user(), holder.gpus(),
                       holder.queue());
  return out;
}

void Explain(v1::ExplainJobRequest request, Cli& cli) {
  if (!cli.Offers({"table", "wide"})) return;
  const bool wide = cli.output == "wide";
  request.set_forecast(true);
  request.set_nodes(wide || cli.WantsDocument());
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::ExplainJobReply>("ExplainJob", request);
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  std::fputs(Text(*reply).c_str(), stdout);
  if (wide) PrintNodes(*reply, cli);
}

}  // namespace

void ExplainJob(const std::string& job, Cli& cli) {
  v1::ExplainJobRequest request;
  request.set_job_id(job);
  Explain(request, cli);
}

void DescribeOutlook(const std::string& job, Cli& cli) {
  v1::ExplainJobRequest request;
  request.set_job_id(job);
  request.set_forecast(true);
  const auto client = cli.Controller();
  if (!client) return;
  const auto reply = (*client)->Call<v1::ExplainJobReply>("ExplainJob", request);
  if (!reply || reply->starts_now()) return;
  const auto line = [](const char* label, const std::string& text) {
    std::printf("%-12s%s\n", label, text.c_str());
  };
  if (reply->has_ahead())
    line("Position",
         reply->ahead() == 0 ? "next in its queue" : Count(reply->ahead(), "job") + " before it");
  if (reply->has_forecast()) line("Start", Printable(reply->forecast().text(), 1'000));
  line("Next", "gpu-platform jobs explain " + job + " says what would start it sooner");
}

void PlanJob(const JobSpec& spec, Cli& cli) {
  v1::ExplainJobRequest request;
  ToProto(spec, request.mutable_spec());
  Explain(request, cli);
}

}  // namespace gp
