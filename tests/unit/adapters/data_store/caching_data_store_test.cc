#include "adapters/outbound/data_store/caching_data_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using Kind = TransferOrder::Kind;
using testing::HasSubstr;

// Transfers, played: a URL has a content of 40 bytes, until the test changes it.
struct Transfers {
  Result<TransferAnswer> Run(const TransferOrder& order, int stop_fd,
                             const std::function<void(int64_t, int64_t)>& progress) {
    const std::lock_guard lock(mutex);
    orders.push_back(order);
    progress(10, 40);
    while (blocks) {
      pollfd stop{stop_fd, POLLIN, 0};
      if (poll(&stop, 1, 1) > 0) return Fail(Unavailable("stopped"));
    }
    if (!error.empty()) return Fail(InvalidArgument(error));
    return TransferAnswer{content + order.url, 40, 1, single};
  }
  size_t Count(Kind kind) {
    const std::lock_guard lock(mutex);
    return static_cast<size_t>(std::ranges::count(orders, kind, &TransferOrder::kind));
  }

  std::mutex mutex;
  std::vector<TransferOrder> orders;
  std::string content = "v1";
  std::string single;
  std::string error;
  std::atomic<bool> blocks = false;
};

class Data : public testing::Test {
 protected:
  Data() { Open(); }
  void Open() {
    store_ = nullptr;
    store_ = std::make_unique<CachingDataStore>(
        [this](const auto&... of) { return transfers_.Run(of...); },
        DataCache::Open(scratch_.path() + "/data", 100 + 2 * DataCache::kBytesPerFile).value());
  }
  static LaunchSpec Job(const std::string& key, uint32_t uid = 1000) {
    LaunchSpec spec;
    spec.key = key;
    spec.uid = uid;
    spec.sources = {{.url = "s3://a/b", .credentials = "secret", .at = "/data"}};
    return spec;
  }
  template <typename Ask>
  auto Await(Ask ask) {
    auto result = ask();
    while (!result) {
      pollfd event{store_->EventDescriptor(), POLLIN, 0};
      EXPECT_EQ(poll(&event, 1, 20'000), 1) << "nothing came";
      store_->ClearEvents();
      result = ask();
    }
    return *result;
  }
  Result<std::vector<std::string>> Fetched(const LaunchSpec& spec) {
    return Await([&] { return store_->Prepare(spec); });
  }

  Scratch scratch_;
  Transfers transfers_;
  std::unique_ptr<CachingDataStore> store_;
};

TEST_F(Data, IsFetchedOnceForAUser) {
  const auto first = Fetched(Job("lease-1"));
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_EQ(first->size(), 1u);
  EXPECT_TRUE(std::filesystem::is_directory(first->front()));
  EXPECT_EQ(*Fetched(Job("lease-2")), *first);
  EXPECT_EQ(transfers_.Count(Kind::kFetch), 1u);
  EXPECT_EQ(transfers_.Count(Kind::kList), 2u) << "each start looks whether it has changed";
  EXPECT_NE(*Fetched(Job("lease-3", 2000)), *first) << "another user's own credentials decide";
}

TEST_F(Data, OtherContentIsAnotherEntry) {
  const auto before = Fetched(Job("lease-1"));
  transfers_.content = "v2";
  EXPECT_NE(*Fetched(Job("lease-2")), *before);
  EXPECT_TRUE(std::filesystem::exists(before->front())) << "an attempt may still use it";
}

TEST_F(Data, ASingleObjectIsAFile) {
  transfers_.single = "tok.json";
  EXPECT_THAT(Fetched(Job("lease-1"))->front(), HasSubstr("/tree/tok.json"));
}

TEST_F(Data, SurvivesTheAgentAndStaysWhileItIsUsed) {
  const std::string path = Fetched(Job("lease-1"))->front();
  Open();
  store_->Keep("lease-1", {path});
  for (int i = 0; i < 3; ++i) {
    LaunchSpec other = Job("other-" + std::to_string(i));
    other.sources[0].url += std::to_string(i);
    ASSERT_TRUE(Fetched(other));
    store_->Release(other.key);
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  store_->Release("lease-1");
  for (int i = 0; i < 2; ++i) {
    LaunchSpec other = Job("again-" + std::to_string(i));
    other.sources[0].url += "again" + std::to_string(i);
    ASSERT_TRUE(Fetched(other));
    store_->Release(other.key);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(Data, AnErrorIsThatOfTheTransfer) {
  transfers_.error = "s3://a/b: no such bucket";
  const auto fetched = Fetched(Job("lease-1"));
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().message, "s3://a/b: no such bucket");
  EXPECT_EQ(fetched.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(Data, ACheckpointIsRestoredPastTheCache) {
  LaunchSpec spec = Job("lease-1");
  spec.sources = {{.url = "s3://ckpt/1", .at = "/ckpt/1", .restores = true}};
  EXPECT_EQ(*Fetched(spec), std::vector<std::string>{""});
  ASSERT_EQ(transfers_.orders.size(), 1u);
  EXPECT_EQ(transfers_.orders[0].kind, Kind::kRestore);
  EXPECT_EQ(transfers_.orders[0].path, "/ckpt/1");
}

TEST_F(Data, ACopyIsMadeOnceForItsUrl) {
  const DataCopy copy{.key = "lease-1",
                      .path = "/ckpt/1",
                      .url = "s3://ckpt/1",
                      .credentials = "secret",
                      .uid = 1000,
                      .staying = std::vector<std::string>{"x"}};
  EXPECT_TRUE(Await([&] { return store_->Copy(copy); }));
  EXPECT_TRUE(Await([&] { return store_->Copy(copy); }));
  ASSERT_EQ(transfers_.orders.size(), 1u);
  EXPECT_EQ(transfers_.orders[0].kind, Kind::kPut);
  EXPECT_EQ(transfers_.orders[0].staying, copy.staying);
}

TEST_F(Data, WhatIsReleasedIsStopped) {
  transfers_.blocks = true;
  EXPECT_FALSE(store_->Prepare(Job("lease-1")));
  while (store_->ProgressOf("lease-1").bytes == 0) poll(nullptr, 0, 1);
  EXPECT_EQ(store_->ProgressOf("lease-1"), (StagingProgress{"s3://a/b", 10, 40}));
  store_->Release("lease-1");
  EXPECT_EQ(store_->ProgressOf("lease-1"), StagingProgress{});
  transfers_.blocks = false;
  EXPECT_TRUE(Fetched(Job("lease-1"))) << "asked for again, it is fetched";
}

TEST_F(Data, TwoThatNeedTheSameFetchItOnce) {
  EXPECT_FALSE(store_->Prepare(Job("lease-1")));
  EXPECT_FALSE(store_->Prepare(Job("lease-2")));
  EXPECT_TRUE(Fetched(Job("lease-1")));
  EXPECT_TRUE(Fetched(Job("lease-2")));
  EXPECT_EQ(transfers_.Count(Kind::kFetch), 1u);
}

}  // namespace
}  // namespace gp
