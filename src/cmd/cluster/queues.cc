// Queues, pools and the use of their limits (docs/queues.md).

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "cmd/cli.h"
#include "cmd/list_tables.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

Result<v1::ListQueuesReply> Fetch(Cli& cli) {
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::ListQueuesReply>("ListQueues", v1::ListQueuesRequest());
}

// Four digits, or all of a whole number.
std::string Number(double value) {
  return value < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}
Cell Percent(double part) { return {fmt::format("{:.1f}%", 100 * part), 100 * part}; }
Cell Limited(double value, bool has_limit, int64_t limit) {
  return {Number(value) + (has_limit ? "/" + std::to_string(limit) : ""), value};
}
// For CSV, where a cell is one number.
std::string LimitText(bool has_limit, int64_t limit) {
  return has_limit ? std::to_string(limit) : kDash;
}

// The default and the maximum of its own: "4h/24h", "–/24h".
std::string TimesText(const v1::Queue& queue) {
  if (queue.default_time_ms() == 0 && queue.max_time_ms() == 0) return kDash;
  const auto text = [](int64_t ms) {
    return ms == 0 ? std::string(kDash) : ToText(Duration::Milliseconds(ms));
  };
  return text(queue.default_time_ms()) + "/" + text(queue.max_time_ms());
}

// "16", "16 firm": not to be reclaimed.
std::string GuaranteeText(const v1::Queue& queue) {
  if (queue.guaranteed() == 0) return kDash;
  return std::to_string(queue.guaranteed()) + (queue.reclaimable() ? "" : " firm");
}

// Columns about targets are for sites that set them.
std::vector<Column> QueueColumns(bool has_targets) {
  return {{.title = "QUEUE", .tree = true},
          {.title = "POOL", .drop = 2},
          {.title = "WEIGHT", .right = true, .drop = 4},
          {.title = "SHARE", .right = true, .drop = 3},
          {.title = "USED", .right = true, .drop = 1},
          {.title = "GUARANTEED", .right = true, .drop = 5},
          {.title = "GPUS", .right = true},
          {.title = "RUNNING", .right = true},
          {.title = "WAITING", .right = true},
          {.title = "TIME", .right = true, .drop = 6},
          {.title = "TARGET", .right = true, .drop = 7, .wide = !has_targets},
          {.title = "KEPT", .right = true, .drop = 8, .wide = !has_targets},
          {.title = "LATE", .right = true, .drop = 9, .wide = !has_targets},
          {.title = "MIN GPUS", .right = true, .drop = 10, .wide = true},
          {.title = "NETWORK", .drop = 11, .wide = true}};
}

// How soon jobs should start, the part of those of the last 24 hours that did, and how many wait
// for longer.
Cells WaitCells(const v1::Queue& queue) {
  if (!queue.has_waits()) return {kDash, kDash, kDash};
  const v1::QueueWaits& waits = queue.waits();
  const Duration target = Duration::Milliseconds(waits.target_ms());
  const auto started = static_cast<double>(waits.started_24h());
  return {
      target.ns == 0 ? Cell(kDash) : Cell(ToText(target), SecondsOf(target)),
      started == 0 ? Cell(kDash) : Percent(static_cast<double>(waits.in_target_24h()) / started),
      std::to_string(waits.late_jobs())};
}

// `name`: without those of the queues above it.
Cells QueueCells(const std::string& name, const v1::Queue& queue) {
  const v1::Use& use = queue.use();
  const v1::Quota& limit = queue.limit();
  Cells cells{name,
              queue.pool(),
              std::to_string(queue.weight()),
              Percent(queue.share()),
              Percent(queue.share_used()),
              GuaranteeText(queue),
              Limited(use.gpus(), limit.has_gpus(), limit.gpus()),
              Limited(static_cast<double>(use.jobs()), limit.has_jobs(), limit.jobs()),
              std::to_string(queue.jobs_queued()),
              TimesText(queue)};
  for (Cell& cell : WaitCells(queue)) cells.push_back(std::move(cell));
  cells.push_back(queue.min_gpus() == 0 ? Cell(kDash) : Cell(std::to_string(queue.min_gpus())));
  cells.push_back(queue.network() == v1::NETWORK_ACCESS_NONE ? "none" : "host");
  return cells;
}

}  // namespace

