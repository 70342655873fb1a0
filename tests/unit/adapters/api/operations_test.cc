#include "adapters/inbound/api/operations/operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gpu_platform/v1/control.pb.h"

namespace gp {
namespace {

Caller CallerWith(std::map<RoleKey, Role> roles, const std::string& name = "ana") {
  Caller caller;
  caller.user = {name, 1000, 1000};
  auto access = std::make_shared<Access>();
  access->roles = std::move(roles);
  caller.access = std::move(access);
  return caller;
}

// Who may use what, by the highest role and where it is had.  Written down a second time, by hand.
const std::map<std::string, std::string> kLeast = {
    {"WhoAmI", "none"},
    {"ListJobs", "viewer"},
    {"GetJob", "viewer"},
    {"WatchJob", "viewer"},
    {"WatchChanges", "viewer"},
    {"ExplainJob", "viewer"},
    {"GetCluster", "viewer"},
    {"GetMetrics", "viewer"},
    {"GetUsage", "viewer"},
    {"GetSettings", "viewer"},
    {"ListControllers", "viewer"},
    {"GetArchive", "viewer"},
    {"ListBudgets", "viewer"},
    {"ListImages", "operator everywhere"},
    {"PruneImages", "admin everywhere"},
    {"VerifyImages", "operator everywhere"},
    {"ListIncidents", "viewer"},
    {"GetIncident", "viewer"},
    {"GetJobMetrics", "user"},
    {"WatchJobMetrics", "user"},
    {"GetJobReport", "viewer"},
    {"ListReservations", "viewer"},
    {"PlanMoves", "viewer"},
    {"ListQueues", "viewer"},
    {"ListRoles", "viewer"},
    {"ListTokens", "viewer"},
    {"IssueToken", "viewer"},
    {"RevokeToken", "viewer"},
    {"SubmitJobs", "user"},
    {"StopJob", "user"},
    {"ChangeJobs", "user"},
    {"HoldJob", "user"},
    {"ReleaseJob", "user"},
    {"SetPriority", "user"},
    {"ChangeJobQueue", "user"},
    {"SetTimeLimit", "user"},
    {"ListSecrets", "user"},
    {"SetSecret", "user"},
    {"DeleteSecret", "user"},
    {"ReadLog", "user"},
    {"Exec", "user"},
    {"ChangeService", "operator everywhere"},
    {"DeclareNodeLost", "operator everywhere"},
    {"ChangeIncident", "operator everywhere"},
    {"ReserveNodes", "operator everywhere"},
    {"DeleteReservation", "operator everywhere"},
    {"ApplyMoves", "operator everywhere"},
    {"SetQueue", "admin"},
    {"DeleteQueue", "admin"},
    {"SetBudget", "admin"},
    {"DeleteBudget", "admin"},
    {"GrantRole", "admin"},
    {"ChangeNode", "admin everywhere"},
    {"RevokeNode", "admin everywhere"},
    {"IssueJoinToken", "admin everywhere"},
    {"ListAudit", "admin everywhere"},
    {"ReadJournal", "admin everywhere"},
    {"ReloadConfig", "admin everywhere"},
    {"RaiseFormat", "admin everywhere"},
    {"RemoveController", "admin everywhere"},
    {"StepDown", "admin everywhere"},
};

TEST(Operations, AreAllMethodsThereAre) {
  std::set<std::string> methods;
  const auto* service =
      gpu_platform::v1::SubmitJobsRequest::descriptor()->file()->FindServiceByName("Control");
  for (int i = 0; i < service->method_count(); ++i) methods.insert(service->method(i)->name());
  std::set<std::string> operations;
  for (const Operation& operation : AllOperations())
    EXPECT_TRUE(operations.insert(std::string(operation.name)).second) << operation.name;
  EXPECT_EQ(operations, methods);
  std::set<std::string> known;
  for (const auto& [name, least] : kLeast) known.insert(name);
  EXPECT_EQ(known, methods);
}

TEST(Operations, AreForThoseWhoHaveTheRole) {
  int allowed = 0;
  for (const auto& [operation, least] : kLeast) {
    const bool is_everywhere = least.ends_with(" everywhere");
    const Role needed = *ParseRole(least.substr(0, least.find(' ')));
    for (const Role role :
         {Role::kNone, Role::kViewer, Role::kUser, Role::kOperator, Role::kAdmin}) {
      for (const std::string& queue : {std::string(), std::string("team")}) {
        const Caller caller = CallerWith(
            {{{"ana", ""}, queue.empty() ? role : Role::kNone}, {{"ana", "team"}, role}});
        const bool may =
            role >= needed && (queue.empty() || !is_everywhere || needed == Role::kNone);
        EXPECT_EQ(Admit(caller, operation).has_value(), may)
            << operation << " as " << Name(role) << " in " << queue;
        allowed += may;
        // A token gives no more than what its owner has, nor than what it was made for.
        for (const Role most : {Role::kViewer, Role::kUser, Role::kOperator, Role::kAdmin}) {
          Caller by_token = caller;
          by_token.token = TokenId{1};
          by_token.most = most;
          EXPECT_EQ(Admit(by_token, operation).has_value(), may && most >= needed)
              << operation << " as " << Name(role) << ", at most " << Name(most);
          by_token.scope = "team";
          EXPECT_EQ(Admit(by_token, operation).has_value(),
                    role >= needed && most >= needed && (!is_everywhere || needed == Role::kNone))
              << operation << " in team only";
          by_token.scope = "other";
          const bool may_other = queue.empty() && may && most >= needed && !is_everywhere;
          EXPECT_EQ(Admit(by_token, operation).has_value(), may_other || needed == Role::kNone)
              << operation << " in another queue only";
        }
      }
    }
  }
  EXPECT_GT(allowed, 150);
}

TEST(Operations, ThatAreNotInTheTableAreForNobody) {
  Caller root = CallerWith({}, "root");
  root.is_superuser = true;
  EXPECT_TRUE(Admit(root, "ListAudit"));
  EXPECT_EQ(Admit(root, "Whatever").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Admit(root, "").error().code, ErrorCode::kPermissionDenied);
}

TEST(JobRights, AreOfTheOwnerAndOfWhoCaresForTheQueue) {
  Job job;
  job.queue = "team/vision";
  job.user = {"ben", 1001, 1001};
  const auto may = [&](const Caller& caller) {
    std::string text;
    for (const JobAct act : {JobAct::kSee, JobAct::kChange, JobAct::kRead})
      text += JobRights(caller).May(act, job) ? 'y' : 'n';
    return text;
  };
  EXPECT_EQ(may(CallerWith({{{"ana", "team"}, Role::kNone}})), "nnn");
  EXPECT_EQ(may(CallerWith({{{"ana", "team"}, Role::kViewer}})), "ynn");
  EXPECT_EQ(may(CallerWith({{{"ana", "team"}, Role::kUser}})), "ynn");
  EXPECT_EQ(may(CallerWith({{{"ana", "team"}, Role::kOperator}})), "yyn");
  EXPECT_EQ(may(CallerWith({{{"ana", "team"}, Role::kAdmin}})), "yyy");
  EXPECT_EQ(may(CallerWith({{{"ana", "other"}, Role::kAdmin}})), "ynn");
  job.user = {"ana", 1000, 1000};
  EXPECT_EQ(may(CallerWith({})), "yyy");
  EXPECT_EQ(may(CallerWith({{{"ana", "team"}, Role::kViewer}})), "ynn");
  EXPECT_EQ(may(CallerWith({{{"ana", "team"}, Role::kNone}})), "nnn");
}

}  // namespace
}  // namespace gp
