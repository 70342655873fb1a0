#include "domain/model/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/model/jobs/job_spec.h"

namespace gp {
namespace {

using testing::StartsWith;

TEST(Queue, ItsParentIsThePathWithoutTheLastName) {
  EXPECT_EQ(ParentOf("a"), "");
  EXPECT_EQ(ParentOf("a/b"), "a");
  EXPECT_EQ(ParentOf("a/b/c"), "a/b");
}

TEST(Queue, OneWithANameIsEnough) {
  EXPECT_TRUE(ValidateQueue({.name = "research/nlp"}));
  EXPECT_TRUE(ValidateQueue({.name = kDefaultQueue}));
}

// Each number at both ends of its range, and one beyond.
TEST(Queue, NumbersHaveRanges) {
  struct Case {
    const char* field;
    void (*set)(Queue&, int64_t);
    int64_t least;
    int64_t most;
  };
  const Case cases[] = {
      {"weight", [](Queue& q, int64_t n) { q.weight = static_cast<int>(n); }, 1, kQueueWeightMax},
      {"guaranteed", [](Queue& q, int64_t n) { q.guaranteed = n; }, 0, kQueueGpusMax},
      {"limit.gpus", [](Queue& q, int64_t n) { q.limit.gpus = n; }, 0, kQueueGpusMax},
      {"limit.jobs", [](Queue& q, int64_t n) { q.limit.jobs = n; }, 0, kQueueJobsMax},
      {"limit.gpu_hours", [](Queue& q, int64_t n) { q.limit.gpu_hours = n; }, 0, kQueueGpuHoursMax},
      {"user_limit.gpus", [](Queue& q, int64_t n) { q.user_limit.gpus = n; }, 0, kQueueGpusMax},
      {"user_limit.jobs", [](Queue& q, int64_t n) { q.user_limit.jobs = n; }, 0, kQueueJobsMax},
      {"user_limit.gpu_hours", [](Queue& q, int64_t n) { q.user_limit.gpu_hours = n; }, 0,
       kQueueGpuHoursMax},
      {"default_time", [](Queue& q, int64_t n) { q.default_time.ns = n; }, 0, kTimeLimitMax.ns},
      {"max_time", [](Queue& q, int64_t n) { q.max_time.ns = n; }, 0, kTimeLimitMax.ns},
  };
  for (const Case& one : cases) {
    for (const int64_t legal : {one.least, one.most}) {
      Queue queue{.name = "q"};
      one.set(queue, legal);
      EXPECT_TRUE(ValidateQueue(queue)) << one.field << " " << legal;
    }
    for (const int64_t beyond : {one.least - 1, one.most + 1}) {
      Queue queue{.name = "q"};
      one.set(queue, beyond);
      const Status checked = ValidateQueue(queue);
      ASSERT_FALSE(checked) << one.field << " " << beyond;
      EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
      EXPECT_THAT(checked.error().message, StartsWith(std::string(one.field) + ": "));
    }
  }
}

TEST(Queue, AGuaranteeIsWithinItsLimit) {
  Queue queue{.name = "q", .guaranteed = 8};
  queue.limit.gpus = 8;
  EXPECT_TRUE(ValidateQueue(queue));
  queue.limit.gpus = 7;
  EXPECT_EQ(ValidateQueue(queue).error().message,
            "guaranteed: 8 GPUs are more than its limit of 7");
  queue.guaranteed = 0;
  queue.limit.gpus = 0;
  EXPECT_TRUE(ValidateQueue(queue)) << "a queue may be closed";
}

TEST(Queue, TheDefaultTimeIsWithinTheLongest) {
  Queue queue{
      .name = "q", .default_time = Duration::Minutes(60), .max_time = Duration::Minutes(60)};
  EXPECT_TRUE(ValidateQueue(queue));
  queue.default_time.ns += 1;
  EXPECT_THAT(ValidateQueue(queue).error().message, StartsWith("default_time: "));
  queue.max_time = {};
  EXPECT_TRUE(ValidateQueue(queue)) << "any";
}

TEST(Queue, NamesAreNamed) {
  EXPECT_THAT(ValidateQueue({.name = ""}).error().message, StartsWith("queue: "));
  EXPECT_THAT(ValidateQueue({.name = "a//b"}).error().message, StartsWith("queue: "));
  EXPECT_THAT(ValidateQueue({.name = "q", .pool = "a/b"}).error().message, StartsWith("pool: "));
}

}  // namespace
}  // namespace gp
