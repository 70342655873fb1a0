#include "supervisor/records/control_message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/rng.h"
#include "supervisor/records/attempt_record.h"

namespace gp {
namespace {

template <typename Kind>
Kind ReadBack(const Kind& message) {
  const auto read = DecodeMessage(EncodeMessage(message));
  EXPECT_TRUE(read.has_value());
  if (!read.has_value() || !std::holds_alternative<Kind>(*read)) {
    ADD_FAILURE() << "it came back as another kind";
    return {};
  }
  return std::get<Kind>(*read);
}

ExecRequest SampleExec() {
  ExecRequest request;
  request.id = UINT64_MAX;
  request.spec.argv = {"sh", "", "-c"};
  request.spec.environment = {"A=1", "B="};
  request.spec.pty = true;
  request.spec.rows = 40;
  request.spec.columns = 132;
  request.spec.as_main = true;
  return request;
}

std::vector<ControlMessage> EachKind() {
  AttemptStatus status;
  status.key = "j1";
  status.message = "why";
  return {RenewRequest{1'000'000'007},
          StopRequest{Duration::Seconds(30)},
          SampleExec(),
          ExecAnswer{.id = 7, .error = "no such program", .pty = true},
          StatusReport{status},
          DiscardRequest{"/ckpt", {"/ckpt/1", "/ckpt/2"}}};
}

TEST(ControlMessage, EveryFieldOfARequestComesBack) {
  EXPECT_EQ(ReadBack(RenewRequest{INT64_MAX}).lease_deadline_boot_ns, INT64_MAX);
  EXPECT_EQ(ReadBack(StopRequest{Duration{-1}}).grace, Duration{-1});
  const ExecRequest exec = ReadBack(SampleExec());
  EXPECT_EQ(exec.id, UINT64_MAX);
  EXPECT_EQ(exec.spec.argv, SampleExec().spec.argv);
  EXPECT_EQ(exec.spec.environment, SampleExec().spec.environment);
  EXPECT_TRUE(exec.spec.pty);
  EXPECT_EQ(exec.spec.rows, 40);
  EXPECT_EQ(exec.spec.columns, 132);
  EXPECT_TRUE(exec.spec.as_main);
  const DiscardRequest discard = ReadBack(DiscardRequest{"/ckpt", {"/ckpt/1", ""}});
  EXPECT_EQ(discard.directory, "/ckpt");
  EXPECT_EQ(discard.paths, (std::vector<std::string>{"/ckpt/1", ""}));
}

TEST(ControlMessage, FlagsOfAnExecAreNotMixedUp) {
  for (int flags = 0; flags < 4; ++flags) {
    ExecRequest request;
    request.spec.pty = (flags & 1) != 0;
    request.spec.as_main = (flags & 2) != 0;
    const ExecRequest read = ReadBack(request);
    EXPECT_EQ(read.spec.pty, request.spec.pty);
    EXPECT_EQ(read.spec.as_main, request.spec.as_main);
  }
}

TEST(ControlMessage, EveryFieldOfAnAnswerComesBack) {
  const ExecAnswer answer = ReadBack(ExecAnswer{.id = 4, .error = "why not", .pty = true});
  EXPECT_EQ(answer.id, 4u);
  EXPECT_EQ(answer.error, "why not");
  EXPECT_TRUE(answer.pty);
  AttemptStatus status;
  status.key = "j1";
  status.cause = EndCause::kOutOfMemory;
  status.progress.refused = "no";
  const StatusReport report = ReadBack(StatusReport{status});
  EXPECT_EQ(EncodeStatus(report.status), EncodeStatus(status));
}

TEST(ControlMessage, EveryCutIsNoticed) {
  for (const ControlMessage& message : EachKind()) {
    const std::string bytes = EncodeMessage(message);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(DecodeMessage(std::string_view(bytes).substr(0, size)).has_value())
          << message.index() << " cut at " << size;
    }
  }
}

TEST(ControlMessage, FieldsOfANewerPeerAreIgnored) {
  for (const ControlMessage& message : EachKind()) {
    const auto read = DecodeMessage(EncodeMessage(message) + "more");
    ASSERT_TRUE(read.has_value()) << message.index();
    EXPECT_EQ(read->index(), message.index());
  }
}

TEST(ControlMessage, AKindOfANewerPeerIsAnError) {
  for (const uint64_t kind : {uint64_t{0}, uint64_t{7}, UINT64_MAX}) {
    ByteWriter writer;
    writer.U64(kind);
    EXPECT_EQ(DecodeMessage(writer.bytes()).error().message, "unknown control message") << kind;
  }
}

TEST(ControlMessage, AStatusThatIsDamagedIsAnErrorOfTheMessage) {
  std::string bytes = EncodeMessage(StatusReport{});
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_FALSE(DecodeMessage(bytes).has_value());
}

TEST(ControlMessage, NoDamageMakesAListLargerThanTheMessage) {
  Rng rng(11);
  for (const ControlMessage& message : EachKind()) {
    const std::string bytes = EncodeMessage(message);
    for (int i = 0; i < 3'000; ++i) {
      std::string damaged = bytes;
      damaged[rng.Below(damaged.size())] = static_cast<char>(rng.Next());
      const auto read = DecodeMessage(damaged);
      if (!read.has_value()) continue;
      if (const auto* exec = std::get_if<ExecRequest>(&*read)) {
        EXPECT_LE(exec->spec.argv.size() + exec->spec.environment.size(), bytes.size());
      }
    }
  }
}

class MessageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends_), 0);
  }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  int ends_[2];
};

