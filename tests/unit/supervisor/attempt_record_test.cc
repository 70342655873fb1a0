#include "supervisor/records/attempt_record.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>

#include "base/bytes.h"
#include "base/rng.h"
#include "files/descriptor.h"
#include "supervisor/records/control_message.h"
#include "supervisor/records/record_fields.h"
#include "supervisor/records/sealed_record.h"
#include "tests/support/scratch.h"

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
  spec.image_directory = "/images/a";
  spec.device_directory = "/s/dev";
  spec.user_name = "a";
  spec.home = "/home/a";
  spec.host_directories = {{"/home/a", HostDirectory::Absent::kSkip},
                           {"/ckpt", HostDirectory::Absent::kMake},
                           {"/d", HostDirectory::Absent::kFail, "/data", true, true},
                           {.path = "/cache", .at = "/data/c", .is_of_agent = true}};
  spec.mount_prefixes = {"/d", "/e"};
  spec.private_network = true;
  spec.image_layers = {"/top", "/base"};
  spec.metric_limits = {{"train/loss", MetricTest::kIsNan, ""}, {"lr", MetricTest::kAbove, "0.5"}};
  spec.copies = spec.copies_checkpoints = true;
  spec.driver_lists = {"/s/driver/compute", "/s/driver/graphics"};
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
  EXPECT_EQ(read->spec.image_directory, record.spec.image_directory);
  EXPECT_EQ(read->spec.host_directories, record.spec.host_directories);
  EXPECT_EQ(read->spec.mount_prefixes, record.spec.mount_prefixes);
  EXPECT_TRUE(read->spec.private_network);
  EXPECT_EQ(read->spec.image_layers, record.spec.image_layers);
  EXPECT_EQ(read->spec.metric_limits, record.spec.metric_limits);
  EXPECT_TRUE(read->spec.copies);
  EXPECT_TRUE(read->spec.copies_checkpoints);
  EXPECT_EQ(read->spec.driver_lists, record.spec.driver_lists);
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

// As it was written before images had files of the driver.
std::string FieldsWithoutDriver() {
  ByteWriter added;
  WriteTexts(added, Sample().spec.driver_lists);
  const std::string fields = Fields();
  return fields.substr(0, fields.size() - added.bytes().size());
}

// As it was written before anything was copied.
std::string FieldsWithoutCopies() {
  ByteWriter added;
  added.U64(3);
  const std::string fields = FieldsWithoutDriver();
  return fields.substr(0, fields.size() - added.bytes().size());
}

// As it was written before jobs had rules on their metrics.
std::string FieldsWithoutMetricLimits() {
  const LaunchSpec spec = Sample().spec;
  ByteWriter added;
  added.U64(spec.metric_limits.size());
  for (const MetricLimit& limit : spec.metric_limits) {
    added.String(limit.name);
    added.U64(static_cast<uint64_t>(limit.test));
    added.String(limit.limit);
  }
  const std::string fields = FieldsWithoutCopies();
  return fields.substr(0, fields.size() - added.bytes().size());
}

// As it was written before jobs had images.
std::string FieldsWithoutImage() {
  const LaunchSpec spec = Sample().spec;
  ByteWriter added;
  added.String(spec.image_directory);
  added.String(spec.device_directory);
  added.String(spec.user_name);
  added.String(spec.home);
  added.U64(spec.host_directories.size());
  for (const HostDirectory& directory : spec.host_directories) {
    added.String(directory.path);
    added.U64(static_cast<uint64_t>(directory.absent));
    added.String(directory.at);
    added.U64((directory.read_only ? 1 : 0) | (directory.is_requested ? 2 : 0) |
              (directory.is_of_agent ? 4 : 0));
  }
  added.U64(spec.mount_prefixes.size());
  for (const std::string& prefix : spec.mount_prefixes) added.String(prefix);
  added.U64(spec.private_network ? 1 : 0);
  WriteTexts(added, spec.image_layers);
  const std::string fields = FieldsWithoutMetricLimits();
  return fields.substr(0, fields.size() - added.bytes().size());
}

