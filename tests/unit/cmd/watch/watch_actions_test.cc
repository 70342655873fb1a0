#include "cmd/watch/watch_actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "cmd/watch/watch_question.h"
#include "cmd/watch/watch_screen.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using What = WatchRequest::What;

constexpr int kEsc = 27;
constexpr Duration kReadAgain = Duration::Seconds(1);

class FakeCaller : public WatchCaller {
 public:
  void Ask(const WatchRequest& request) override { asked.push_back(request); }
  std::optional<WatchAnswer> Take() override {
    if (answers.empty()) return std::nullopt;
    WatchAnswer answer = answers.front();
    answers.pop_front();
    return answer;
  }
  void Answer(Result<std::string> text) { answers.push_back({asked.back(), std::move(text)}); }

  std::vector<WatchRequest> asked;
  std::deque<WatchAnswer> answers;
};

class WatchActionsTest : public testing::Test {
 protected:
  WatchActionsTest() {
    for (const char* name : {"n1", "n2"}) AddNode(name);
    AddJob("job-12", "train", v1::RUNNING, "RUNNING");
    AddJob("job-13", "eval", v1::QUEUED, "QUEUED");
    AddJob("job-14", "later", v1::QUEUED, "HELD");
  }

  void AddNode(const std::string& name) {
    v1::Node& node = *data_.cluster.add_nodes();
    node.set_name(name);
    for (int index = 0; index < 2; ++index) {
      v1::Gpu& gpu = *node.add_gpus();
      gpu.set_index(index);
      gpu.set_uuid("GPU-" + name + std::to_string(index));
      gpu.set_state(v1::IN_USE);
      gpu.add_holders()->set_job_id("job-12");
    }
  }

  void AddJob(const std::string& id, const std::string& name, v1::JobState state,
              const std::string& detail) {
    v1::Job& job = data_.jobs.emplace_back();
    job.set_id(id);
    job.set_user("ana");
    job.mutable_spec()->set_name(name);
    job.set_state(state);
    job.set_detail(detail);
  }

  WatchRow JobRow(const std::string& id) { return {id, {}, {}, {id}}; }
  WatchRow PlaceRow(const std::string& place) { return {place, {}, {}, {}, place}; }
  bool Press(int key, const WatchRow& row) { return actions_.OnKey(key, &row, &data_); }
  void Answer(Result<std::string> text) {
    caller_.Answer(std::move(text));
    EXPECT_TRUE(actions_.Update(now_ns_));
  }
  void Open(int key, const std::string& text) {
    Press(key, JobRow("job-12"));
    Answer(text);
  }

  WatchData data_;
  FakeCaller caller_;
  WatchActions actions_{caller_, kReadAgain};
  int64_t now_ns_ = 5'000'000'000;
};

TEST_F(WatchActionsTest, ACancelSaysWhatStopsAndWaitsForYes) {
  EXPECT_TRUE(Press('c', JobRow("job-12")));
  EXPECT_EQ(actions_.Foot(), "cancel job-12 (train) of ana: 4 GPUs on 2 nodes stop now? y/n");
  EXPECT_THAT(caller_.asked, IsEmpty());
  Press('y', JobRow("job-13"));  // the cursor may have moved: the question counts
  EXPECT_THAT(caller_.asked, ElementsAre(WatchRequest{What::kCancel, "job-12"}));
  EXPECT_EQ(actions_.Foot(), "cancel job-12 (train) of ana …");
  EXPECT_FALSE(actions_.TakeChange());
  Answer(std::string("job-12 is being stopped"));
  EXPECT_EQ(actions_.Foot(), "job-12 is being stopped");
  EXPECT_EQ(actions_.FootLevel(), WatchLevel::kGood);
  EXPECT_TRUE(actions_.TakeChange());
  EXPECT_FALSE(actions_.TakeChange());
}

