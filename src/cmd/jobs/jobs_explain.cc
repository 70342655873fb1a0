// jobs explain, and the dry run of a job that is not submitted yet.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "adapters/wire/job_spec.h"
#include "base/text.h"
#include "cmd/jobs/jobs.h"
#include "cmd/text/explain_text.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

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
  cli.PrintText(ExplainText(*reply));
  if (wide) PrintNodes(*reply, cli);
}

}  // namespace

void ExplainJob(const std::string& job, Cli& cli) { Explain(ExplainRequest(job), cli); }

void DescribeOutlook(const std::string& job, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return;
  const auto reply = (*client)->Call<v1::ExplainJobReply>("ExplainJob", ExplainRequest(job));
  if (reply) cli.PrintText(OutlookText(job, *reply));
}

void PlanJob(const JobSpec& spec, Cli& cli) {
  v1::ExplainJobRequest request;
  ToProto(spec, request.mutable_spec());
  Explain(request, cli);
}

}  // namespace gp