// As it was written before jobs had processes of their own.
std::string FieldsWithoutProcesses() {
  ByteWriter added;
  added.U64(Sample().spec.private_processes ? 1 : 0);
  const std::string fields = FieldsWithoutImage();
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
  const auto without_driver = DecodeLaunch(Seal(kSealed, FieldsWithoutDriver()));
  ASSERT_TRUE(without_driver.has_value());
  EXPECT_TRUE(without_driver->spec.copies);
  EXPECT_TRUE(without_driver->spec.driver_lists.empty());
  const auto without_copies = DecodeLaunch(Seal(kSealed, FieldsWithoutCopies()));
  ASSERT_TRUE(without_copies.has_value());
  EXPECT_EQ(without_copies->spec.metric_limits, Sample().spec.metric_limits);
  EXPECT_FALSE(without_copies->spec.copies || without_copies->spec.copies_checkpoints);
  const auto without_limits = DecodeLaunch(Seal(kSealed, FieldsWithoutMetricLimits()));
  ASSERT_TRUE(without_limits.has_value());
  EXPECT_EQ(without_limits->spec.image_layers, Sample().spec.image_layers);
  EXPECT_TRUE(without_limits->spec.metric_limits.empty());
  const auto without_image = DecodeLaunch(Seal(kSealed, FieldsWithoutImage()));
  ASSERT_TRUE(without_image.has_value());
  EXPECT_EQ(without_image->spec.image_directory, "");
  EXPECT_EQ(without_image->spec.device_directory, "/dev");
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

TEST(LaunchRecordTest, SecretsNeverReachTheDisk) {
  LaunchRecord record = Sample();
  record.spec.secrets = {"TOKEN=do-not-write-this"};
  const std::string bytes = EncodeLaunch(record);
  EXPECT_EQ(bytes.find("do-not-write-this"), std::string::npos);
  EXPECT_EQ(bytes, EncodeLaunch(Sample()));
}

TEST(LaunchRecordTest, EveryCutInsideAFieldOfAnUncheckedRecordIsNoticed) {
  // Records of the first version have no checksum, so only the fields themselves show the cut.
  // Cuts between the fields that came later are older records, and those are valid.
  ByteWriter plain;
  plain.U64(kPlain);
  const std::string fields = FirstFields();
  for (size_t size = 0; size < fields.size(); ++size) {
    EXPECT_FALSE(DecodeLaunch(plain.bytes() + fields.substr(0, size)).has_value()) << size;
  }
}

TEST(LaunchRecordTest, AStatusIsNoLaunchRecordAndTheOtherWayRound) {
  EXPECT_FALSE(DecodeLaunch(EncodeStatus({})).has_value());
  EXPECT_FALSE(DecodeStatus(EncodeLaunch({})).has_value());
  EXPECT_EQ(DecodeLaunch("").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(DecodeStatus("").error().code, ErrorCode::kInvalidArgument);
}

TEST(LaunchRecordTest, ASetOfMoreCpusThanAnyHostHasIsRefused) {
  LaunchRecord record;
  record.spec.cpus.Add(CpuSet::kMax - 1);
  const auto read = DecodeLaunch(EncodeLaunch(record));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->spec.cpus, record.spec.cpus);
  const std::string fields(*Unseal(EncodeLaunch({}), kSealed, kPlain, ""));
  // No devices, then the two empty sets, then the limits.
  ByteWriter none, limits;
  for (int i = 0; i < 3; ++i) none.U64(0);
  for (int i = 0; i < 3; ++i) limits.I64(0);
  const size_t at = fields.find(none.bytes() + limits.bytes() + "\x01");
  ASSERT_NE(at, std::string::npos);
  ByteWriter one_more;
  one_more.U64(0);
  one_more.U64(CpuSet::kMax / 64 + 1);
  for (int i = 0; i <= CpuSet::kMax / 64; ++i) one_more.U64(1);
  const std::string large = fields.substr(0, at) + one_more.bytes() + fields.substr(at + 2);
  EXPECT_FALSE(DecodeLaunch(Seal(kSealed, large)).has_value());
}

TEST(LaunchRecordTest, AListThatSaysItIsLongerThanTheRecordIsRefused) {
  ByteWriter fields;
  fields.String("key");
  fields.U64(UINT64_MAX);  // arguments
  EXPECT_FALSE(DecodeLaunch(Seal(kSealed, fields.bytes())).has_value());
  ByteWriter groups;
  groups.String("key");
  WriteTexts(groups, {"program"});
  WriteTexts(groups, {});
  groups.String("/");
  groups.U64(0);
  groups.U64(0);
  groups.U64(uint64_t{1} << 40);
  EXPECT_FALSE(DecodeLaunch(Seal(kSealed, groups.bytes())).has_value());
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

TEST(StatusRecordTest, EveryPhaseAndCauseIsReadAndNoneBeyond) {
  for (int cause = 0; cause <= static_cast<int>(EndCause::kPlatformFault) + 1; ++cause) {
    for (int phase = 0; phase <= static_cast<int>(AttemptPhase::kExited) + 1; ++phase) {
      AttemptStatus status;
      status.phase = static_cast<AttemptPhase>(phase);
      status.cause = static_cast<EndCause>(cause);
      const auto read = DecodeStatus(EncodeStatus(status));
      const bool is_known =
          status.phase <= AttemptPhase::kExited && status.cause <= EndCause::kPlatformFault;
      ASSERT_EQ(read.has_value(), is_known) << phase << " " << cause;
      if (!is_known) continue;
      EXPECT_EQ(read->phase, status.phase);
      EXPECT_EQ(read->cause, status.cause);
    }
  }
}

TEST(StatusRecordTest, TheLargestNumbersSurvive) {
  AttemptStatus status;
  status.pid = INT32_MAX;
  status.exit_code = -1;
  status.signal = 64;
  status.started_at.ns = INT64_MIN;
  status.ended_at.ns = INT64_MAX;
  status.started_boot_ns = INT64_MAX;
  status.ended_boot_ns = INT64_MIN;
  status.message = std::string("a\0b\n\xff", 5);
  const auto read = DecodeStatus(EncodeStatus(status));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->pid, status.pid);
  EXPECT_EQ(read->exit_code, status.exit_code);
  EXPECT_EQ(read->signal, status.signal);
  EXPECT_EQ(read->started_at, status.started_at);
  EXPECT_EQ(read->ended_at, status.ended_at);
  EXPECT_EQ(read->started_boot_ns, status.started_boot_ns);
  EXPECT_EQ(read->ended_boot_ns, status.ended_boot_ns);
  EXPECT_EQ(read->message, status.message);
}

TEST(StatusRecordTest, OlderRecordsLackProgressScoresAndBootTimes) {
  constexpr uint64_t kMagic = 0x7374617475730002;
  AttemptStatus status;
  status.key = "k";
  status.exit_code = 3;
  status.message = "why";
  status.progress.step = 12;
  status.progress.checkpoints = {{.number = 1, .path = "/c", .is_scored = true, .score = -7}};
  status.started_boot_ns = 11;
  status.ended_boot_ns = 12;
  status.progress.metric_limit = 3;
  status.progress.metric_value = "loss is nan";
  const std::string fields(*Unseal(EncodeStatus(status), kMagic, 0, ""));
  EXPECT_EQ(DecodeStatus(Seal(kMagic, fields))->progress.metric_value, "loss is nan");
  // The limit and the length of its value take one byte each.
  const size_t of_metric = 2 + status.progress.metric_value.size();
  const auto cut = [&](size_t bytes) {
    return DecodeStatus(Seal(kMagic, fields.substr(0, fields.size() - of_metric - bytes)));
  };
  EXPECT_EQ(cut(0)->ended_boot_ns, 12);
  EXPECT_EQ(cut(0)->progress.metric_limit, 0);
  // The two boot times take one byte each; a score two.
  EXPECT_EQ(cut(1)->started_boot_ns, 11);
  EXPECT_EQ(cut(1)->ended_boot_ns, 0);
  EXPECT_EQ(cut(2)->started_boot_ns, 0);
  EXPECT_EQ(cut(2)->progress.checkpoints[0].score, -7);
  EXPECT_FALSE(cut(3).has_value()) << "in the middle of a score";
  EXPECT_EQ(cut(4)->progress.step, 12);
  EXPECT_FALSE(cut(4)->progress.checkpoints[0].is_scored);
  EXPECT_EQ(cut(4)->exit_code, 3);
}

TEST(StatusRecordTest, EveryCutIsNoticed) {
  AttemptStatus status;
  status.key = "k";
  status.message = "why";
  const std::string bytes = EncodeStatus(status);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeStatus(std::string_view(bytes).substr(0, size)).has_value()) << size;
  }
}

