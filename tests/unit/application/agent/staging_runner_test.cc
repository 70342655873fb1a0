#include "application/agent/staging_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "tests/unit/application/agent/played_data.h"
#include "tests/unit/application/agent/played_runner.h"

namespace gp {
namespace {

// The store's part, played: an image is there when the test says so.
class PlayedImages : public ImageStore {
 public:
  std::optional<Result<UnpackedImage>> Prepare(const LaunchSpec& spec) override {
    const auto [asked, is_new] = prepared.try_emplace(spec.key);
    if (is_new) calls += "prepare " + spec.key + ";";
    return asked->second;
  }
  void Keep(const std::string& key, const std::vector<std::string>& layers) override {
    calls += "keep " + key + " " + layers.front() + ";";
  }
  std::string DigestOf(const std::string& key) override { return digests[key]; }
  StagingProgress ProgressOf(const std::string&) override { return progress; }
  std::vector<HeldImage> Held() override { return {}; }
  void Release(const std::string& key) override {
    prepared.erase(key);
    digests.erase(key);
    calls += "release " + key + ";";
  }
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvents() override {
    uint64_t drained = 0;
    (void)!read(event_fd_, &drained, sizeof drained);
  }

  std::string TakeCalls() { return std::exchange(calls, ""); }

  std::map<std::string, std::optional<Result<UnpackedImage>>> prepared;
  std::map<std::string, std::string> digests;  // by key
  StagingProgress progress;
  std::string calls;

 private:
  int event_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
};

constexpr char kFixed[] = "sha256:1";

class Staging : public testing::Test {
 protected:
  Staging() { Open(); }
  void Open() { runner_ = std::make_unique<StagingRunner>(images_, data_, inner_); }

  static LaunchSpec Job(const std::string& key) {
    LaunchSpec spec;
    spec.key = key;
    spec.environment = {"HOME=/home/ana", "CUDA_VISIBLE_DEVICES=GPU-7", "GP_JOB_ID=4", "A=of-job"};
    spec.working_directory = "/home/ana";
    spec.has_own_working_directory = false;
    spec.layered_image = LayeredImage{.path = "/data/img", .digest = kFixed};
    return spec;
  }
  // One whose digest the job does not have yet.
  static LaunchSpec Tagged(const std::string& key, int rank = 0) {
    LaunchSpec spec = Job(key);
    spec.layered_image = LayeredImage{.path = "/data/img", .tag = "v1", .resolves = rank == 0};
    return spec;
  }
  void Unpacked(const std::string& key, UnpackedImage image = {.layers = {"/top", "/base"}}) {
    images_.prepared[key] = std::move(image);
  }
  AttemptStatus Seen(const std::string& key) {
    for (AttemptStatus& status : runner_->Observe()) {
      if (status.key == key) return status;
    }
    ADD_FAILURE() << key << " is not known";
    return {};
  }
  bool Runs(const std::string& key) const { return inner_.attempts.contains(key); }

  PlayedRunner inner_;
  PlayedImages images_;
  PlayedData data_;
  std::unique_ptr<StagingRunner> runner_;
};

TEST_F(Staging, OthersPassThrough) {
  LaunchSpec spec = Job("lease-1");
  spec.layered_image.reset();
  ASSERT_TRUE(runner_->Start(spec));
  EXPECT_TRUE(Runs("lease-1"));
  EXPECT_EQ(inner_.launches[0].environment, spec.environment);
  EXPECT_EQ(images_.TakeCalls(), "");
}

TEST_F(Staging, AnAttemptStartsOnceItsLayersAreUnpacked) {
  ASSERT_TRUE(runner_->Start(Job("lease-1")));
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kStarting);
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_FALSE(runner_->Start(Job("lease-1")));
  EXPECT_FALSE(runner_->Exec("lease-1", {}));
  runner_->Renew("lease-1", 77);
  Unpacked("lease-1");
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kRunning);
  ASSERT_EQ(inner_.launches.size(), 1u);
  EXPECT_EQ(inner_.launches[0].image_layers, (std::vector<std::string>{"/top", "/base"}));
  EXPECT_FALSE(inner_.launches[0].layered_image.has_value());
  EXPECT_EQ(inner_.launches[0].lease_deadline_boot_ns, 77);
  EXPECT_EQ(images_.TakeCalls(), "prepare lease-1;");
}