TEST_F(MessageTest, CarriesDescriptors) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const ExecAnswer answer = {.id = 4, .error = "", .pty = true};
  EXPECT_EQ(SendMessage(ends_[0], answer, {pipe_ends[0], pipe_ends[1]}), SendOutcome::kSent);
  ReceivedMessage received;
  ASSERT_EQ(ReceiveMessage(ends_[1], received), ReceiveOutcome::kMessage);
  EXPECT_EQ(std::get<ExecAnswer>(received.message).id, 4u);
  ASSERT_EQ(received.descriptors.size(), 2u);
  EXPECT_NE(fcntl(received.descriptors[0].get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(ReceiveMessage(ends_[1], received), ReceiveOutcome::kNothing);
}

TEST_F(MessageTest, SkipsWhatItDoesNotKnowAndSeesTheEnd) {
  ASSERT_EQ(send(ends_[0], "\x63zzz", 4, 0), 4);
  SendMessage(ends_[0], RenewRequest{.lease_deadline_boot_ns = -5});
  ReceivedMessage received;
  ASSERT_EQ(ReceiveMessage(ends_[1], received), ReceiveOutcome::kMessage);
  EXPECT_EQ(std::get<RenewRequest>(received.message).lease_deadline_boot_ns, -5);
  shutdown(ends_[0], SHUT_RDWR);
  EXPECT_EQ(ReceiveMessage(ends_[1], received), ReceiveOutcome::kClosed);
  EXPECT_EQ(SendMessage(ends_[1], StopRequest{}), SendOutcome::kClosed);
}

TEST_F(MessageTest, NeverBlocksOnAReaderWhoSleeps) {
  SendOutcome outcome = SendOutcome::kSent;
  for (int i = 0; i < 100'000 && outcome == SendOutcome::kSent; ++i) {
    outcome = SendMessage(ends_[0], StopRequest{});
  }
  EXPECT_EQ(outcome, SendOutcome::kFull);
}

TEST_F(MessageTest, AMessageWithoutDescriptorsDropsThoseOfTheOneBefore) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  SendMessage(ends_[0], ExecAnswer{.id = 1}, {pipe_ends[0]});
  SendMessage(ends_[0], ExecAnswer{.id = 2, .error = "no"});
  ReceivedMessage received;
  ASSERT_EQ(ReceiveMessage(ends_[1], received), ReceiveOutcome::kMessage);
  EXPECT_EQ(received.descriptors.size(), 1u);
  ASSERT_EQ(ReceiveMessage(ends_[1], received), ReceiveOutcome::kMessage);
  EXPECT_EQ(std::get<ExecAnswer>(received.message).id, 2u);
  EXPECT_TRUE(received.descriptors.empty());
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST_F(MessageTest, MessagesArriveInTheirOrder) {
  for (const ControlMessage& message : EachKind())
    ASSERT_EQ(SendMessage(ends_[0], message), SendOutcome::kSent);
  for (const ControlMessage& message : EachKind()) {
    ReceivedMessage received;
    ASSERT_EQ(ReceiveMessage(ends_[1], received), ReceiveOutcome::kMessage);
    EXPECT_EQ(EncodeMessage(received.message), EncodeMessage(message));
  }
}

}  // namespace
}  // namespace gp
