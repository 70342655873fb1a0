#include "adapters/inbound/api/operations.h"

#include <algorithm>
#include <array>
#include <string>

namespace gp {
namespace {

using enum Role;
using enum Reach;

constexpr std::array kOperations = {
    Operation{"SubmitJobs", kUser, kSomewhere},
    Operation{"ListJobs", kViewer, kSomewhere},
    Operation{"GetJob", kViewer, kSomewhere},
    Operation{"WatchJob", kViewer, kSomewhere},
    Operation{"WatchChanges", kViewer, kSomewhere},
    Operation{"StopJob", kUser, kSomewhere},
    Operation{"ChangeJobs", kUser, kSomewhere},
    Operation{"HoldJob", kUser, kSomewhere},
    Operation{"ReleaseJob", kUser, kSomewhere},
    Operation{"SetPriority", kUser, kSomewhere},
    Operation{"SetTimeLimit", kUser, kSomewhere},
    Operation{"GetJobReport", kViewer, kSomewhere},
    Operation{"ReadLog", kUser, kSomewhere},
    Operation{"Exec", kUser, kSomewhere},
    Operation{"ExplainJob", kViewer, kSomewhere},
    Operation{"GetCluster", kViewer, kSomewhere},
    Operation{"GetMetrics", kViewer, kSomewhere},
    Operation{"ChangeService", kOperator, kEverywhere},
    Operation{"DeclareNodeLost", kOperator, kEverywhere},
    Operation{"ChangeNode", kAdmin, kEverywhere},
    Operation{"RevokeNode", kAdmin, kEverywhere},
    Operation{"ListIncidents", kViewer, kSomewhere},
    Operation{"GetIncident", kViewer, kSomewhere},
    Operation{"ChangeIncident", kOperator, kEverywhere},
    Operation{"ListReservations", kViewer, kSomewhere},
    Operation{"ReserveNodes", kOperator, kEverywhere},
    Operation{"DeleteReservation", kOperator, kEverywhere},
    Operation{"PlanMoves", kViewer, kSomewhere},
    Operation{"ApplyMoves", kOperator, kEverywhere},
    Operation{"ListQueues", kViewer, kSomewhere},
    Operation{"SetQueue", kAdmin, kSomewhere},
    Operation{"DeleteQueue", kAdmin, kSomewhere},
    Operation{"GetUsage", kViewer, kSomewhere},
    Operation{"ListBudgets", kViewer, kSomewhere},
    Operation{"SetBudget", kAdmin, kSomewhere},
    Operation{"DeleteBudget", kAdmin, kSomewhere},
    Operation{"GetSettings", kViewer, kSomewhere},
    Operation{"ReloadConfig", kAdmin, kEverywhere},
    Operation{"ListSecrets", kUser, kSomewhere},
    Operation{"SetSecret", kUser, kSomewhere},
    Operation{"DeleteSecret", kUser, kSomewhere},
    Operation{"WhoAmI", kNone, kSomewhere},
    Operation{"ListRoles", kViewer, kSomewhere},
    Operation{"GrantRole", kAdmin, kSomewhere},
    Operation{"ListTokens", kViewer, kSomewhere},
    Operation{"IssueToken", kViewer, kSomewhere},
    Operation{"RevokeToken", kViewer, kSomewhere},
    Operation{"ListAudit", kAdmin, kEverywhere},
    Operation{"ReadJournal", kAdmin, kEverywhere},
};

std::string Wants(const Operation& operation) {
  return std::string("role ") + Name(operation.least) +
         (operation.reach == kEverywhere ? " everywhere" : "");
}

}  // namespace

std::span<const Operation> AllOperations() { return kOperations; }

Status Admit(const Caller& caller, std::string_view operation) {
  const auto found = std::ranges::find(kOperations, operation, &Operation::name);
  if (found == kOperations.end())
    return Fail(PermissionDenied("nobody may use " + std::string(operation)));
  const bool may = found->reach == kEverywhere ? caller.In("") >= found->least
                                               : caller.HasSomewhere(found->least);
  if (may) return Ok();
  const std::string by_token = caller.token.value == 0 ? "" : ", by this token,";
  return Fail(PermissionDenied(caller.user.name + by_token + " lacks the " + Wants(*found) +
                               ", which this requires (gpu-platform whoami)"));
}

}  // namespace gp