TEST_F(Staging, TheImageSetsWhatNeitherTheJobNorThePlatformSets) {
  ASSERT_TRUE(runner_->Start(Job("lease-1")));
  Unpacked("lease-1", {.digest = "sha256:1",
                       .layers = {"/top"},
                       .environment = {"PATH=/opt/bin:/bin", "A=of-image", "B=of-image",
                                       "GP_REPORT=/x", "CUDA_VISIBLE_DEVICES=all", "HOME=/root"},
                       .working_directory = "/workspace"});
  Seen("lease-1");
  EXPECT_EQ(inner_.launches[0].environment,
            (std::vector<std::string>{"HOME=/home/ana", "CUDA_VISIBLE_DEVICES=GPU-7", "GP_JOB_ID=4",
                                      "A=of-job", "PATH=/opt/bin:/bin", "B=of-image",
                                      "LANG=C.UTF-8", "GP_IMAGE_DIGEST=sha256:1"}));
  EXPECT_EQ(inner_.launches[0].working_directory, "/workspace");
}

TEST_F(Staging, TheJobsOwnDirectoryComesFirst) {
  LaunchSpec spec = Job("lease-1");
  spec.has_own_working_directory = true;
  ASSERT_TRUE(runner_->Start(spec));
  Unpacked("lease-1", {.layers = {"/top"}, .working_directory = "/workspace"});
  Seen("lease-1");
  EXPECT_EQ(inner_.launches[0].working_directory, "/home/ana");
}

TEST_F(Staging, WhatTheImageLacksIsTheUsersFaultAndWhatTheHostLacksIsNot) {
  ASSERT_TRUE(runner_->Start(Job("lease-1")));
  ASSERT_TRUE(runner_->Start(Job("lease-2")));
  images_.prepared["lease-1"] = Fail(InvalidArgument("no image with the tag v1"));
  images_.prepared["lease-2"] = Fail(Error{ErrorCode::kResourceExhausted, "no room"});
  EXPECT_EQ(Seen("lease-1").cause, EndCause::kCouldNotStart);
  EXPECT_EQ(Seen("lease-1").message, "no image with the tag v1");
  EXPECT_EQ(Seen("lease-2").cause, EndCause::kPlatformFault);
  EXPECT_EQ(images_.TakeCalls(),
            "prepare lease-1;prepare lease-2;release lease-1;release lease-2;");
  EXPECT_TRUE(runner_->Forget("lease-1"));
  EXPECT_TRUE(runner_->Forget("lease-2"));
  EXPECT_TRUE(runner_->IsEmpty());
}

TEST_F(Staging, OneThatIsStoppedMeanwhileNeverStarts) {
  ASSERT_TRUE(runner_->Start(Job("lease-1")));
  runner_->Stop("lease-1", Duration::Seconds(1));
  EXPECT_EQ(Seen("lease-1").cause, EndCause::kStopped);
  Unpacked("lease-1");
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kExited);
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_EQ(images_.TakeCalls(), "prepare lease-1;release lease-1;");
}

TEST_F(Staging, LayersAreKeptUntilTheAttemptIsForgotten) {
  ASSERT_TRUE(runner_->Start(Job("lease-1")));
  Unpacked("lease-1");
  Seen("lease-1");
  images_.TakeCalls();
  Open();  // the agent starts again
  EXPECT_EQ(images_.TakeCalls(), "keep lease-1 /top;");
  inner_.End("lease-1", EndCause::kExit, 0);
  Seen("lease-1");
  EXPECT_EQ(images_.TakeCalls(), "");
  ASSERT_TRUE(runner_->Forget("lease-1"));
  EXPECT_EQ(images_.TakeCalls(), "release lease-1;");
}

TEST_F(Staging, AStartThatFailsIsReported) {
  inner_.is_refusing = true;
  ASSERT_TRUE(runner_->Start(Job("lease-1")));
  Unpacked("lease-1");
  EXPECT_EQ(Seen("lease-1").cause, EndCause::kPlatformFault);
}

TEST_F(Staging, RankZeroTellsWhatTheTagNamesAndWaitsForTheJobsDigest) {
  ASSERT_TRUE(runner_->Start(Tagged("lease-1")));
  EXPECT_EQ(Seen("lease-1").image_digest, "");
  images_.digests["lease-1"] = "sha256:1";
  EXPECT_EQ(Seen("lease-1").image_digest, "sha256:1");  // while its layers are being unpacked
  Unpacked("lease-1");
  EXPECT_EQ(Seen("lease-1").image_digest, "sha256:1");
  EXPECT_FALSE(Runs("lease-1"));
  runner_->FixImage("lease-1", "sha256:1");
  EXPECT_TRUE(Runs("lease-1"));
  EXPECT_EQ(Seen("lease-1").image_digest, "");
  EXPECT_EQ(images_.TakeCalls(), "prepare lease-1;");
}

