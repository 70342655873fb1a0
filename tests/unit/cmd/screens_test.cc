// Every list of the command line on terminals of 80, 120 and 200 columns.  screens/*.json are the
// replies of a controller, screens/*.txt what the lists show of them; GP_ACCEPT=1 rewrites those.

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <clocale>
#include <sstream>

#include "cmd/list_tables.h"
#include "infrastructure/terminal_text.h"
#include "tests/support/written_file.h"

namespace gp {
namespace {

const std::string kDirectory = "tests/unit/cmd/screens/";

template <typename Reply>
Reply ReplyOf(const std::string& name) {
  Reply reply;
  const auto read = google::protobuf::util::JsonStringToMessage(
      Contents(PathInSource(kDirectory + name + ".json")), &reply);
  EXPECT_TRUE(read.ok()) << name << ": " << read.ToString();
  return reply;
}

struct ListScreen {
  std::string command;
  Table table;
  std::vector<std::string> whole;  // what no width may cut
};

std::vector<ListScreen> AllLists() {
  const auto cluster = ReplyOf<v1::Cluster>("cluster");
  const auto queues = ReplyOf<v1::ListQueuesReply>("queues");
  return {
      {"jobs list",
       JobTable(ReplyOf<v1::ListJobsReply>("jobs")),
       {"job-1207", "job-1302", "RUNNING", "QUEUED", "FAILED", "4000", "CUDA out of memory",
        "replace the fan of tray 3", "held by carol"}},
      {"gpus list",
       GpuTable(cluster, false),
       {"dgx-h100-001/3", "IN_USE", "AVAILABLE", "OFFLINE (LOST)", "DRAINING IN_USE",
        "fallen off the bus", "incident-17"}},
      {"nodes list",
       NodeTable(cluster),
       {"dgx-h100-001", "DRAINING UP", "LOST", "ticket OPS-4711", "no heartbeat since"}},
      {"status --all",
       ClusterTree(cluster),
       {"dgx-h100-001", "DRAINING UP", "LOST", "incident-17"}},
      {"queues list", QueueTable(queues), {"production", "4001/4096"}},
      {"pools", PoolTable(queues), {"training", "4096"}},
      {"quotas", QuotaTable(queues), {"research/search", "ana"}},
      {"incidents list",
       IncidentTable(ReplyOf<v1::ListIncidentsReply>("incidents")),
       {"incident-15", "ACKNOWLEDGED", "dgx-h100-001/3", "operator action required"}},
      {"reservations list",
       ReservationTable(ReplyOf<v1::ListReservationsReply>("reservations")),
       {"paper-deadline", "2026-12-03T20:00:00Z", "before you change it"}},
      {"budget list",
       BudgetTable(ReplyOf<v1::ListBudgetsReply>("budgets")),
       {"research/nlp", "each: ana", "demote", "52%"}},
      {"audit list",
       AuditTable(ReplyOf<v1::ListAuditReply>("audit")),
       {"2026-11-20T09:14:03.120Z", "ChangeService", "belongs to ana", "ticket OPS-4711"}},
      {"roles list",
       RoleTable(ReplyOf<v1::ListRolesReply>("roles")),
       {"@ml-operators", "everywhere"}},
      {"tokens list",
       TokenTable(ReplyOf<v1::ListTokensReply>("tokens")),
       {"token-3", "of the search group"}},
      {"secrets list",
       SecretTable(ReplyOf<v1::ListSecretsReply>("secrets")),
       {"REGISTRY_PASSWORD", "queue research/nlp"}},
  };
}

// Words that are broken over lines are together again.
std::string Unwrapped(const std::string& screen) {
  std::string text;
  bool was_blank = false;
  for (const char c : screen) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank) text += c;
    if (is_blank && !was_blank) text += ' ';
    was_blank = is_blank;
  }
  return text;
}

class Screens : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr); }
};

TEST_P(Screens, EveryListFits) {
  const int width = GetParam();
  std::string screens;
  for (const ListScreen& list : AllLists()) {
    const std::string text = list.table.ToText(true, width);
    screens += "$ gpu-platform " + list.command + "\n" + text + "\n";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(TextWidth(line), width) << list.command << ": " << line;
    for (const std::string& whole : list.whole)
      EXPECT_NE(Unwrapped(text).find(whole), std::string::npos)
          << list.command << " lacks \"" << whole << "\":\n"
          << text;
  }
  ExpectWritten(kDirectory + std::to_string(width) + ".txt", screens);
}

INSTANTIATE_TEST_SUITE_P(Widths, Screens, testing::Values(80, 120, 200),
                         [](const auto& one) { return std::to_string(one.param); });

}  // namespace
}  // namespace gp
