#include "adapters/outbound/grpc/running_exec.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/wait_until.h"

namespace gp {
namespace {

using Left = RunningExec::Left;
using std::chrono::milliseconds;

// A connection of a user, played by the test.
class PlayedPeer : public ExecPeer {
 public:
  bool Read(v1::ExecInput* message) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_over_ || !input_.empty(); });
    if (input_.empty()) return false;
    *message = std::move(input_.front());
    input_.pop_front();
    return true;
  }
  bool Write(const v1::ExecOutput& message) override {
    std::unique_lock lock(mutex_);
    is_hanging_ = hangs_;
    changed_.wait(lock, [&] { return !hangs_; });
    if (is_over_) return false;
    output_.push_back(message);
    return true;
  }
  void End() override { Break(); }
  void Break() override {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

  // Writes do not return, also when the connection is broken off: nobody reads its other end.
  void Hang(bool hangs) {
    const std::lock_guard lock(mutex_);
    hangs_ = hangs;
    changed_.notify_all();
  }

  bool AwaitHanging() {
    return WaitUntil([&] {
      const std::lock_guard lock(mutex_);
      return is_hanging_;
    });
  }

  void Say(const v1::ExecInput& message) {
    const std::lock_guard lock(mutex_);
    input_.push_back(message);
    changed_.notify_all();
  }
  void Type(const std::string& bytes, uint64_t number) {
    v1::ExecInput message;
    message.set_data(bytes);
    message.set_number(number);
    Say(message);
  }
  void Acknowledge(uint64_t received) {
    v1::ExecInput message;
    message.set_received(received);
    Say(message);
  }
  std::vector<v1::ExecOutput> output() {
    const std::lock_guard lock(mutex_);
    return output_;
  }
  std::string text() {
    std::string text;
    for (const v1::ExecOutput& one : output()) text += one.output();
    return text;
  }
  uint64_t taken() {
    uint64_t taken = 0;
    for (const v1::ExecOutput& one : output())
      if (one.what_case() == v1::ExecOutput::kTaken) taken = one.taken();
    return taken;
  }
  uint64_t received() {
    uint64_t received = 0;
    for (const v1::ExecOutput& one : output()) received = std::max(received, one.number());
    return received;
  }
  bool Await(const std::string& text_so_far) {
    return WaitUntil([&] { return text() == text_so_far; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<v1::ExecInput> input_;
  std::vector<v1::ExecOutput> output_;
  bool is_over_ = false;
  bool hangs_ = false;
  bool is_hanging_ = false;
};

// The test is the process: it has the other ends of the pipes.
class RunningExecTest : public testing::Test {
 protected:
  void Open(bool is_attachable = true) {
    exec_ = std::make_unique<RunningExec>(LeaseId{1}, is_attachable);
    ExecStreams streams;
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    input_.Reset(ends[0]);
    streams.input = ends[1];
    for (auto [mine, theirs] : {std::pair{&output_, &streams.output},
                                {&errors_, &streams.errors},
                                {&exit_status_, &streams.exit_status}}) {
      EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
      *theirs = ends[0];
      mine->Reset(ends[1]);
    }
    EXPECT_TRUE(exec_->Start([&] { return streams; }, false));
  }
  std::future<RunningExec::Parting> Serve(PlayedPeer& peer, uint64_t received = 0) {
    return std::async(std::launch::async, [this, &peer, received] {
      return exec_->Serve(peer, ExecUser{.received = received});
    });
  }
  void Print(const std::string& text) const {
    EXPECT_EQ(write(output_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string ReadInput(size_t bytes) const {
    std::string text(bytes, ' ');
    text.resize(static_cast<size_t>(std::max<ssize_t>(0, read(input_.get(), text.data(), bytes))));
    return text;
  }
  void Exit(int32_t code) {
    output_.Reset();
    errors_.Reset();
    EXPECT_EQ(write(exit_status_.get(), &code, sizeof code), static_cast<ssize_t>(sizeof code));
    exit_status_.Reset();
  }

  std::unique_ptr<RunningExec> exec_;
  Descriptor input_, output_, errors_, exit_status_;
};

TEST_F(RunningExecTest, WithoutASessionALostConnectionHangsUp) {
  Open(false);
  PlayedPeer peer;
  auto parting = Serve(peer);
  Print("hello");
  EXPECT_TRUE(peer.Await("hello"));
  EXPECT_EQ(peer.output().front().number(), 0u);
  peer.Break();
  EXPECT_EQ(parting.get().left, Left::kHungUp);
}

TEST_F(RunningExecTest, TheExitCodeIsTheLastMessageAndIsAcknowledged) {
  Open();
  PlayedPeer peer;
  auto parting = Serve(peer);
  Print("hello");
  EXPECT_TRUE(peer.Await("hello"));
  Exit(7);
  EXPECT_TRUE(WaitUntil([&] { return peer.output().size() == 3; }));
  EXPECT_EQ(peer.output()[0].what_case(), v1::ExecOutput::kTaken);
  EXPECT_EQ(peer.output()[2].exit_code(), 7);
  EXPECT_EQ(peer.output()[2].number(), 2u);
  EXPECT_EQ(parting.wait_for(milliseconds(50)), std::future_status::timeout);
  peer.Acknowledge(2);
  EXPECT_EQ(parting.get().left, Left::kOver);
}

TEST_F(RunningExecTest, ALostConnectionLosesAndDoublesNoOutput) {
  Open();
  PlayedPeer first;
  auto parting = Serve(first);
  Print("one ");
  EXPECT_TRUE(first.Await("one "));
  Print("two ");
  EXPECT_TRUE(first.Await("one two "));
  first.Break();
  EXPECT_EQ(parting.get().left, Left::kLost);
  Print("three ");
  PlayedPeer second;
  parting = Serve(second, 1);  // the first message has arrived
  EXPECT_TRUE(second.Await("two three "));
  EXPECT_EQ(second.output()[1].number(), 2u);
  EXPECT_EQ(second.output()[2].number(), 3u);
  second.Break();
  parting.get();
}

TEST_F(RunningExecTest, InputThatComesAgainIsNotPassedOnTwice) {
  Open();
  PlayedPeer first;
  auto parting = Serve(first);
  first.Type("a", 1);
  first.Type("b", 2);
  EXPECT_TRUE(WaitUntil([&] { return first.taken() == 2; }));
  first.Break();
  parting.get();
  PlayedPeer second;
  parting = Serve(second);
  EXPECT_TRUE(WaitUntil([&] { return second.taken() == 2; }));
  second.Type("b", 2);
  second.Type("c", 3);
  EXPECT_TRUE(WaitUntil([&] { return second.taken() == 3; }));
  EXPECT_EQ(ReadInput(8), "abc");
  second.Break();
  parting.get();
}

TEST_F(RunningExecTest, TheEndOfTheInputClosesIt) {
  Open();
  PlayedPeer peer;
  auto parting = Serve(peer);
  peer.Type("a", 1);
  v1::ExecInput end;
  end.set_end_of_input(true);
  end.set_number(2);
  peer.Say(end);
  EXPECT_TRUE(WaitUntil([&] { return peer.taken() == 2; }));
  EXPECT_EQ(ReadInput(8), "a");
  EXPECT_EQ(ReadInput(8), "");
  peer.Break();
  parting.get();
}

// The process reads nothing, and its pipe is full: half of a message has been passed on.
TEST_F(RunningExecTest, HalfAMessageIsCompletedForTheNextUser) {
  Open();
  const std::string large(200'000, 'x');
  PlayedPeer first;
  auto parting = Serve(first);
  first.Type(large, 1);
  EXPECT_TRUE(WaitUntil([&] {
    pollfd ready{input_.get(), POLLIN, 0};
    return poll(&ready, 1, 0) == 1;
  }));
  PlayedPeer second;
  auto next = Serve(second);  // the first one is broken off
  EXPECT_EQ(parting.get().left, Left::kLost);
  second.Type(large, 1);
  second.Type("y", 2);
  std::string seen;
  while (!seen.ends_with('y')) seen += ReadInput(65'536);
  EXPECT_EQ(seen, large + "y");
  EXPECT_TRUE(WaitUntil([&] { return second.taken() == 2; }));
  second.Break();
  next.get();
}

TEST_F(RunningExecTest, OutputThatNobodyAcknowledgesMakesTheProcessWait) {
  Open();
  PlayedPeer peer;
  auto parting = Serve(peer);
  const std::string block(32'768, 'z');
  std::thread process([&] {
    for (int i = 0; i < 64; ++i) Print(block);
  });
  EXPECT_TRUE(WaitUntil([&] { return peer.text().size() >= 256u << 10; }));
  usleep(50'000);
  EXPECT_LT(peer.text().size(), 512u << 10) << "of two MiB";
  EXPECT_TRUE(WaitUntil([&] {
    peer.Acknowledge(peer.received());
    return peer.text().size() == 64 * block.size();
  }));
  process.join();
  peer.Break();
  parting.get();
}

TEST_F(RunningExecTest, AConnectionThatHangsDoesNotHoldUpTheNextOne) {
  Open();
  PlayedPeer first;
  auto parting = Serve(first);
  Print("one ");
  EXPECT_TRUE(first.Await("one "));
  first.Hang(true);
  Print("two ");
  EXPECT_TRUE(first.AwaitHanging());
  PlayedPeer second;
  auto next = Serve(second, 1);
  EXPECT_TRUE(second.Await("two "));
  Print("three ");
  EXPECT_TRUE(second.Await("two three "));
  exec_->Close();
  EXPECT_EQ(ReadInput(1), "") << "its pipe is closed";
  first.Hang(false);
  EXPECT_EQ(parting.get().left, Left::kHungUp);
  EXPECT_EQ(first.text(), "one ");
  second.Break();
  EXPECT_EQ(next.get().left, Left::kHungUp);
}

// A filter that prints much more than it has read, and reads no more before that is received.
TEST_F(RunningExecTest, AcknowledgementsAreHeardBehindInputThatNobodyReads) {
  Open();
  PlayedPeer peer;
  auto parting = Serve(peer);
  const std::string block(32'768, 'z');
  for (uint64_t number = 1; number <= 4; ++number) peer.Type(block, number);
  std::thread process([&] {
    for (int i = 0; i < 64; ++i) Print(block);
    EXPECT_EQ(ReadInput(1), "z");
  });
  EXPECT_TRUE(WaitUntil([&] {
    peer.Acknowledge(peer.received());
    return peer.text().size() == 64 * block.size();
  }));
  process.join();
  v1::ExecInput leave;
  leave.set_hang_up(true);
  peer.Say(leave);
  EXPECT_EQ(parting.get().left, Left::kHungUp);
}

TEST_F(RunningExecTest, NobodyWhoComesBackInTimeClosesTheProcess) {
  Open();
  PlayedPeer first;
  auto parting = Serve(first);
  first.Break();
  EXPECT_TRUE(exec_->CloseUnlessUserAfter(parting.get().user, milliseconds(10)));
  EXPECT_EQ(ReadInput(1), "") << "its pipe is closed";
  PlayedPeer late;
  EXPECT_EQ(Serve(late).get().left, Left::kHungUp);
}

TEST_F(RunningExecTest, WhoHangsUpDoesNotComeBack) {
  Open();
  PlayedPeer peer;
  auto parting = Serve(peer);
  v1::ExecInput leave;
  leave.set_hang_up(true);
  peer.Say(leave);
  EXPECT_EQ(parting.get().left, Left::kHungUp);
}

TEST_F(RunningExecTest, TheExitCodeWaitsForTheNextUser) {
  Open();
  PlayedPeer first;
  auto parting = Serve(first);
  first.Break();
  const auto [left, user] = parting.get();
  EXPECT_EQ(left, Left::kLost);
  Print("last words");
  Exit(9);
  PlayedPeer second;
  parting = Serve(second);
  EXPECT_FALSE(exec_->CloseUnlessUserAfter(user, std::chrono::seconds(60)));
  EXPECT_TRUE(WaitUntil([&] { return second.output().size() == 3; }));
  EXPECT_EQ(second.text(), "last words");
  EXPECT_EQ(second.output().back().exit_code(), 9);
  second.Acknowledge(2);
  EXPECT_EQ(parting.get().left, Left::kOver);
}

TEST(ExecSessionsTest, ASessionIsFoundByItsNameAndItsJobAlone) {
  ExecSessions sessions;
  const std::string name(32, 'a');
  EXPECT_EQ(sessions.Find(name, LeaseId{1}, true).error().code, ErrorCode::kNotFound);
  const auto exec = *sessions.Find(name, LeaseId{1}, false);
  EXPECT_EQ(*sessions.Find(name, LeaseId{1}, true), exec);
  EXPECT_EQ(sessions.Find(name, LeaseId{2}, false).error().code, ErrorCode::kConflict);
  for (const char* wrong : {"", "a", "../../../../../../../../../../etc"})
    EXPECT_EQ(sessions.Find(wrong, LeaseId{1}, false).error().code, ErrorCode::kInvalidArgument);
  sessions.Forget(name, exec);
  EXPECT_EQ(sessions.Find(name, LeaseId{1}, true).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gp
