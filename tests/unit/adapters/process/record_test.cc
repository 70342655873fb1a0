// Records and messages: what is written is read, and damage is reported.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/rng.h"
#include "supervisor/attempt_record.h"
#include "supervisor/control_message.h"
#include "supervisor/record_fields.h"
#include "supervisor/sealed_record.h"

namespace gp {
namespace {

LaunchRecord Sample() {
  LaunchRecord record;
  LaunchSpec& spec = record.spec;
  spec.key = "j1-0-1";
  spec.argv = {"python", "train.py", ""};
  spec.environment = {"A=1", "B="};
  spec.working_directory = "/home/a";
  spec.uid = 4294967294u;
  spec.gid = 7;
  spec.groups = {7, 44, 4000000000u};
  spec.interactive = true;
  spec.entry_time_limit = Duration::Seconds(7);
  spec.devices = {{195, 0}, {511, 1}};
  spec.cpus.AddRange(2, 70);
  spec.memory_nodes.Add(1);
  spec.memory_bytes_max = 1LL << 40;
  spec.processes_max = 9;
  spec.shm_bytes = 5;
  spec.private_tmp = false;
  spec.private_processes = false;
  spec.log_directory = "/l";
  spec.log_name = "0";
  spec.log_bytes_max = 8;
  spec.grace = Duration::Seconds(3);
  spec.stop_on_lease_loss = true;
  spec.lease_deadline_boot_ns = 123456789;
  spec.prolog = "/p";
  spec.epilog = "/e";
  spec.hook_time_limit = Duration::Seconds(2);
  spec.report_pipe = "/r";
  spec.hang_after = Duration::Seconds(60);
  spec.checkpoint_signal = 10;
  spec.checkpoint_interval = Duration::Seconds(900);
  spec.log_patterns = {"a", "b"};
  spec.parts = {
      {.gpu = 3, .minor = 7, .uuid = "GPU-7", .memory_mib = 2'000, .percent = 30, .mps = true}};
  spec.mig = {.gpu = 1, .profile = 9, .start = 4, .slices = 4, .instance = 2};
  record.cgroups = {.unified = "/u", .joined = {"/a", "/b"}, .freezer = "/b", .oom_events = "/o"};
  return record;
}

TEST(LaunchRecordTest, RoundTrip) {
  const LaunchRecord record = Sample();
  const auto read = DecodeLaunch(EncodeLaunch(record));
  ASSERT_TRUE(read.has_value());
  // Encoding covers every field, so equal bytes mean equal records.
  EXPECT_EQ(EncodeLaunch(*read), EncodeLaunch(record));
  EXPECT_EQ(read->spec.argv, record.spec.argv);
  EXPECT_EQ(read->spec.groups, record.spec.groups);
  EXPECT_EQ(read->spec.cpus, record.spec.cpus);
  EXPECT_EQ(read->spec.hook_time_limit, record.spec.hook_time_limit);
  EXPECT_EQ(read->spec.parts, record.spec.parts);
  EXPECT_EQ(read->spec.mig, record.spec.mig);
  EXPECT_EQ(read->cgroups, record.cgroups);
}

constexpr uint64_t kSealed = 0x6c61756e63680002;
constexpr uint64_t kPlain = 0x6c61756e63680001;

std::string Fields() { return std::string(*Unseal(EncodeLaunch(Sample()), kSealed, kPlain, "")); }

void WritePart(ByteWriter& added, const GpuPart& part) {
  for (const int64_t number : {int64_t{part.gpu}, int64_t{part.minor}}) added.I64(number);
  added.String(part.uuid);
  for (const int64_t number : {part.memory_mib, int64_t{part.percent}}) added.I64(number);
  added.U64(part.mps ? 1 : 0);
}

// As it was written before jobs had processes of their own.
std::string FieldsWithoutProcesses() {
  ByteWriter added;
  added.U64(Sample().spec.private_processes ? 1 : 0);
  const std::string fields = Fields();
  return fields.substr(0, fields.size() - added.bytes().size());
}

// As it was written before jobs had MIG instances.
std::string FieldsWithoutMig() {
  const MigPart mig = Sample().spec.mig;
  ByteWriter added;
  for (const int value : {mig.gpu, mig.profile, mig.start, mig.slices, mig.instance})
    added.I64(value);
  const std::string fields = FieldsWithoutProcesses();
  return fields.substr(0, fields.size() - added.bytes().size());
}

// As it was written before attempts shared GPUs.
std::string FieldsWithoutParts() {
  const LaunchSpec spec = Sample().spec;
  ByteWriter added;
  added.U64(spec.parts.size());
  for (const GpuPart& part : spec.parts) WritePart(added, part);
  const std::string fields = FieldsWithoutMig();
  return fields.substr(0, fields.size() - added.bytes().size());
}

// As it was written before interactive attempts had a time limit, and jobs reported.
std::string FirstFields() {
  const LaunchSpec spec = Sample().spec;
  ByteWriter added;
  added.I64(spec.entry_time_limit.ns);
  added.String(spec.report_pipe);
  for (const int64_t number :
       {spec.hang_after.ns, int64_t{spec.checkpoint_signal}, spec.checkpoint_interval.ns})
    added.I64(number);
  WriteTexts(added, spec.log_patterns);
  const std::string fields = FieldsWithoutParts();
  return fields.substr(0, fields.size() - added.bytes().size());
}

TEST(LaunchRecordTest, EveryCutIsNoticed) {
  const std::string bytes = EncodeLaunch(Sample());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeLaunch(std::string_view(bytes).substr(0, size)).has_value()) << size;
  }
}

TEST(LaunchRecordTest, AnOlderWritersRecordIsRead) {
  ByteWriter plain;
  plain.U64(kPlain);
  for (const std::string& bytes : {Seal(kSealed, FirstFields()), plain.bytes() + FirstFields()}) {
    const auto read = DecodeLaunch(bytes);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->spec.entry_time_limit, LaunchSpec{}.entry_time_limit);
    EXPECT_EQ(read->cgroups, Sample().cgroups);
  }
  const auto without_mig = DecodeLaunch(Seal(kSealed, FieldsWithoutMig()));
  ASSERT_TRUE(without_mig.has_value());
  EXPECT_EQ(without_mig->spec.parts, Sample().spec.parts);
  EXPECT_EQ(without_mig->spec.mig, MigPart{});
  const auto later = DecodeLaunch(Seal(kSealed, FieldsWithoutParts()));
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->spec.log_patterns, Sample().spec.log_patterns);
  EXPECT_TRUE(later->spec.parts.empty());
}