Table QueueTable(const v1::ListQueuesReply& reply) {
  Table table(QueueColumns(std::ranges::any_of(reply.queues(), &v1::Queue::has_waits)));
  std::map<std::string, int> rows;
  for (const v1::Queue& queue : reply.queues()) {
    const std::string& path = queue.name();
    const size_t slash = path.rfind('/');
    const bool has_parent = slash != std::string::npos;
    rows[path] = table.Add(QueueCells(has_parent ? path.substr(slash + 1) : path, queue),
                           has_parent ? rows.at(path.substr(0, slash)) : -1);
  }
  return table;
}

namespace {

// What the controller answers, as one of its tables.
void ListAs(Table (*table)(const v1::ListQueuesReply&), const char* what, Cli& cli) {
  const auto reply = Fetch(cli);
  if (!reply) return cli.Complain(reply.error());
  if (!cli.PrintDocument(*reply)) cli.PrintList(table(*reply), what);
}

void PrintQueues(const v1::ListQueuesReply& reply, Cli& cli) {
  if (!cli.PrintDocument(reply)) cli.PrintList(QueueTable(reply), "queues");
}

void List(Cli& cli) { ListAs(QueueTable, "queues", cli); }

// "none" stands for `lifted`.
template <typename F>
void AddNumberFlag(CLI::App& sub, const std::string& flag, const std::string& what, int64_t lifted,
                   const F& set) {
  sub.add_option_function<std::string>(
         flag,
         [set, flag, lifted](const std::string& text) {
           int64_t value = lifted;
           const char* end = text.data() + text.size();
           const auto [stop, error] = std::from_chars(text.data(), end, value);
           const bool is_number = error == std::errc() && stop == end && value >= 0;
           if (text != "none" && !is_number)
             throw CLI::ValidationError(flag, "\"" + text + "\" is neither a number nor none");
           set(text == "none" ? lifted : value);
         },
         what)
      ->type_name("N|none");
}

void AddQuotaFlags(CLI::App& sub, const std::string& prefix, const std::string& whose,
                   std::shared_ptr<v1::SetQueueRequest> request, bool of_user) {
  const auto quota = [request, of_user] {
    return of_user ? request->mutable_user_limit() : request->mutable_limit();
  };
  const auto add = [&](const std::string& name, const std::string& what, auto set) {
    AddNumberFlag(sub, "--" + prefix + name, what + whose, -1, set);
  };
  add("gpus", "GPUs held at once", [quota](int64_t value) { quota()->set_gpus(value); });
  add("jobs", "Running jobs", [quota](int64_t value) { quota()->set_jobs(value); });
  add("gpu-hours", "GPU-hours in each period",
      [quota](int64_t value) { quota()->set_gpu_hours(value); });
  add("cpus", "Reserved cores held at once", [quota](int64_t value) { quota()->set_cpus(value); });
  const std::string memory = "--" + prefix + "memory";
  sub.add_option_function<std::string>(
         memory,
         [quota, memory](const std::string& text) {
           const auto bytes = text == "none" ? Result<int64_t>(-1) : ParseBytes(text);
           if (!bytes) throw CLI::ValidationError(memory, bytes.error().message + ", or none");
           quota()->set_memory_bytes(*bytes);
         },
         "Memory of nodes held at once" + whose)
      ->type_name("SIZE|none");
}

// "none" lifts it.
template <typename F>
void AddTimeFlag(CLI::App& sub, const std::string& flag, const std::string& what, const F& set) {
  sub.add_option_function<std::string>(
         flag,
         [flag, set](const std::string& text) {
           const auto span = text == "none" ? Result<Duration>(Duration{}) : ParseDuration(text);
           if (!span) throw CLI::ValidationError(flag, span.error().message + ", or none");
           set(span->ToMilliseconds());
         },
         what)
      ->type_name("DURATION|none");
}

// Where its jobs run, and its part of the GPUs there.
void AddShareFlags(CLI::App& sub, const std::shared_ptr<v1::SetQueueRequest>& request) {
  sub.add_option_function<std::string>(
      "--pool", [request](const std::string& pool) { request->set_pool(pool); },
      "Pool where its jobs run");
  sub.add_option_function<int>(
      "--weight", [request](int weight) { request->set_weight(weight); },
      "Fair-share weight among its siblings, 1 to 1000");
  sub.add_option_function<int64_t>(
      "--guaranteed", [request](int64_t gpus) { request->set_guaranteed(gpus); },
      "Guaranteed GPUs, which it can have at any time");
  sub.add_option_function<bool>(
      "--reclaimable", [request](bool reclaimable) { request->set_reclaimable(reclaimable); },
      "Whether GPUs beyond the guarantee may be reclaimed: true or false");
}

void ChangeQueue(const v1::SetQueueRequest& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto queue = (*client)->Call<v1::Queue>("SetQueue", request);
  if (!queue) return cli.Complain(queue.error());
  if (!cli.PrintDocument(*queue)) List(cli);
}

void AddQueueSet(CLI::App& queues, Cli& cli) {
  CLI::App* sub =
      queues.add_subcommand("set", "Create or change a queue; values that are not given stay");
  auto request = std::make_shared<v1::SetQueueRequest>();
  sub->add_option_function<std::string>(
         "name", [request](const std::string& name) { request->set_name(name); },
         "Queue: research, or research/nlp below it")
      ->required();
  AddShareFlags(*sub, request);
  AddTimeFlag(*sub, "--default-time", "Time limit of its jobs that set none",
              [request](int64_t ms) { request->set_default_time_ms(ms); });
  AddTimeFlag(*sub, "--max-time", "Maximum time limit of its jobs",
              [request](int64_t ms) { request->set_max_time_ms(ms); });
  AddNumberFlag(*sub, "--min-gpus", "Fewest GPUs of a job", 0,
                [request](int64_t gpus) { request->set_min_gpus(gpus); });
  AddTimeFlag(*sub, "--wait-target", "How soon its jobs should start, measured and alerted on",
              [request](int64_t ms) { request->set_wait_target_ms(ms); });
  sub->add_option_function<std::string>(
         "--network",
         [request](const std::string& access) {
           request->set_network(access == "none" ? v1::NETWORK_ACCESS_NONE
                                                 : v1::NETWORK_ACCESS_HOST);
         },
         "none: jobs submitted to it have a loopback interface of their own and nothing else")
      ->check(CLI::IsMember({"host", "none"}));
  AddQuotaFlags(*sub, "limit-", ", by all its jobs", request, false);
  AddQuotaFlags(*sub, "user-limit-", ", by each of its users", request, true);
  sub->callback([request, &cli] { ChangeQueue(*request, cli); });
}

void AddDelete(CLI::App& queues, Cli& cli) {
  CLI::App* sub = queues.add_subcommand("delete", "Delete a queue that is not in use");
  auto request = std::make_shared<v1::DeleteQueueRequest>();
  sub->add_option_function<std::string>(
         "name", [request](const std::string& name) { request->set_name(name); }, "Queue")
      ->required();
  sub->callback([request, &cli] {
    const auto client = cli.Controller();
    if (!client) return cli.Complain(client.error());
    const auto reply = (*client)->Call<v1::ListQueuesReply>("DeleteQueue", *request);
    if (!reply) return cli.Complain(reply.error());
    PrintQueues(*reply, cli);
  });
}

}  // namespace

