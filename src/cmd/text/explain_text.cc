#include "cmd/text/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace gp {
namespace {

std::string CostLines(const v1::JobCost& cost) {
  std::string out = "Cost: " + cost.text() + "\n";
  for (const v1::GpuHourLimit& limit : cost.limits()) {
    const std::string who =
        (limit.user().empty() ? "" : "user " + limit.user() + " in ") + "queue " + limit.queue();
    out += fmt::format("  {}: {:.1f} of {:.6g} GPU-hours of this period left\n", who,
                       std::max(limit.limit() - limit.used(), 0.0), limit.limit());
  }
  return out;
}

// Which changes would start it, and which jobs hold what it could use.
std::string ChangesText(const v1::ExplainJobReply& reply) {
  std::string out = "\nWhat would start it now, each change alone\n";
  for (const v1::Change& change : reply.changes())
    out += fmt::format("  {:<16} {}\n", change.kind(), change.text());
  if (reply.changes().empty()) out += "  no single change that was tried\n";
  if (!reply.holders().empty()) out += "\nHolders of the GPUs that it could use\n";
  for (const v1::JobHolder& holder : reply.holders())
    out += fmt::format("  {:<16} {:.4g} GPUs, queue {}\n", holder.user(), holder.gpus(),
                       holder.queue());
  return out;
}

std::string ReservedText(const v1::ExplainJobReply& reply) {
  const std::vector<std::string> nodes(reply.kept_nodes().begin(), reply.kept_nodes().end());
  return fmt::format(
      "\nReserved for it: {}{}\n", Join(nodes, ", "),
      reply.has_starts_by() ? "; it starts there by " + reply.starts_by() + " at the latest" : "");
}

}  // namespace

v1::ExplainJobRequest ExplainRequest(const std::string& job) {
  v1::ExplainJobRequest request;
  request.set_job_id(job);
  request.set_forecast(true);
  return request;
}

std::string ExplainText(const v1::ExplainJobReply& reply) {
  std::string out = reply.note().empty() ? "" : "Note: " + reply.note() + "\n";
  if (reply.starts_now())
    return out + "Starts now: " + reply.placement() + "\n" +
           (reply.has_cost() ? CostLines(reply.cost()) : "");
  out += fmt::format("Waits in queue {}{}\n", reply.queue(),
                     reply.has_ahead() ? fmt::format(", {} before it", reply.ahead()) : "");
  if (reply.has_forecast()) out += "When: " + reply.forecast().text() + "\n";
  if (reply.has_cost()) out += CostLines(reply.cost());
  out += "\nWhy\n";
  for (const v1::Reason& reason : reply.reasons())
    out += fmt::format("  {:<16} {}\n", reason.kind(), reason.text());
  if (!reply.kept_nodes().empty()) out += ReservedText(reply);
  // No change of its own would do
  if (!reply.reasons().empty() && reply.reasons(0).kind() == "after") return out;
  return out + ChangesText(reply);
}

std::string OutlookText(const std::string& job, const v1::ExplainJobReply& reply) {
  if (reply.starts_now()) return "";
  const auto line = [](const char* label, const std::string& text) {
    return fmt::format("{:<12}{}\n", label, text);
  };
  std::string out;
  if (reply.has_ahead())
    out += line("Position", reply.ahead() == 0 ? "next in its queue"
                                               : Count(reply.ahead(), "job") + " before it");
  if (reply.has_forecast()) out += line("Start", Printable(reply.forecast().text(), 1'000));
  return out +
         line("Next", "gpu-platform jobs explain " + job + " says what would start it sooner");
}

}  // namespace gp