TEST_F(WatchActionsTest, EveryOtherKeyThanYesChangesNothing) {
  for (const int key : {static_cast<int>('n'), kEsc, static_cast<int>('\n'), static_cast<int>('q'),
                        WatchScreen::kDown}) {
    Press('c', JobRow("job-12"));
    EXPECT_TRUE(Press(key, JobRow("job-12")));
    EXPECT_EQ(actions_.Foot(), "nothing was changed");
  }
  EXPECT_THAT(caller_.asked, IsEmpty());
}

TEST_F(WatchActionsTest, TheErrorOfTheControllerStandsAtTheFootUntilAKey) {
  Press('c', JobRow("job-12"));
  Press('y', JobRow("job-12"));
  Answer(Fail(Conflict("job-12 belongs to ana\x1b[31m")));
  EXPECT_EQ(actions_.Foot(), "! job-12 belongs to ana\\x1b[31m");
  EXPECT_EQ(actions_.FootLevel(), WatchLevel::kBad);
  EXPECT_FALSE(Press(WatchScreen::kDown, JobRow("job-12")));
  EXPECT_EQ(actions_.Foot(), "");
}

TEST_F(WatchActionsTest, OneChangeAtATime) {
  Press('c', JobRow("job-12"));
  Press('y', JobRow("job-12"));
  Press('h', JobRow("job-13"));
  EXPECT_THAT(actions_.Foot(), HasSubstr("has not answered yet: cancel job-12"));
  EXPECT_FALSE(actions_.IsAsking());
  EXPECT_EQ(caller_.asked.size(), 1u);
}

TEST_F(WatchActionsTest, HoldAndReleaseAreOneKey) {
  Press('h', JobRow("job-13"));
  EXPECT_THAT(actions_.Foot(), HasSubstr("hold job-13 (eval) of ana: it does not start"));
  Press('y', JobRow("job-13"));
  Answer(std::string("job-13 HELD"));
  Press('h', JobRow("job-14"));
  EXPECT_THAT(actions_.Foot(), HasSubstr("release job-14 (later) of ana: it starts when"));
  Press('y', JobRow("job-14"));
  EXPECT_THAT(caller_.asked, ElementsAre(WatchRequest{What::kHold, "job-13"},
                                         WatchRequest{What::kRelease, "job-14"}));
}

TEST_F(WatchActionsTest, ARunningJobIsNotHeld) {
  Press('h', JobRow("job-12"));
  EXPECT_THAT(actions_.Foot(), HasSubstr("only a job that waits can be held"));
  EXPECT_FALSE(actions_.IsAsking());
}

TEST_F(WatchActionsTest, ANodeDrainsAndReturns) {
  Press('D', PlaceRow("n1"));
  EXPECT_EQ(actions_.Foot(), "drain n1: nothing new starts there, 1 job runs on to its end? y/n");
  Press('y', PlaceRow("n1"));
  Answer(std::string("n1: 2 GPUs, n1/0 DRAINING"));
  data_.cluster.mutable_nodes(0)->set_draining(true);
  Press('D', PlaceRow("n1"));
  EXPECT_THAT(actions_.Foot(), HasSubstr("return n1 to service"));
  Press('y', PlaceRow("n1"));
  EXPECT_THAT(caller_.asked,
              ElementsAre(WatchRequest{What::kDrain, "n1"}, WatchRequest{What::kOnline, "n1"}));
}

TEST_F(WatchActionsTest, RowsWithoutOneJobSayWhatToDo) {
  WatchRow shared = PlaceRow("n1/0");
  shared.jobs = {"job-12", "job-15"};
  Press('c', shared);
  EXPECT_EQ(actions_.Foot(), "n1/0 has 2 jobs: choose one in F2");
  Press('l', PlaceRow("n1/1"));
  EXPECT_EQ(actions_.Foot(), "no job holds n1/1");
  Press('c', PlaceRow("n1"));
  EXPECT_THAT(actions_.Foot(), HasSubstr("choose one in F2"));
  Press('D', JobRow("job-12"));
  EXPECT_THAT(actions_.Foot(), HasSubstr("choose one in F4 or F1"));
  EXPECT_FALSE(actions_.OnKey('c', nullptr, &data_));
}

