// What the audit says of each command of a user, and which records it leaves out.

#include <gtest/gtest.h>

#include "domain/cluster/audit.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Instant kAuditedAt{1'700'000'000'123'456'789};

// "OPERATION OBJECT: details".
std::string AuditLineOf(const State& state, const Command& command,
                        std::vector<Event> events = {}) {
  Record record;
  record.envelope = {kAuditedAt, {"user:ana", "unix"}, "", command};
  record.events = std::move(events);
  const AuditEntry entry = AuditOf(state, 7, record);
  return entry.operation + " " + entry.object + ": " + entry.details;
}

// With the node n1 and job-1.
TestCluster AuditedCluster() {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  JobSpec spec;
  spec.program.command = {"run"};
  EXPECT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
  return cluster;
}

TEST(AuditOfACommand, SaysWhoFromWhereAndWhen) {
  Record record;
  record.envelope = {kAuditedAt, {"user:ana", "127.0.0.1:40312"}, "", HoldJob{{1}}};
  State state;
  state.time.wall = Duration::Seconds(1);
  const AuditEntry entry = AuditOf(state, 7, record);
  EXPECT_EQ(entry.number, 7U);
  EXPECT_EQ(entry.at, "2023-11-14T22:13:21.123Z") << "by the wall clock";
  EXPECT_EQ(entry.user, "ana");
  EXPECT_EQ(entry.from, "127.0.0.1:40312");
  EXPECT_FALSE(entry.refused);
  EXPECT_EQ(entry.times, 1);
}

TEST(AuditOfACommand, OnAJobNamesItsJob) {
  const State state = AuditedCluster().state();
  struct Case {
    Command command;
    const char* line;
  };
  const Case cases[] = {
      {StopJob{{1}}, "StopJob job-1: "},
      {StopJob{{1}, true}, "StopJob job-1: by force"},
      {HoldJob{{1}}, "HoldJob job-1: "},
      {ReleaseJob{{1}}, "ReleaseJob job-1: "},
      {SetPriority{{1}, 750}, "SetPriority job-1: 750"},
      {ChangeJobQueue{{1}, "vision"}, "ChangeJobQueue job-1: to queue vision"},
      {ChangeTimeLimit{{1}, Duration::Minutes(90)}, "SetTimeLimit job-1: to 1h30m"},
      {ChangeTimeLimit{{1}, {}, Duration::Minutes(10), true},
       "SetTimeLimit job-1: by 10m by force"},
      {MoveJobs{{1}, {}, {{{2}, {}}, {{3}, {}}}}, "ApplyMoves job-1: moves job-2 job-3"},
      {HoldJob{{99}}, "HoldJob job-99: "},
  };
  for (const Case& one : cases) EXPECT_EQ(AuditLineOf(state, one.command), one.line);
}

TEST(AuditOfACommand, OnASubmitNamesTheJobThatItMade) {
  const State state = AuditedCluster().state();
  JobSpec spec;
  spec.name = "train";
  spec.policy.array.count = 4;
  const auto shared = std::make_shared<const JobSpec>(spec);
  const SubmitJob submit{shared, {"ana", 1, 1}};
  EXPECT_EQ(AuditLineOf(state, submit, {JobSubmitted{{5}, shared, {"ana", 1, 1}, "", "team"}}),
            "SubmitJob job-5: train: 1 x 1 GPU, priority 500, queue team, 4 elements");
  EXPECT_EQ(AuditLineOf(state, submit), "SubmitJob : train: 1 x 1 GPU, priority 500, 4 elements")
      << "a repeated request made none";
}