TEST_F(Staging, AnImageWhoseTagWasMovedMeanwhileIsLeftForTheJobs) {
  ASSERT_TRUE(runner_->Start(Tagged("lease-1")));
  images_.digests["lease-1"] = "sha256:2";
  Unpacked("lease-1", {.digest = "sha256:2", .layers = {"/moved"}});
  Seen("lease-1");
  runner_->FixImage("lease-1", "sha256:1");
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_EQ(images_.TakeCalls(), "prepare lease-1;release lease-1;prepare lease-1;");
  EXPECT_EQ(Seen("lease-1").image_digest, "");
  Unpacked("lease-1");
  Seen("lease-1");
  ASSERT_TRUE(Runs("lease-1"));
  EXPECT_EQ(inner_.launches[0].image_layers.front(), "/top");
}

TEST_F(Staging, OtherRanksReadNothingBeforeTheDigestIsFixed) {
  ASSERT_TRUE(runner_->Start(Tagged("lease-1", 1)));
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kStarting);
  EXPECT_EQ(images_.TakeCalls(), "");
  runner_->FixImage("lease-1", "sha256:1");
  EXPECT_EQ(images_.prepared.size(), 1u);
  runner_->FixImage("lease-1", "sha256:2");  // it is fixed once
  Unpacked("lease-1");
  Seen("lease-1");
  EXPECT_TRUE(Runs("lease-1"));
  EXPECT_EQ(images_.TakeCalls(), "release lease-1;prepare lease-1;");
}

TEST_F(Staging, ATagThatNamesNothingEndsTheAttemptUnfixed) {
  ASSERT_TRUE(runner_->Start(Tagged("lease-1")));
  images_.prepared["lease-1"] = Fail(InvalidArgument("no image with the tag v1"));
  EXPECT_EQ(Seen("lease-1").cause, EndCause::kCouldNotStart);
  EXPECT_EQ(Seen("lease-1").image_digest, "");
  runner_->FixImage("lease-1", "sha256:1");
  EXPECT_FALSE(Runs("lease-1"));
}

LaunchSpec WithData(const std::string& key) {
  LaunchSpec spec;
  spec.key = key;
  spec.sources = {{.url = "s3://corpora/wiki", .credentials = "secret", .at = "/data/wiki"},
                  {.url = "s3://ckpt/4/attempt-1.rank-0.2", .at = "/ckpt/2", .restores = true}};
  return spec;
}

TEST_F(Staging, AnAttemptStartsOnceItsDataIsThere) {
  ASSERT_TRUE(runner_->Start(WithData("lease-1")));
  data_.progress = {"s3://corpora/wiki", 41, 118};
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kStarting);
  EXPECT_EQ(Seen("lease-1").staging, (StagingProgress{"s3://corpora/wiki", 41, 118}));
  EXPECT_FALSE(Runs("lease-1"));
  data_.fetched["lease-1"] = std::vector<std::string>{"/cache/1/tree", ""};
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kRunning);
  ASSERT_EQ(inner_.launches.size(), 1u);
  EXPECT_EQ(
      inner_.launches[0].host_directories,
      (std::vector<HostDirectory>{
          {.path = "/cache/1/tree", .at = "/data/wiki", .read_only = true, .is_of_agent = true}}));
  EXPECT_TRUE(inner_.launches[0].sources.empty()) << "supervisors get no credentials";
  EXPECT_TRUE(Seen("lease-1").staging.what.empty());
}

TEST_F(Staging, ImageAndDataArePreparedAtTheSameTime) {
  LaunchSpec spec = Job("lease-1");
  spec.sources = WithData("lease-1").sources;
  ASSERT_TRUE(runner_->Start(spec));
  EXPECT_EQ(images_.TakeCalls(), "prepare lease-1;");
  EXPECT_EQ(data_.TakeCalls(), "prepare lease-1;");
  Unpacked("lease-1");
  Seen("lease-1");
  EXPECT_FALSE(Runs("lease-1"));
  data_.fetched["lease-1"] = std::vector<std::string>{"/cache/1/tree", ""};
  Seen("lease-1");
  EXPECT_TRUE(Runs("lease-1"));
}

TEST_F(Staging, AnImageIsShownWhileItIsStaged) {
  ASSERT_TRUE(runner_->Start(Tagged("lease-1")));
  EXPECT_EQ(Seen("lease-1").staging, (StagingProgress{.what = "image oci:/data/img:v1"}));
  images_.progress = {.bytes = 2, .bytes_total = 8, .layers = 3, .layers_total = 11};
  const AttemptStatus seen = Seen("lease-1");
  EXPECT_EQ(seen.phase, AttemptPhase::kStarting);
  EXPECT_EQ(seen.staging.what, "image oci:/data/img:v1");
  EXPECT_EQ(seen.staging.layers, 3);
  EXPECT_EQ(seen.staging.bytes_total, 8);
  images_.digests["lease-1"] = "sha256:1";
  Unpacked("lease-1");
  runner_->FixImage("lease-1", "sha256:1");
  EXPECT_TRUE(Seen("lease-1").staging.what.empty());
}