TEST(LaunchRecordTest, ANewerWritersFieldsAreIgnored) {
  EXPECT_TRUE(DecodeLaunch(Seal(kSealed, Fields() + "more")).has_value());
  EXPECT_FALSE(DecodeLaunch(EncodeLaunch(Sample()) + "more").has_value());
}

TEST(LaunchRecordTest, RandomDamageNeverCrashes) {
  Rng rng(7);
  const std::string bytes = EncodeLaunch(Sample());
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = bytes;
    for (int flips = 0; flips < 3; ++flips) {
      damaged[rng.Below(damaged.size())] = static_cast<char>(rng.Next());
    }
    (void)DecodeLaunch(damaged);
    (void)DecodeStatus(damaged);
    (void)DecodeMessage(damaged);
  }
}

TEST(StatusRecordTest, RoundTripAndBounds) {
  AttemptStatus status;
  status.key = "k";
  status.phase = AttemptPhase::kExited;
  status.pid = 7;
  status.started_at.ns = 5;
  status.ended_at.ns = 6;
  status.exit_code = 3;
  status.signal = 9;
  status.cause = EndCause::kSupervisorLost;
  status.message = "why";
  status.progress.at.ns = 8;
  status.progress.step = 12;
  status.progress.steps = 100;
  status.progress.is_hung = true;
  status.progress.checkpoints = {{1, 2, "/ckpt", 3, Duration::Seconds(4), true, "", Instant{5}}};
  status.progress.refused = "no";
  const auto read = DecodeStatus(EncodeStatus(status));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(EncodeStatus(*read), EncodeStatus(status));
  EXPECT_EQ(read->progress, status.progress);
  EXPECT_EQ(read->cause, EndCause::kSupervisorLost);
  status.cause = static_cast<EndCause>(99);
  EXPECT_FALSE(DecodeStatus(EncodeStatus(status)).has_value());
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

}  // namespace
}  // namespace gp
