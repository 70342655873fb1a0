#include "adapters/outbound/images/image_records.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/scratch.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

class Records : public testing::Test {
 protected:
  void Note(int image, std::vector<std::string> layers) {
    records_->Note("reg.lab/" + std::to_string(image) + ":v1", NumberedDigest(image),
                   std::move(layers));
  }
  void Reopen() { records_ = std::make_unique<ImageRecords>(scratch_.In("records")); }

  Scratch scratch_;
  std::unique_ptr<ImageRecords> records_ = std::make_unique<ImageRecords>(scratch_.In("records"));
};

TEST_F(Records, TheLastUsedIsFirstAlsoAfterARestart) {
  Note(1, {NumberedDigest(102), NumberedDigest(101), NumberedDigest(102)});
  usleep(20'000);  // file systems do not tell times that are nearer
  Note(2, {NumberedDigest(101)});
  for (int i = 0; i < 2; ++i, Reopen()) {
    const std::vector<ImageRecord> all = *records_->All();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "reg.lab/2:v1");
    EXPECT_EQ(all[1].digest, NumberedDigest(1));
    EXPECT_EQ(all[1].diff_ids,
              (std::vector<std::string>{NumberedDigest(101), NumberedDigest(102)}));
    EXPECT_GT(all[0].used_at, all[1].used_at);
  }
}

TEST_F(Records, AnImageHasTheNameOfItsLastLaunch) {
  Note(1, {NumberedDigest(101)});
  records_->Note("reg.lab/other:v2", NumberedDigest(1), {NumberedDigest(101)});
  Reopen();
  ASSERT_EQ(records_->All()->size(), 1u);
  EXPECT_EQ(records_->All()->at(0).name, "reg.lab/other:v2");
}

TEST_F(Records, WhatIsDroppedIsGoneAlsoAfterARestart) {
  Note(1, {NumberedDigest(101)});
  const auto all = records_->All();
  records_->Drop(all->at(0));
  records_->Drop(all->at(0));
  EXPECT_TRUE(records_->All()->empty());
  Reopen();
  EXPECT_TRUE(records_->All()->empty());
}

TEST_F(Records, WhatWasNotedAgainIsNotDropped) {
  Note(1, {NumberedDigest(101)});
  const auto seen = records_->All();
  EXPECT_EQ(records_->All().get(), seen.get()) << "nothing has changed";
  usleep(20'000);
  Note(1, {NumberedDigest(101)});
  records_->Drop(seen->at(0));
  EXPECT_EQ(records_->All()->size(), 1u);
  Reopen();
  EXPECT_EQ(records_->All()->size(), 1u);
}

TEST_F(Records, OfTooManyTheOldestIsDropped) {
  const int max = static_cast<int>(ImageRecords::kMax);
  for (int image = 1; image <= max; ++image) Note(image, {NumberedDigest(999)});
  EXPECT_EQ(records_->All()->size(), ImageRecords::kMax);
  Note(max + 1, {NumberedDigest(999)});
  const std::vector<ImageRecord> all = *records_->All();
  ASSERT_EQ(all.size(), ImageRecords::kMax);
  EXPECT_EQ(all.front().digest, NumberedDigest(max + 1));
  EXPECT_EQ(all.back().digest, NumberedDigest(2));
}

TEST_F(Records, WhatIsNoRecordIsLeftOut) {
  Note(1, {NumberedDigest(101)});
  Note(2, {});
  const std::string digits = NumberedDigest(3).substr(7);
  std::ofstream(scratch_.In("records/" + digits)) << "name\nno-digest\n";
  std::ofstream(scratch_.In("records/" + NumberedDigest(4).substr(7))) << "name\n";
  std::ofstream(scratch_.In("records/x")) << "name\n" << NumberedDigest(101) << "\n";
  Reopen();
  ASSERT_EQ(records_->All()->size(), 1u);
  EXPECT_EQ(records_->All()->at(0).digest, NumberedDigest(1));
}

}  // namespace
}  // namespace gp