TEST_F(Staging, AnImageOfARegistryIsShownByItsName) {
  LaunchSpec spec = Job("lease-1");
  spec.layered_image = LayeredImage{
      .source = ImageReference::Source::kRegistry, .repository = "reg.lab/a", .digest = kFixed};
  ASSERT_TRUE(runner_->Start(spec));
  EXPECT_EQ(Seen("lease-1").staging.what, "image reg.lab/a@sha256:1");
}

TEST_F(Staging, OfImageAndDataThatIsShownWhichHasMoreLeft) {
  LaunchSpec spec = Job("lease-1");
  spec.sources = WithData("lease-1").sources;
  ASSERT_TRUE(runner_->Start(spec));
  images_.progress = {.bytes = 1, .bytes_total = 8, .layers_total = 1};
  data_.progress = {.what = "s3://corpora/wiki", .bytes = 90, .bytes_total = 97};
  EXPECT_EQ(Seen("lease-1").staging.what, "s3://corpora/wiki");
  data_.progress.bytes = 91;
  EXPECT_TRUE(Seen("lease-1").staging.what.starts_with("image ")) << "6 bytes and 7";
  data_.progress = {};
  images_.progress.bytes = 8;
  EXPECT_TRUE(Seen("lease-1").staging.what.starts_with("image "));
}

TEST_F(Staging, OneThatOnlyStagesIsCompleteWithoutBeingStarted) {
  LaunchSpec spec = Job("lease-1");
  spec.sources = WithData("lease-1").sources;
  spec.stage_only = true;
  ASSERT_TRUE(runner_->Start(spec));
  Unpacked("lease-1");
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kStarting);
  data_.fetched["lease-1"] = std::vector<std::string>{"/cache/1/tree", ""};
  const AttemptStatus seen = Seen("lease-1");
  EXPECT_EQ(seen.phase, AttemptPhase::kExited);
  EXPECT_EQ(seen.cause, EndCause::kExit);
  EXPECT_EQ(seen.exit_code, 0);
  EXPECT_EQ(seen.started_at.ns, 0);
  EXPECT_FALSE(Runs("lease-1"));
  EXPECT_THAT(images_.TakeCalls(), testing::HasSubstr("release lease-1;"));
  EXPECT_THAT(data_.TakeCalls(), testing::HasSubstr("release lease-1;"));
  ASSERT_TRUE(runner_->Forget("lease-1"));
  EXPECT_TRUE(runner_->IsEmpty());
}

TEST_F(Staging, OneThatOnlyStagesNeverStartsEvenWithNothingToStage) {
  LaunchSpec spec;
  spec.key = "lease-1";
  spec.stage_only = true;
  ASSERT_TRUE(runner_->Start(spec));
  EXPECT_EQ(Seen("lease-1").phase, AttemptPhase::kExited);
  EXPECT_FALSE(Runs("lease-1"));
}

TEST_F(Staging, OneThatOnlyStagesFailsAsOthersDo) {
  LaunchSpec spec = Job("lease-1");
  spec.stage_only = true;
  ASSERT_TRUE(runner_->Start(spec));
  images_.prepared["lease-1"] = Fail(InvalidArgument("no image with the tag v1"));
  EXPECT_EQ(Seen("lease-1").cause, EndCause::kCouldNotStart);
}

TEST_F(Staging, DataThatIsNotThereIsTheUsersFaultAndAStoreThatIsDownIsNot) {
  ASSERT_TRUE(runner_->Start(WithData("lease-1")));
  ASSERT_TRUE(runner_->Start(WithData("lease-2")));
  data_.fetched["lease-1"] = Fail(InvalidArgument("no such bucket"));
  data_.fetched["lease-2"] = Fail(Unavailable("it does not answer"));
  EXPECT_EQ(Seen("lease-1").cause, EndCause::kCouldNotStart);
  EXPECT_EQ(Seen("lease-1").message, "no such bucket");
  EXPECT_EQ(Seen("lease-2").cause, EndCause::kPlatformFault);
  EXPECT_THAT(data_.TakeCalls(), testing::HasSubstr("release lease-1;"));
}

TEST_F(Staging, DataOfRunningAttemptsIsKeptAfterARestart) {
  ASSERT_TRUE(runner_->Start(WithData("lease-1")));
  data_.fetched["lease-1"] = std::vector<std::string>{"/cache/1/tree", ""};
  Seen("lease-1");
  data_.TakeCalls();
  Open();
  EXPECT_EQ(data_.TakeCalls(), "keep lease-1 /cache/1/tree;");
  inner_.End("lease-1", EndCause::kExit, 0);
  ASSERT_TRUE(runner_->Forget("lease-1"));
  EXPECT_EQ(data_.TakeCalls(), "release lease-1;");
}

}  // namespace
}  // namespace gp
