#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/notify/deliver.h"
#include "adapters/outbound/notify/notifier.h"
#include "base/text.h"
#include "domain/cluster/nodes/report_of.h"
#include "lib/secrets/secrets.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Notify : public testing::Test {
 protected:
  Notify() {
    char name[] = "/tmp/notify-test-XXXXXX";
    directory_ = mkdtemp(name);
    node_ = cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  }
  ~Notify() override {
    notifier_.reset();
    fs::remove_all(directory_);
  }

  std::string File(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }
  static std::string Text(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // Programs that keep what they receive, and fail while there is a file "away": counted.
  Receiver Keeper(const std::string& name) {
    Receiver receiver{.name = name, .on = {"job_ended"}, .way = NotifyWay::kExec};
    const std::string script = "#!/bin/sh\ncd " + directory_ +
                               "\n[ -e away ] && echo >> tries && echo nobody there && exit 1\n"
                               "cat >> " +
                               name + "\n";
    receiver.command = {File(name + ".sh", script, 0755)};
    return receiver;
  }
  // Until as many tries have failed; what follows from the last of them may be yet to come.
  bool AwaitTries(size_t count) {
    return Await([&] { return Text(directory_ + "/tries").size() >= count; });
  }
  std::vector<Json> DeliveryCursor(const std::string& name) {
    std::vector<Json> told;
    std::istringstream lines(Text(directory_ + "/" + name));
    for (std::string line; std::getline(lines, line);) told.push_back(Json::parse(line));
    return told;
  }
  void Start(const std::vector<Receiver>& receivers) {
    notifier_.reset();
    const auto say = [this](LogLevel level, const std::string& text) {
      const std::lock_guard lock(mutex_);
      said_ += std::string(Name(level)) + " " + text + "\n";
    };
    const auto ledger_now = [this] { return LedgerNow(); };
    auto notifier = Notifier::Start({receivers, "/usr/sbin/sendmail", ""}, directory_ + "/notify",
                                    say, clock_, ledger_now);
    ASSERT_TRUE(notifier) << notifier.error().message;
    notifier_ = *std::move(notifier);
  }
  std::string said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  static int NumberOfFiles(const std::string& place) {
    return static_cast<int>(std::ranges::count_if(
        fs::directory_iterator(place),
        [](const fs::directory_entry& one) { return one.path().extension() == ".json"; }));
  }
  // Until it is so, or for ten seconds.
  template <typename F>
  static bool Await(F is_so) {
    for (int tries = 0; tries < 1'000; ++tries) {
      if (is_so()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  // Where nobody steps it, the wall clock says the same.
  Instant LedgerNow() { return Instant{1'700'000'000'000'000'000 + clock_.BootNs()}; }
  // The controller's clock and the state's go together.
  std::vector<Event> Do(const Command& command) {
    clock_.Advance(Duration::Seconds(1));
    cluster_.Advance(Duration::Seconds(1));
    const auto events = cluster_.Execute(command);
    EXPECT_TRUE(events) << events.error().message;
    return events.value_or(std::vector<Event>{});
  }
  // What a job that is cancelled while it waits makes happen.
  std::vector<Event> EndOneJob() {
    JobSpec spec;
    spec.name = "train";
    spec.program.command = {"true"};
    Do(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}});
    return Do(StopJob{JobId{cluster_.state().jobs.last}, true});
  }
  void Tell(const std::vector<Event>& events) {
    notifier_->OnCommit(cluster_.state(), {.events = events});
  }

  std::string directory_;
  TestCluster cluster_;
  ManualClock clock_;
  NodeId node_;
  std::mutex mutex_;
  std::string said_;
  std::unique_ptr<Notifier> notifier_;
};

EventLine Line(const std::string& event,
               std::vector<std::pair<std::string, EventLine::Value>> fields) {
  return {LogLevel::kInfo, event, std::move(fields)};
}

TEST_F(Notify, RulesSayWhatIsWanted) {
  Receiver receiver{.name = "r",
                    .on = {"job_ended"},
                    .where = {{"state", {"FAILED", "LOST"}}, {"exit_code", {"3"}}}};
  EXPECT_TRUE(
      IsWanted(receiver, Line("job_ended", {{"state", "LOST"}, {"exit_code", int64_t{3}}})));
  EXPECT_FALSE(
      IsWanted(receiver, Line("job_ended", {{"state", "LOST"}, {"exit_code", int64_t{33}}})));
  EXPECT_FALSE(IsWanted(receiver, Line("job_ended", {{"state", "LOST"}})))
      << "a field that it lacks";
  EXPECT_FALSE(
      IsWanted(receiver, Line("job_started", {{"state", "LOST"}, {"exit_code", int64_t{3}}})));
  receiver.where.clear();
  EXPECT_TRUE(IsWanted(receiver, Line("job_ended", {})));
}

TEST_F(Notify, AllIsInOneLineOfJson) {
  const Json document = Json::parse(ToJson(
      {"a.1", Instant{1'700'000'000'000'000'000},
       Line("job_ended",
            {{"job", "job-1"}, {"reason", "said \"no\"\nand went"}, {"exit_code", int64_t{3}}})}));
  EXPECT_EQ(document["id"], "a.1");
  EXPECT_EQ(document["type"], "job_ended");
  EXPECT_EQ(document["timestamp"], "2023-11-14T22:13:20.000Z");
  EXPECT_EQ(document["data"]["exit_code"], 3);
  EXPECT_EQ(document["text"], "job ended: job-1 reason=said \"no\"\nand went exit_code=3");
}

// The example of standardwebhooks.com's own specification is signed so.
TEST_F(Notify, SignsAsTheStandardSays) {
  const auto key = ReadWebhookKey(File("key", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"));
  ASSERT_TRUE(key);
  EXPECT_EQ(Sign(*key, "msg_p5jXN8AQM9LWM0D4loKWxJek", Instant{1'614'265'330'000'000'000},
                 "{\"test\": 2432232314}")
                .signature,
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  EXPECT_EQ(Sign("", "a", Instant{}, "b").signature, "");
}

TEST_F(Notify, SecretsAreKeptToThemselves) {
  EXPECT_FALSE(ReadWebhookKey(directory_ + "/none"));
  EXPECT_FALSE(ReadWebhookKey(directory_));
  const std::string sound = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  for (const auto& [text, mode] : {std::pair{sound, 0644},
                                   {sound, 0620},
                                   {sound.substr(6), 0600},
                                   {std::string("whsec_"), 0600},
                                   {std::string("whsec_c2hvcnQ="), 0600},
                                   {sound + "!", 0600}}) {
    const auto key = ReadWebhookKey(File("key", text, static_cast<mode_t>(mode)));
    ASSERT_FALSE(key) << text << " " << mode;
    EXPECT_EQ(key.error().message.find("MfKQ9r8GKYqrTwjU"), std::string::npos)
        << key.error().message;
  }
}

TEST_F(Notify, NothingThatHappenedBecomesAHeader) {
  const std::string letter = directory_ + "/letter";
  const NotifyConfig config{
      {}, File("sendmail", "#!/bin/sh\n(echo \"$@\"; cat) > " + letter + "\n", 0755), ""};
  const Receiver receiver{
      .name = "people", .on = {}, .way = NotifyWay::kMail, .recipients = {"ops@example.org"}};
  const std::string body = ToJson(
      {"a.1", Instant{},
       Line("job_ended", {{"job", "job-1"}, {"reason", "x\nBcc: evil@example.org\n\n.\n"}})});
  ASSERT_TRUE(Deliver(config, receiver, body, Instant{}, -1));
  const std::string text = Text(letter);
  EXPECT_TRUE(text.starts_with(
      "-t -i\nTo: ops@example.org\nSubject: [gpu-platform] job ended: job-1 reason=x\\x0aBcc"))
      << text;
  EXPECT_EQ(text.find("\nBcc:"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n.\n"), std::string::npos) << text;
}

Status Add(Outbox& box, Instant at, const std::string& body) {
  const uint64_t number = GP_TRY(box.Number(at));
  GP_CHECK_OK(box.Write(number, body, Survives::kCrash));
  box.Insert(number, at);
  return Ok();
}

Outbox::Waiting First(Outbox& box) {
  const auto first = box.First();
  return first && *first ? **first : Outbox::Waiting{};
}

// Headers are ASCII and lines have an end, whatever jobs are called.
TEST_F(Notify, LettersAreWhatMailTakes) {
  const std::string letter = directory_ + "/letter";
  const NotifyConfig config{{}, File("sendmail", "#!/bin/sh\ncat > " + letter + "\n", 0755), ""};
  const Receiver receiver{
      .name = "people", .on = {}, .way = NotifyWay::kMail, .recipients = {"ops@example.org"}};
  std::string name;
  for (int i = 0; i < 700; ++i) name += "ü";
  ASSERT_TRUE(Deliver(config, receiver,
                      ToJson({"a.1", Instant{}, Line("job_ended", {{"name", name}})}), Instant{},
                      -1));
  const std::string text = Text(letter);
  const std::string head = text.substr(0, text.find("\n\n"));
  EXPECT_TRUE(std::ranges::all_of(head, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }))
      << head;
  EXPECT_NE(head.find("\nSubject: =?utf-8?B?"), std::string::npos) << head;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 998U);
  EXPECT_NE(text.find("name: üü"), std::string::npos);
}

TEST_F(Notify, DamagedFilesAreNoEnd) {
  for (const char* body :
       {"", "{", "[]", R"({"id": 7})", R"({"id": "a", "type": "b"})", "\xff\xfe"}) {
    const Status delivered = Deliver({}, Keeper("one"), body, Instant{}, -1);
    ASSERT_FALSE(delivered) << body;
    EXPECT_NE(delivered.error().code, ErrorCode::kUnavailable)
        << "it would be tried for ever: " << body;
  }
  fs::create_directories(directory_ + "/notify/one");
  File("notify/one/00000000000000000007.json", R"({"id": 7})");
  File("notify/one/told", "{\"wish\": 7}");
  File("notify/one/00000000000000000008.json.new", "half");
  Start({Keeper("one")});
  ASSERT_TRUE(Await(
      [&] { return fs::exists(directory_ + "/notify/one/refused/00000000000000000007.json"); }));
  EXPECT_TRUE(said().contains("told: is damaged; what happened since yesterday may be sent again"))
      << said();
  EXPECT_FALSE(fs::exists(directory_ + "/notify/one/00000000000000000008.json.new"));
  Tell(EndOneJob());
  ASSERT_TRUE(Await([&] { return DeliveryCursor("one").size() == 1; }));
}

TEST_F(Notify, TheOutboxKeepsOrderAndOutlivesItsProcess) {
  const std::string place = directory_ + "/box";
  const Instant now{1'000};
  {
    auto box = Outbox::Open(place, now);
    ASSERT_TRUE(box);
    EXPECT_FALSE(*box->First());
    for (const char* body : {"a", "b", "c", "d"}) ASSERT_TRUE(Add(*box, Instant{77}, body));
    ASSERT_EQ(First(*box).body, "a");
    EXPECT_EQ(First(*box).number, 77U);
    box->Remove(77);
  }
  File("box/stranger.json", "not ours");
  auto box = Outbox::Open(place, now);
  ASSERT_TRUE(box);
  EXPECT_EQ(box->size(), 3U);
  EXPECT_EQ(First(*box).body, "b");
  fs::remove(place + "/00000000000000000078.json");  // by whoever keeps the host
  EXPECT_EQ(First(*box).body, "c");
  box->Refuse(79);
  EXPECT_EQ(Text(place + "/refused/00000000000000000079.json"), "c");
  ASSERT_TRUE(Add(*box, Instant{5}, "e")) << "a clock that was set back changes no order";
  EXPECT_EQ(First(*box).body, "d");
}

// Whatever its number says, nothing has waited since before it was there, or for less than no time.
TEST_F(Notify, WhatWaitsGrowsOlderAsTimePasses) {
  const std::string place = directory_ + "/box";
  {
    auto box = Outbox::Open(place, Instant{100});
    ASSERT_TRUE(box);
    for (const int64_t at : {150, 900, 950}) {
      ASSERT_TRUE(Add(*box, Instant{at}, "of " + std::to_string(at)));
    }
    EXPECT_EQ(box->RefuseBefore(Instant{150}), 0U);
    EXPECT_EQ(box->RefuseBefore(Instant{151}), 1U);
    EXPECT_EQ(First(*box).body, "of 900");
  }
  auto box = Outbox::Open(place, Instant{200});  // the journal was lost, and its time began at 0
  ASSERT_TRUE(box);
  EXPECT_EQ(box->RefuseBefore(Instant{200}), 0U);
  EXPECT_EQ(box->RefuseBefore(Instant{201}), 2U);
}

TEST_F(Notify, TellsEachInOrder) {
  Receiver picky = Keeper("picky");
  picky.where = {{"user", {"bob"}}};
  Start({Keeper("one"), picky});
  for (int i = 0; i < 3; ++i) Tell(EndOneJob());
  ASSERT_TRUE(Await([&] { return DeliveryCursor("one").size() == 3; }));
  EXPECT_EQ(DeliveryCursor("one")[0]["data"]["job"], "job-1");
  EXPECT_EQ(DeliveryCursor("one")[2]["data"]["job"], "job-3");
  EXPECT_TRUE(DeliveryCursor("picky").empty());
  EXPECT_EQ(said(), "");
}

TEST_F(Notify, WhatCannotBeBroughtWaitsForTheNextProcess) {
  File("away", "");
  Start({Keeper("one")});
  Tell(EndOneJob());
  ASSERT_TRUE(Await([&] { return said().contains("nobody there; it is retried"); }));
  Tell(EndOneJob());
  notifier_.reset();
  EXPECT_TRUE(DeliveryCursor("one").empty());
  fs::remove(directory_ + "/away");
  Start({Keeper("one")});
  ASSERT_TRUE(Await([&] { return DeliveryCursor("one").size() == 2; }));
  notifier_->CatchUp(cluster_.state());
  notifier_.reset();
  EXPECT_EQ(DeliveryCursor("one").size(), 2U) << "what it received is not sent again";
}

TEST_F(Notify, AReceiverThatIsAwayIsReachedAgain) {
  File("away", "");
  Start({Keeper("one")});
  Tell(EndOneJob());
  ASSERT_TRUE(Await([&] { return said().contains("warning notify: one: nobody there"); }));
  fs::remove(directory_ + "/away");
  ASSERT_TRUE(Await([&] {
    return DeliveryCursor("one").size() == 1 &&
           said().contains("info notify: one: is reached again");
  }));
}

TEST_F(Notify, AfterADayItIsGivenUp) {
  File("away", "");
  Start({Keeper("one")});
  Tell(EndOneJob());
  ASSERT_TRUE(Await([&] { return said().contains("retried"); }));
  notifier_.reset();
  fs::remove(directory_ + "/tries");
  clock_.Advance(Duration::Minutes(25 * 60));
  Start({Keeper("one")});
  ASSERT_TRUE(AwaitTries(2));
  EXPECT_FALSE(said().contains("given up")) << "this process has hardly tried";
  clock_.Advance(Duration::Minutes(60));
  ASSERT_TRUE(Await(
      [&] { return said().contains("nobody there; 1 notification given up after a day, see "); }));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_ + "/notify/one/refused"), {}), 1);
}

TEST_F(Notify, AStepOfTheWallClockGivesNothingUp) {
  File("away", "");
  Start({Keeper("one")});
  Tell(EndOneJob());
  ASSERT_TRUE(AwaitTries(1));
  clock_.Advance(Duration::Minutes(61));
  clock_.StepWall(Duration::Minutes(25 * 60));
  ASSERT_TRUE(AwaitTries(3)) << "of which the second saw the step";
  fs::remove(directory_ + "/away");
  ASSERT_TRUE(Await([&] { return DeliveryCursor("one").size() == 1; })) << said();
  EXPECT_FALSE(said().contains("given up")) << said();
}

// The state is durable, and the controller dies before it has told anybody.
TEST_F(Notify, WhatADeadControllerDidNotTellIsFoundInTheState) {
  Start({Keeper("one"), Keeper("late")});
  Tell(EndOneJob());
  ASSERT_TRUE(Await(
      [&] { return DeliveryCursor("one").size() == 1 && DeliveryCursor("late").size() == 1; }));
  // What the notifier does not know to be delivered when it ends is delivered once more.
  ASSERT_TRUE(Await([&] {
    return std::ranges::all_of(notifier_->Backlogs(),
                               [](const auto& one) { return one.second.waiting == 0; });
  }));
  notifier_.reset();
  const std::vector<Event> untold = EndOneJob();
  clock_.Advance(Duration::Seconds(10));
  Receiver other_wish = Keeper("late");
  other_wish.on.insert("job_started");
  Start({Keeper("one"), Keeper("new"), other_wish});
  notifier_->CatchUp(cluster_.state());
  Tell(untold);  // and once more, as where it happens between the two
  ASSERT_TRUE(Await([&] {
    return DeliveryCursor("one").size() >= 2 && DeliveryCursor("new").size() == 1 &&
           DeliveryCursor("late").size() == 2;
  }));
  notifier_.reset();
  ASSERT_EQ(DeliveryCursor("one").size(), 2U);
  EXPECT_EQ(DeliveryCursor("one")[1]["data"]["job"], "job-2");
  EXPECT_EQ(DeliveryCursor("one")[1]["data"]["state"], "CANCELLED");
}

TEST_F(Notify, OldTimesAreNoNews) {
  const std::vector<Event> old = EndOneJob();
  clock_.Advance(Duration::Seconds(10));
  Start({Keeper("new")});
  notifier_->CatchUp(cluster_.state());
  cluster_.Advance(Duration::Seconds(20));
  Tell(EndOneJob());
  ASSERT_TRUE(Await([&] { return !DeliveryCursor("new").empty(); }));
  notifier_.reset();
  ASSERT_EQ(DeliveryCursor("new").size(), 1U);
  EXPECT_EQ(DeliveryCursor("new")[0]["data"]["job"], "job-2");
}

// Where it begins is an instant of the ledger's, however far the wall clock is from that.
TEST_F(Notify, ANewReceiverHearsWhatHappensFromThenOnWhateverTheWallClockSays) {
  for (const int64_t hours : {-2, 4}) {
    const std::string name = "new" + std::to_string(hours);
    clock_.StepWall(Duration::Minutes(60 * hours));
    Do(StepWallClock{clock_.Now() - LedgerNow()});
    EndOneJob();  // nobody was there
    clock_.Advance(Duration::Seconds(10));
    cluster_.Advance(Duration::Seconds(10));
    Start({Keeper(name)});
    notifier_->CatchUp(cluster_.state());
    notifier_.reset();
    EndOneJob();  // and nobody was notified
    Start({Keeper(name)});
    notifier_->CatchUp(cluster_.state());
    ASSERT_TRUE(Await([&] { return !DeliveryCursor(name).empty(); })) << name;
    notifier_.reset();
    ASSERT_EQ(DeliveryCursor(name).size(), 1U) << name;
    EXPECT_EQ(DeliveryCursor(name)[0]["data"]["job"], ToText(JobId{cluster_.state().jobs.last}));
    const Instant shown = WallOf(cluster_.state().time, cluster_.now());
    EXPECT_EQ(DeliveryCursor(name)[0]["timestamp"], ToRfc3339(shown, true)) << "which people read";
  }
}

// The journal was lost, and the instants of the next one are earlier.
TEST_F(Notify, WhatIsYetToComeWasNotTold) {
  const Receiver one = Keeper("one");
  Start({one});
  notifier_.reset();
  const gp::DeliveryCursor of_old{WishOf(one), LedgerNow() + Duration::Minutes(60), {}};
  ASSERT_TRUE(SaveDeliveryCursor(directory_ + "/notify/one/told", of_old));
  Start({one});
  EndOneJob();
  notifier_->CatchUp(cluster_.state());
  EXPECT_TRUE(Await([&] { return DeliveryCursor("one").size() == 1; }));
}

TEST_F(Notify, WhatIsOlderComesFirst) {
  Start({Keeper("one")});
  notifier_.reset();
  EndOneJob();
  Start({Keeper("one")});
  Tell(EndOneJob());  // before anybody has said CatchUp
  ASSERT_TRUE(Await([&] { return DeliveryCursor("one").size() == 2; }));
  EXPECT_EQ(DeliveryCursor("one")[0]["data"]["job"], "job-1");
  notifier_->CatchUp(cluster_.state());
  notifier_.reset();
  EXPECT_EQ(DeliveryCursor("one").size(), 2U);
}

// It delays neither the notifications sent meanwhile nor the end.
TEST_F(Notify, AReceiverThatHangsHoldsUpNothing) {
  Receiver hangs = Keeper("hangs");
  hangs.command = {File("hang.sh", "#!/bin/sh\nsleep 1000\n", 0755)};
  Start({hangs, Keeper("one")});
  for (int i = 0; i < 3; ++i) Tell(EndOneJob());
  ASSERT_TRUE(Await([&] { return DeliveryCursor("one").size() == 3; }));
  const auto waiting = [&] { return NumberOfFiles(directory_ + "/notify/hangs"); };
  EXPECT_TRUE(Await([&] { return waiting() == 3; })) << "they are in files though it hangs";
  EXPECT_EQ(notifier_->Backlogs()[0].second.waiting, 3U);
  notifier_.reset();
  EXPECT_EQ(waiting(), 3) << "its end was ours";
}

}  // namespace
}  // namespace gp