Table PoolTable(const v1::ListQueuesReply& reply) {
  Table table({{.title = "POOL"},
               {.title = "NODES", .right = true},
               {.title = "GPUS", .right = true},
               {.title = "HELD", .right = true},
               {.title = "QUEUES", .cut = true}});
  for (const v1::Pool& pool : reply.pools()) {
    std::string names;
    for (const v1::Queue& queue : reply.queues()) {
      if (queue.pool() == pool.name() && queue.name().find('/') == std::string::npos)
        names += (names.empty() ? "" : ", ") + queue.name();
    }
    table.Add({pool.name(), std::to_string(pool.nodes()), std::to_string(pool.gpus()),
               Number(pool.gpus_held()), names.empty() ? kDash : names});
  }
  return table;
}

namespace {

void ListPools(Cli& cli) { ListAs(PoolTable, "pools", cli); }

Cell MemoryCell(const v1::Use& use, const v1::Quota& limit) {
  const std::string most = limit.has_memory_bytes() ? "/" + BytesToText(limit.memory_bytes()) : "";
  return {BytesToText(use.memory_bytes()) + most, static_cast<double>(use.memory_bytes())};
}

void AddQuotaRow(Table& table, const std::string& queue, const std::string& user,
                 const v1::Use& use, const v1::Quota& limit) {
  table.Add({queue,
             user,
             Limited(use.gpus(), limit.has_gpus(), limit.gpus()),
             Limited(static_cast<double>(use.jobs()), limit.has_jobs(), limit.jobs()),
             Limited(use.gpu_hours(), limit.has_gpu_hours(), limit.gpu_hours()),
             {Number(use.recent_gpu_hours()), use.recent_gpu_hours()},
             Limited(static_cast<double>(use.cpus()), limit.has_cpus(), limit.cpus()),
             MemoryCell(use, limit),
             LimitText(limit.has_gpus(), limit.gpus()),
             LimitText(limit.has_jobs(), limit.jobs()),
             LimitText(limit.has_gpu_hours(), limit.gpu_hours()),
             LimitText(limit.has_cpus(), limit.cpus()),
             LimitText(limit.has_memory_bytes(), limit.memory_bytes())});
}

}  // namespace

