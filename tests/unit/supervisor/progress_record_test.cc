#include "supervisor/records/progress_record.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

AttemptProgress SampleProgress(size_t checkpoints) {
  AttemptProgress progress;
  progress.at.ns = 1'700'000'000'000'000'000;
  progress.step = 1'200;
  progress.steps = 50'000;
  progress.is_hung = true;
  progress.refused = "\"stp=1\": …";
  for (size_t i = 0; i < checkpoints; ++i) {
    const auto number = static_cast<int64_t>(i) + 1;
    progress.checkpoints.push_back({.number = number,
                                    .step = number * 100,
                                    .path = "/ckpt/" + std::to_string(number),
                                    .bytes = int64_t{1} << 40,
                                    .took = Duration::Milliseconds(12'500),
                                    .is_complete = i % 2 == 0,
                                    .fault = i % 2 == 0 ? "" : "it is empty",
                                    .at = Instant{number},
                                    .is_scored = i % 3 == 0,
                                    .score = i % 3 == 0 ? -number : 0});
  }
  return progress;
}

std::string Written(const AttemptProgress& progress) {
  ByteWriter writer;
  WriteProgress(writer, progress);
  WriteScores(writer, progress);
  return writer.Take();
}

TEST(ProgressRecord, ComesBackWithAsManyCheckpointsAsAreKept) {
  for (size_t count = 0; count <= kCheckpointReportsMax; ++count) {
    const AttemptProgress progress = SampleProgress(count);
    const std::string bytes = Written(progress);
    ByteReader reader(bytes);
    AttemptProgress read = ReadProgress(reader);
    ReadScores(reader, read);
    EXPECT_TRUE(reader.ok()) << count;
    EXPECT_TRUE(reader.AtEnd()) << count;
    EXPECT_EQ(read, progress) << count;
  }
}

TEST(ProgressRecord, OneCheckpointMoreThanAreKeptIsRefused) {
  const std::string bytes = Written(SampleProgress(kCheckpointReportsMax + 1));
  ByteReader reader(bytes);
  EXPECT_TRUE(ReadProgress(reader).checkpoints.empty());
  EXPECT_FALSE(reader.ok());
}

TEST(ProgressRecord, WithoutScoresItIsThatOfAnOlderWriter) {
  AttemptProgress progress = SampleProgress(2);
  ByteWriter writer;
  WriteProgress(writer, progress);
  ByteReader reader(writer.bytes());
  const AttemptProgress read = ReadProgress(reader);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.AtEnd());
  for (CheckpointReport& report : progress.checkpoints) report.is_scored = false, report.score = 0;
  EXPECT_EQ(read, progress);
}

TEST(ProgressRecord, EveryCutIsNoticed) {
  const std::string bytes = Written(SampleProgress(3));
  for (size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    AttemptProgress read = ReadProgress(reader);
    ReadScores(reader, read);
    EXPECT_FALSE(reader.ok()) << size;
    EXPECT_LE(read.checkpoints.size(), 3u);
  }
}

}  // namespace
}  // namespace gp