TEST(AuditOfACommand, OnANodeNamesItAndItsGpu) {
  const State state = AuditedCluster().state();
  const auto service = [](int gpu, ServiceAction action, bool force) {
    return ChangeService{{0}, gpu, action, force, "fan"};
  };
  EXPECT_EQ(AuditLineOf(state, service(-1, ServiceAction::kDrain, false)),
            "ChangeService n1: drain: fan");
  EXPECT_EQ(AuditLineOf(state, service(1, ServiceAction::kOffline, true)),
            "ChangeService n1[1]: offline by force: fan");
  EXPECT_EQ(AuditLineOf(state, service(0, ServiceAction::kOnline, false)),
            "ChangeService n1[0]: online: fan");
  EXPECT_EQ(AuditLineOf(state, service(0, ServiceAction::kReset, true)),
            "ChangeService n1[0]: reset by force: fan");
  EXPECT_EQ(AuditLineOf(state, DeclareNodeLost{{0}, "burnt"}), "DeclareNodeLost n1: burnt");
  EXPECT_EQ(AuditLineOf(state, DeclareNodeLost{{9}, "?"}), "DeclareNodeLost node 9: ?");
  EXPECT_EQ(AuditLineOf(state, ChangeNode{{0}, "big", {{"zone", "a"}}, {"rack"}}),
            "ChangeNode n1: pool big zone=a -rack");
  EXPECT_EQ(AuditLineOf(state, RevokeNode{"n1"}), "RevokeNode n1: ");
  EXPECT_EQ(AuditLineOf(state, IssueJoinToken{"n1", {"", Instant{0}, ""}}),
            "IssueJoinToken n1: until 1970-01-01T00:00:00Z");
}

TEST(AuditOfACommand, OnACertificateSaysWhatWasShown) {
  CertifyNode certify{"n1", {std::string(3, 'a'), Instant{0}}, ""};
  EXPECT_EQ(AuditLineOf({}, certify),
            "CertifyNode n1: sha256:aaa until 1970-01-01T00:00:00Z, by the join token");
  certify.join_token = "ccc";
  EXPECT_EQ(AuditLineOf({}, certify),
            "CertifyNode n1: sha256:aaa until 1970-01-01T00:00:00Z, by its single-use join token");
  certify.shown = "bbb";
  EXPECT_EQ(AuditLineOf({}, certify),
            "CertifyNode n1: sha256:aaa until 1970-01-01T00:00:00Z, by the one before");
}

TEST(AuditOfACommand, OnAnIncidentSaysWhatBecameOfIt) {
  EXPECT_EQ(AuditLineOf({}, ChangeIncident{{3}, IncidentState::kAcknowledged, ""}),
            std::string("ChangeIncident incident-3: ") + Name(IncidentState::kAcknowledged));
  EXPECT_EQ(
      AuditLineOf({}, ChangeIncident{{3}, IncidentState::kClosed, "replaced"}),
      std::string("ChangeIncident incident-3: ") + Name(IncidentState::kClosed) + ": replaced");
}

TEST(AuditOfACommand, OnAQueueNamesWhatWasSetAndNothingElse) {
  SetQueue set{.name = "team"};
  EXPECT_EQ(AuditLineOf({}, set), "SetQueue team: ");
  set.weight = 3;
  EXPECT_EQ(AuditLineOf({}, set), "SetQueue team: weight 3");
  set.pool = "big";
  set.guaranteed = 8;
  set.reclaimable = false;
  set.limit = {16, 4, 100};
  set.user_limit = {2, 1, 10};
  set.default_time = Duration{};
  set.max_time = Duration::Minutes(60);
  EXPECT_EQ(AuditLineOf({}, set),
            "SetQueue team: pool big, weight 3, guaranteed 8, reclaimable 0, GPUs at most 16, jobs "
            "at most 4, GPU-hours at most 100, GPUs a user 2, jobs a user 1, GPU-hours a user 10, "
            "default time none, maximum time 1h");
  EXPECT_EQ(AuditLineOf({}, DeleteQueue{"team"}), "DeleteQueue team: ");
}

TEST(AuditOfACommand, OnAReservationSaysWhen) {
  ReserveNodes reserve;
  reserve.reservation.name = "course";
  reserve.reservation.starts_at = Instant{0};
  reserve.reservation.ends_at = Instant{} + Duration::Minutes(60);
  EXPECT_EQ(AuditLineOf({}, reserve),
            "ReserveNodes course: 1970-01-01T00:00:00Z to 1970-01-01T01:00:00Z");
  EXPECT_EQ(AuditLineOf({}, EndReservation{"course"}), "DeleteReservation course: ");
}