class ReadFileAtTest : public ::testing::Test {
 protected:
  const Scratch scratch_;
  const Descriptor directory_{open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(ReadFileAtTest, ReadsAllBytes) {
  const std::string bytes = std::string("a\0b", 3) + std::string(100'000, 'x');
  scratch_.Write("launch", bytes);
  scratch_.Write("empty", "");
  EXPECT_EQ(*ReadFileAt(directory_.get(), "launch"), bytes);
  EXPECT_EQ(*ReadFileAt(directory_.get(), "empty"), "");
}

TEST_F(ReadFileAtTest, SaysWhichFileIsNotThere) {
  const auto read = ReadFileAt(directory_.get(), "launch");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error(), Internal("cannot open launch: No such file or directory"));
}

TEST_F(ReadFileAtTest, FollowsNoLink) {
  scratch_.Write("secret", "secret");
  std::filesystem::create_symlink(scratch_.In("secret"), scratch_.In("launch"));
  EXPECT_FALSE(ReadFileAt(directory_.get(), "launch").has_value());
}

TEST_F(ReadFileAtTest, ADirectoryIsNoFile) {
  std::filesystem::create_directory(scratch_.In("launch"));
  EXPECT_EQ(ReadFileAt(directory_.get(), "launch").error().message,
            "cannot read launch: Is a directory");
}

TEST_F(ReadFileAtTest, HasALimitOf16MiB) {
  scratch_.Write("launch", "");
  ASSERT_EQ(truncate(scratch_.In("launch").c_str(), 16 << 20), 0);
  EXPECT_EQ(ReadFileAt(directory_.get(), "launch")->size(), size_t{16} << 20);
  ASSERT_EQ(truncate(scratch_.In("launch").c_str(), (16 << 20) + 1), 0);
  EXPECT_EQ(ReadFileAt(directory_.get(), "launch").error().message,
            "launch is larger than any such file");
}

}  // namespace
}  // namespace gp