TEST_F(WatchActionsTest, OutputIsReadAgainWhileItsEndIsSeen) {
  Open('l', "step 1\n\x1b]0;title\n");
  WatchPane& pane = *actions_.pane();
  EXPECT_THAT(pane.Look(80, 1).lines, ElementsAre("\\x1b]0;title"));
  EXPECT_FALSE(actions_.Update(now_ns_ + 1));
  EXPECT_EQ(caller_.asked.size(), 1u);
  actions_.Update(now_ns_ + kReadAgain.ns);
  EXPECT_EQ(caller_.asked.size(), 2u);
  Answer(std::string("step 1\nstep 2"));
  EXPECT_THAT(pane.Look(80, 1).lines, ElementsAre("step 2"));
  Press(WatchScreen::kUp, JobRow("job-12"));
  EXPECT_THAT(pane.Look(80, 1).lines, ElementsAre("step 1"));
  actions_.Update(now_ns_ + 3 * kReadAgain.ns);
  EXPECT_EQ(caller_.asked.size(), 2u) << "what somebody reads does not move";
}

TEST_F(WatchActionsTest, TabTurnsToTheErrorsAndEscapeGoesBack) {
  Open('l', "out");
  Press('\t', JobRow("job-12"));
  actions_.Update(now_ns_);
  EXPECT_THAT(caller_.asked.back(), (WatchRequest{What::kReadLog, "job-12", true}));
  Answer(std::string());
  EXPECT_THAT(actions_.pane()->Look(80, 5).lines, ElementsAre("no output so far"));
  Press(kEsc, JobRow("job-12"));
  EXPECT_EQ(actions_.pane(), nullptr);
}

TEST_F(WatchActionsTest, APageThatCannotBeReadIsAnErrorAtTheFoot) {
  Press('e', JobRow("job-12"));
  EXPECT_FALSE(actions_.pane()->IsFilled());
  Answer(Fail(Conflict("job-12 is RUNNING")));
  EXPECT_EQ(actions_.pane(), nullptr);
  EXPECT_EQ(actions_.Foot(), "! job-12 is RUNNING");
  EXPECT_FALSE(actions_.TakeChange());
}

TEST_F(WatchActionsTest, AnAnswerToAPageThatWasClosedIsDropped) {
  Press('d', JobRow("job-12"));
  Press(kEsc, JobRow("job-12"));
  Press('d', PlaceRow("n1"));
  caller_.answers.push_back({caller_.asked.front(), std::string("late")});
  actions_.Update(now_ns_);
  EXPECT_FALSE(actions_.pane()->IsFilled());
  EXPECT_EQ(actions_.pane()->request().what, What::kDescribeNode);
}

TEST_F(WatchActionsTest, AJobThatWaitsLeavesTheQueue) {
  EXPECT_EQ(CancelQuestion(data_, "job-13"),
            "cancel job-13 (eval) of ana: it leaves the queue and never starts");
  v1::Job& array = data_.jobs[0];
  array.mutable_elements()->set_running(2);
  array.mutable_elements()->set_waiting(40);
  EXPECT_EQ(CancelQuestion(data_, "job-12"),
            "cancel job-12 (train) of ana: 2 running elements with 4 GPUs on 2 nodes and 40 "
            "waiting elements stop now");
}

TEST(WatchPane, LinesAreFoldedAtBlanksAndInsideLongWords) {
  EXPECT_THAT(FoldText("one two three", 8), ElementsAre("one two", "three"));
  EXPECT_THAT(FoldText("0123456789", 4), ElementsAre("0123", "4567", "89"));
  EXPECT_THAT(FoldText("", 4), ElementsAre(""));
  EXPECT_THAT(FoldText("a long line", 7, 2), ElementsAre("a long", "  line"));
  EXPECT_THAT(FoldText("0123456789", 6, 4), ElementsAre("012345", "    67", "    89"));
}

}  // namespace
}  // namespace gp
