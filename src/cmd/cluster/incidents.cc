// Incidents of GPUs, and what operators do about them.

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/list_tables.h"
#include "cmd/text/hundredths.h"
#include "cmd/text/incident_text.h"
#include "cmd/text/state_color.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

std::string Where(const v1::Incident& incident) {
  if (incident.node().empty()) return "pool " + incident.pool();
  return incident.has_gpu() ? incident.node() + "/" + std::to_string(incident.gpu())
                            : incident.node();
}

// What remains to be done before it can be closed.
std::string Outlook(const v1::Incident& incident) {
  if (incident.state() == "CLOSED") return "over";
  if (incident.needs_person()) return "operator action required";
  if (!incident.held_by().empty()) return incident.remedy() + ", held by " + incident.held_by();
  return incident.remedy() == "none" ? "being watched" : incident.remedy();
}

std::string HeldText(const v1::Incident& incident) {
  return incident.held_by().empty() ? ""
                                    : "; held: nothing is reset automatically in this pool until " +
                                          incident.held_by() + " is closed";
}

std::string OrDash(const std::string& text) { return text.empty() ? kDash : text; }

}  // namespace

Table IncidentTable(const v1::ListIncidentsReply& reply) {
  Table table({{.title = "INCIDENT"},
               {.title = "STATE", .color = StateColor},
               {.title = "WHERE"},
               {.title = "CAUSE", .cut = true},
               {.title = "JOBS", .right = true, .drop = 2},
               {.title = "LOST GPU-H", .right = true, .drop = 1},
               {.title = "OPENED", .drop = 3},
               {.title = "OUTLOOK", .cut = true}});
  for (const v1::Incident& incident : reply.incidents()) {
    table.Add({incident.id(),
               incident.state(),
               Where(incident),
               incident.cause(),
               std::to_string(incident.jobs_hit()),
               {Hundredths(incident.lost_gpu_hours()), incident.lost_gpu_hours()},
               incident.opened_at(),
               Outlook(incident)});
  }
  return table;
}

namespace {

void PrintList(const v1::ListIncidentsReply& reply, bool has_closed, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  if (cli.output == "name") {
    for (const v1::Incident& incident : reply.incidents())
      std::printf("%s\n", incident.id().c_str());
    return;
  }
  if (!cli.PrintTable(IncidentTable(reply))) return;
  const std::string shown =
      reply.total() == 0 ? std::string("no incidents")
                         : fmt::format("{} of {} shown", reply.incidents_size(), reply.total());
  cli.Say(shown + (has_closed ? "" : " · closed ones: --all"));
}

void PrintOne(const v1::Incident& incident, Cli& cli) {
  if (cli.PrintDocument(incident)) return;
  std::vector<std::pair<std::string, std::string>> rows{
      {"Incident", incident.id()},
      {"State", incident.state() + (incident.person().empty() ? "" : " by " + incident.person())},
      {"Where", Where(incident) + (incident.uuid().empty() ? "" : "  " + incident.uuid())},
      {"Cause", incident.cause()},
      {"Meaning", OrDash(MeaningText(incident))},
      {"Reports", std::to_string(incident.reports())},
      {"Remedy", incident.remedy() + (incident.needs_person() ? "; operator action required" : "") +
                     HeldText(incident)},
      {"Opened", incident.opened_at()},
      {"Closed", OrDash(incident.closed_at())},
      {"Lost", fmt::format("{} GPU-hours of {}", Hundredths(incident.lost_gpu_hours()),
                           Count(incident.jobs_hit(), "job"))},
  };
  std::string jobs;
  for (const std::string& job : incident.jobs()) jobs += (jobs.empty() ? "" : ", ") + job;
  if (!jobs.empty()) rows.emplace_back("Jobs", jobs);
  if (!incident.note().empty()) rows.emplace_back("Note", incident.note());
  if (incident.state() != "CLOSED") rows.emplace_back("Runbook", RunbookText(incident));
  for (const std::string& step : NextSteps(incident))
    rows.emplace_back(rows.back().first == "Runbook" ? "Next" : "", step);
  for (const auto& [name, value] : rows) std::printf("%-10s %s\n", name.c_str(), value.c_str());
  std::printf("\n");
  Table steps({{"AT"}, {"WHAT"}});
  for (const v1::Incident::Step& step : incident.steps()) steps.Add({step.at(), step.what()});
  cli.PrintTable(steps);
}

template <typename Method, typename Request>
void CallForOne(Method method, const Request& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::Incident>(method, request);
  if (!reply) return cli.Complain(reply.error());
  PrintOne(*reply, cli);
}

void AddList(CLI::App& incidents, Cli& cli) {
  CLI::App* sub =
      cli.AddListFlags(incidents.add_subcommand("list", "List open incidents, the newest first"));
  auto request = std::make_shared<v1::ListIncidentsRequest>();
  sub->add_flag_function(
      "--all", [request](int64_t) { request->set_all(true); }, "Closed incidents too");
  sub->add_option_function<std::string>(
         "--node", [request](const std::string& node) { request->set_node(node); },
         "Only incidents of this node")
      ->type_name("NODE");
  sub->add_option_function<int>(
         "--limit", [request](int limit) { request->set_limit(limit); },
         "Maximum number of incidents; default: 100")
      ->check(CLI::Range(1, 1'000));
  sub->callback([request, &cli] {
    const auto client = cli.Controller();
    if (!client) return cli.Complain(client.error());
    const auto reply = (*client)->Call<v1::ListIncidentsReply>("ListIncidents", *request);
    if (!reply) return cli.Complain(reply.error());
    PrintList(*reply, request->all(), cli);
  });
}

void AddChange(CLI::App& incidents, Cli& cli, const char* name, const char* help,
               v1::ChangeIncidentRequest::Action action) {
  CLI::App* sub = incidents.add_subcommand(name, help);
  auto request = std::make_shared<v1::ChangeIncidentRequest>();
  request->set_action(action);
  sub->add_option_function<std::string>(
         "incident", [request](const std::string& id) { request->set_id(id); },
         "Incident, such as incident-1")
      ->required();
  sub->add_option_function<std::string>(
      "--note", [request](const std::string& note) { request->set_note(note); },
      "Note: what was found or done");
  sub->callback([request, &cli] { CallForOne("ChangeIncident", *request, cli); });
}

}  // namespace

void AddIncidents(CLI::App& app, Cli& cli) {
  CLI::App* incidents = app.add_subcommand(
      "incidents", "GPU incidents, what was done and what they cost: list, show, ack, close");
  incidents->require_subcommand(1);
  AddList(*incidents, cli);
  CLI::App* show = incidents->add_subcommand("show", "Show one incident, step by step");
  auto request = std::make_shared<v1::GetIncidentRequest>();
  show->add_option_function<std::string>(
          "incident", [request](const std::string& id) { request->set_id(id); },
          "Incident, such as incident-1")
      ->required();
  show->callback([request, &cli] { CallForOne("GetIncident", *request, cli); });
  AddChange(*incidents, cli, "ack", "Acknowledge an incident",
            v1::ChangeIncidentRequest::ACKNOWLEDGE);
  AddChange(*incidents, cli, "close",
            "Close an incident; its GPU does not change (see online, reset)",
            v1::ChangeIncidentRequest::CLOSE);
}

}  // namespace gp
