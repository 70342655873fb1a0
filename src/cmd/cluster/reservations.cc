// Advance reservations: nodes set aside for some users, from one moment to another.

#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/list_tables.h"
#include "cmd/text/moment.h"
#include "cmd/text/node_ranges.h"
#include "infrastructure/system_clock.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

struct ReservationFlags {
  v1::ReserveNodesRequest request;
  std::string start = "now";
  std::string end;
  std::string duration;
  std::vector<std::string> nodes;
  std::vector<std::string> users;
  std::vector<std::string> queues;
};

template <typename Names>
std::string ListOf(const Names& names) {
  return names.empty() ? kDash : Join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

std::string NodesOf(const v1::Reservation& reservation) {
  const auto& nodes = reservation.nodes();
  return nodes.empty() ? kDash : NodeRanges({nodes.begin(), nodes.end()});
}

std::string Whose(const v1::Reservation& reservation) {
  if (reservation.maintenance()) return "maintenance";
  std::vector<std::string> names(reservation.users().begin(), reservation.users().end());
  for (const std::string& queue : reservation.queues()) names.push_back("queue " + queue);
  return ListOf(names);
}

void Print(const v1::ListReservationsReply& reply, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  if (cli.output == "name") {
    for (const v1::Reservation& reservation : reply.reservations())
      std::printf("%s\n", reservation.name().c_str());
    return;
  }
  cli.PrintList(ReservationTable(reply), "reservations");
}

}  // namespace

Table ReservationTable(const v1::ListReservationsReply& reply) {
  Table table({{.title = "NAME"},
               {.title = "POOL", .drop = 3},
               {.title = "NODES", .cut = true},
               {.title = "START"},
               {.title = "END"},
               {.title = "FOR", .cut = true},
               {.title = "RUNNING", .right = true, .drop = 1},
               {.title = "WAITING", .right = true, .drop = 2},
               {.title = "NOTE", .cut = true}});
  for (const v1::Reservation& reservation : reply.reservations()) {
    table.Add({reservation.name(), reservation.pool(), NodesOf(reservation),
               reservation.active() ? "now" : reservation.starts_at(), reservation.ends_at(),
               Whose(reservation), std::to_string(reservation.jobs_running()),
               std::to_string(reservation.jobs_queued()), reservation.note()});
  }
  return table;
}

namespace {

template <typename Method, typename Request>
void CallAndPrintReservations(Method method, const Request& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::ListReservationsReply>(method, request);
  if (!reply) return cli.Complain(reply.error());
  Print(*reply, cli);
}

Error At(const char* flag, const Error& error) {
  return InvalidArgument(std::string(flag) + ": " + error.message);
}

Status ReadTimes(ReservationFlags& flags) {
  const Instant now = SystemClock().Now();
  const auto start = ParseMoment(flags.start, now);
  if (!start) return Fail(At("--start", start.error()));
  if (flags.end.empty() == flags.duration.empty())
    return Fail(InvalidArgument("give either --duration or --end"));
  Instant end;
  if (!flags.end.empty()) {
    const auto at = ParseMoment(flags.end, now);
    if (!at) return Fail(At("--end", at.error()));
    end = *at;
  } else {
    const auto duration = ParseDuration(flags.duration);
    if (!duration) return Fail(At("--duration", duration.error()));
    const auto at = Later(*start, *duration);
    if (!at) return Fail(At("--duration", at.error()));
    end = *at;
  }
  flags.request.set_start_ms(start->ns / 1'000'000);
  flags.request.set_end_ms(end.ns / 1'000'000);
  return Ok();
}

void Create(ReservationFlags& flags, Cli& cli) {
  if (const Status times = ReadTimes(flags); !times) return cli.Complain(times.error());
  flags.request.mutable_nodes()->Assign(flags.nodes.begin(), flags.nodes.end());
  flags.request.mutable_users()->Assign(flags.users.begin(), flags.users.end());
  flags.request.mutable_queues()->Assign(flags.queues.begin(), flags.queues.end());
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto made = (*client)->Call<v1::Reservation>("ReserveNodes", flags.request);
  if (!made) return cli.Complain(made.error());
  if (cli.PrintDocument(*made)) return;
  v1::ListReservationsReply one;
  *one.add_reservations() = *made;
  Print(one, cli);
}

void AddReservedNodes(CLI::App& sub, const std::shared_ptr<ReservationFlags>& flags) {
  sub.add_option("--nodes", flags->nodes, "These nodes: n1,n2")
      ->delimiter(',')
      ->type_name("NODE,...");
  sub.add_option_function<int>(
         "--count", [flags](int count) { flags->request.set_count(count); },
         "Number of nodes: the emptiest that can be free in time")
      ->type_name("N");
  sub.add_option_function<std::string>(
      "--pool", [flags](const std::string& pool) { flags->request.set_pool(pool); },
      "Pool of the nodes");
}

void AddReservedTime(CLI::App& sub, ReservationFlags& flags) {
  sub.add_option("--start", flags.start, "now, +2h, 2026-12-01T10:00 (local time) or with Z (UTC)")
      ->type_name("TIME")
      ->capture_default_str();
  sub.add_option("--end", flags.end, "End, as --start; or --duration")->type_name("TIME");
  sub.add_option("--duration", flags.duration, "How long")->type_name("DURATION");
}

// Whose jobs run there; none for maintenance.
void AddReservedFor(CLI::App& sub, const std::shared_ptr<ReservationFlags>& flags) {
  sub.add_option("--users", flags->users, "Users whose jobs may use it: ana,ben")
      ->delimiter(',')
      ->type_name("USER,...");
  sub.add_option("--queues", flags->queues, "Jobs of these queues may use it")
      ->delimiter(',')
      ->type_name("QUEUE,...");
  sub.add_flag_function(
      "--maintenance", [flags](int64_t) { flags->request.set_maintenance(true); },
      "Maintenance, for nobody: jobs that would still run there are stopped in time");
}

void AddCreateReservation(CLI::App& reservations, Cli& cli) {
  CLI::App* sub = reservations.add_subcommand(
      "create", "Create an advance reservation: only its users' jobs run on its nodes");
  auto flags = std::make_shared<ReservationFlags>();
  sub->add_option_function<std::string>(
         "name", [flags](const std::string& name) { flags->request.set_name(name); },
         "Name, which jobs give as reservation: NAME")
      ->required();
  AddReservedNodes(*sub, flags);
  AddReservedTime(*sub, *flags);
  AddReservedFor(*sub, flags);
  sub->add_option_function<std::string>(
      "--note", [flags](const std::string& note) { flags->request.set_note(note); }, "Purpose");
  sub->callback([flags, &cli] { Create(*flags, cli); });
}

}  // namespace

void AddReservations(CLI::App& app, Cli& cli) {
  CLI::App* reservations = app.add_subcommand(
      "reservations", "Advance reservations of nodes: courses, deadlines, maintenance");
  reservations->require_subcommand(1);
  cli.AddListFlags(reservations->add_subcommand("list", "List all reservations"))->callback([&cli] {
    CallAndPrintReservations("ListReservations", v1::ListReservationsRequest(), cli);
  });
  AddCreateReservation(*reservations, cli);
  CLI::App* sub =
      reservations->add_subcommand("delete", "Delete a reservation; its jobs keep running");
  auto request = std::make_shared<v1::DeleteReservationRequest>();
  sub->add_option_function<std::string>(
         "name", [request](const std::string& name) { request->set_name(name); }, "Reservation")
      ->required();
  sub->callback([request, &cli] { CallAndPrintReservations("DeleteReservation", *request, cli); });
}

}  // namespace gp