Table QuotaTable(const v1::ListQueuesReply& reply) {
  Table table({{.title = "QUEUE"},
               {.title = "USER"},
               {.title = "GPUS", .right = true},
               {.title = "JOBS", .right = true},
               {.title = "GPU-HOURS", .right = true},
               {.title = "RECENT", .right = true, .drop = 1},
               {.title = "CORES", .right = true, .drop = 2},
               {.title = "MEMORY", .right = true, .drop = 3},
               {.title = "GPU LIMIT", .right = true, .drop = 4, .wide = true},
               {.title = "JOB LIMIT", .right = true, .drop = 5, .wide = true},
               {.title = "GPU-HOUR LIMIT", .right = true, .drop = 6, .wide = true},
               {.title = "CORE LIMIT", .right = true, .drop = 7, .wide = true},
               {.title = "MEMORY LIMIT", .right = true, .drop = 8, .wide = true}});
  for (const v1::Queue& queue : reply.queues()) {
    AddQuotaRow(table, queue.name(), "all", queue.use(), queue.limit());
    const std::map<std::string, v1::Use> users(queue.users().begin(), queue.users().end());
    for (const auto& [user, use] : users)
      AddQuotaRow(table, queue.name(), user, use, queue.user_limit());
  }
  return table;
}

namespace {

void ListQuotas(Cli& cli) { ListAs(QuotaTable, "quotas", cli); }

}  // namespace

void AddQueues(CLI::App& app, Cli& cli) {
  CLI::App* queues = app.add_subcommand("queues", "Queues: fair-share weights, guarantees, limits");
  queues->require_subcommand(1);
  // A tree: its order is that of the queues
  queues->add_subcommand("list", "List queues, with what they hold and have used")
      ->callback([&cli] { List(cli); });
  AddQueueSet(*queues, cli);
  AddDelete(*queues, cli);
  CLI::App* pools = app.add_subcommand("pools", "Pools of nodes and the queues that use them");
  // Named like its siblings
  pools->add_subcommand("list", "")->group("")->callback([&cli] { ListPools(cli); });
  pools->callback([pools, &cli] {
    if (pools->get_subcommands().empty()) ListPools(cli);
  });
  app.add_subcommand("quotas",
                     "Show what queues and their users hold and have used, against their limits")
      ->callback([&cli] { ListQuotas(cli); });
}

}  // namespace gp