TEST(AuditOfACommand, OnAccessSaysWhichRoleWhere) {
  EXPECT_EQ(AuditLineOf({}, GrantRole{"ben", "", Role::kAdmin}), "GrantRole ben: admin everywhere");
  EXPECT_EQ(AuditLineOf({}, GrantRole{"*", "team", std::nullopt}),
            "GrantRole *: granted role removed in team");
  EXPECT_EQ(AuditLineOf({}, RevokeToken{{4}}), "RevokeToken token-4: ");
}

// The secret's digest is left out, as is everything else that helps to guess it.
TEST(AuditOfACommand, OnATokenNeverShowsItsSecret) {
  AccessToken token;
  token.label = "laptop";
  token.user.name = "ana";
  token.most = Role::kViewer;
  token.queue = "team";
  token.hash = std::string(kTokenHashLength, 'e');
  token.expires_at = Instant{0};
  AccessToken issued = token;
  issued.id = {4};
  const std::string line = AuditLineOf({}, IssueToken{token}, {TokenIssued{issued}});
  EXPECT_EQ(line, "IssueToken token-4: laptop: ana as viewer in team until 1970-01-01T00:00:00Z");
}

TEST(AuditOfACommand, OnABudgetNamesItsNumbers) {
  SetBudget set{.key = {"team", "", ""}, .gpu_hours = 100};
  EXPECT_EQ(AuditLineOf({}, set), "SetBudget queue team: 100 GPU-hours");
  set.warn_at = {50, 90};
  set.over = OverBudget::kHold;
  EXPECT_EQ(AuditLineOf({}, set),
            std::string("SetBudget queue team: 100 GPU-hours, warns at 50, 90 %, ") +
                Name(OverBudget::kHold));
  EXPECT_EQ(AuditLineOf({}, DeleteBudget{{"", "ana", ""}}), "DeleteBudget all queues, user ana: ");
}

TEST(AuditOfACommand, OnOtherChanges) {
  EXPECT_EQ(AuditLineOf({}, SetPolicy{{}, "min_run: 5m"}), "ReloadConfig policy: min_run: 5m");
  EXPECT_EQ(AuditLineOf({}, NoteChange{"PutSecret", "HF_TOKEN", "of ana"}),
            "PutSecret HF_TOKEN: of ana");
}

TEST(AuditOfACommand, OfARefusalSaysWhyAndHowOften) {
  Record record;
  record.envelope = {kAuditedAt, {"controller"}, "", NoteRefusal{"StopJob", "not your job", 3}};
  const AuditEntry entry = AuditOf({}, 7, record);
  EXPECT_EQ(entry.operation, "StopJob");
  EXPECT_EQ(entry.user, "") << "nobody is known";
  EXPECT_TRUE(entry.refused);
  EXPECT_EQ(entry.why, "not your job");
  EXPECT_EQ(entry.times, 3);
}

// Text from users is cut, and shows no control character.
TEST(AuditOfACommand, DetailsArePrintable) {
  const std::string line = AuditLineOf({}, NoteChange{"A", "b", std::string(400, 'x') + "\x1b"});
  EXPECT_LT(line.size(), 320U);
  EXPECT_EQ(AuditLineOf({}, NoteChange{"A", "b", "x\x1b[31m"}).find('\x1b'), std::string::npos);
}

TEST(IsAuditedCommand, IfAUserSentItOrItConcernsAccess) {
  const auto is_audited = [](const std::string& principal, const Command& command) {
    return IsAudited({{kAuditedAt, Origin(principal), "", command}, {JobHeld{{1}}}});
  };
  EXPECT_TRUE(is_audited("user:ana", HoldJob{{1}}));
  EXPECT_FALSE(is_audited("users:ana", HoldJob{{1}}));
  EXPECT_FALSE(is_audited("", HoldJob{{1}}));
  for (const char* principal : {"controller", "scheduler", "node:n1"}) {
    EXPECT_FALSE(is_audited(principal, Tick{})) << principal;
    EXPECT_TRUE(is_audited(principal, NoteRefusal{"StopJob", "", 1})) << principal;
    EXPECT_TRUE(is_audited(principal, CertifyNode{"n1", {}, ""})) << principal;
  }
}

}  // namespace
}  // namespace gp
