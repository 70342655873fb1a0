// What an agent and a controller keep in small files: killed, or without power, at each call that
// writes one.  What was answered before holds afterwards.

#include "infrastructure/agent_identity.h"
#include "infrastructure/paths.h"
#include "tests/crash/crash_case.h"

namespace gp {
namespace {

constexpr Instant kNow{5'000'000'000};

class IdentityFiles : public CrashCase {
 protected:
  // Runs `write` in a child for every point and fault; `check` looks at what is there then.
  void ForEveryPoint(const std::function<Status()>& before, const std::function<Status()>& write,
                     const std::function<void(bool)>& check) {
    using Fault = FilePlan::Fault;
    for (const Fault fault : {Fault::kKill, Fault::kTear, Fault::kLosePower}) {
      bool ended = true;
      for (uint64_t at = 0; ended && !HasFailure(); ++at) {
        SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " at call " +
                     std::to_string(at));
        Empty();
        ASSERT_TRUE(before());
        ended = InChild(directory_, {.fault = fault, .at = at, .seed = at % 3}, write).killed;
        check(!ended);
        EXPECT_LT(at, 100U);
      }
    }
  }
};

TEST_F(IdentityFiles, AnIncarnationIsNeverGivenTwice) {
  const auto next = [this]() -> Status {
    GP_TRY(NextIncarnation(directory_, kNow));
    return Ok();
  };
  ForEveryPoint(next, next, [this](bool was_answered) {
    const auto again = NextIncarnation(directory_, kNow);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_GE(again->number, was_answered ? 7U : 6U);
    EXPECT_FALSE(again->fresh);
  });
}

TEST_F(IdentityFiles, ALineageIsTheOldOneOrTheNewOne) {
  const auto keep = [this](uint64_t lineage) {
    return KeepFollowedController(directory_, {lineage, 1});
  };
  const auto before = [&]() -> Status {
    GP_CHECK_OK(keep(32));
    return MakeDirectories(directory_ + "/logs/job-0001", 0700);
  };
  ForEveryPoint(
      before, [&] { return keep(33); },
      [this](bool was_answered) {
        const auto followed = FollowedController(directory_);
        ASSERT_TRUE(followed) << followed.error().message;
        EXPECT_TRUE(followed->lineage == 33 || (followed->lineage == 32 && !was_answered));
        const bool has_logs = std::filesystem::exists(directory_ + "/logs/job-0001");
        EXPECT_TRUE(has_logs ||
                    std::filesystem::exists(directory_ + "/logs-0000000000010/job-0001"));
        EXPECT_TRUE(KeepFollowedController(directory_, {33, 1}));
        EXPECT_FALSE(std::filesystem::exists(directory_ + "/logs"));
      });
}

TEST_F(IdentityFiles, AnEpochThatWasFollowedIsNeverForgotten) {
  const auto keep = [this](uint64_t epoch) {
    return KeepFollowedController(directory_, {32, epoch});
  };
  ForEveryPoint([&] { return keep(6); }, [&] { return keep(7); },
                [this](bool was_answered) {
                  const auto followed = FollowedController(directory_);
                  ASSERT_TRUE(followed) << followed.error().message;
                  EXPECT_EQ(followed->lineage, 32U);
                  EXPECT_TRUE(followed->epoch == 7 || (followed->epoch == 6 && !was_answered));
                });
}

TEST_F(IdentityFiles, ATokenThatWasHandedOutStays) {
  const auto make = [this]() -> Status {
    const std::string token = GP_TRY(JoinToken(directory_));
    witness_.Promise("t" + token.substr(0, 13), 1);
    return Ok();
  };
  ForEveryPoint(
      [this] {
        witness_.Clear();
        return Ok();
      },
      make,
      [this](bool was_answered) {
        const auto token = JoinToken(directory_);
        ASSERT_TRUE(token) << token.error().message;
        EXPECT_EQ(token->size(), 52U);
        if (was_answered) {
          EXPECT_TRUE(witness_.Promised().contains("t" + token->substr(0, 13)));
        }
      });
}

TEST_F(IdentityFiles, AnOldContentStandsWhenTheDiskIsFull) {
  for (const int error : {ENOSPC, EIO}) {
    for (uint64_t at = 0; at < 4; ++at) {
      Empty();
      ASSERT_TRUE(KeepFollowedController(directory_, {32, 1}));
      const Ending ending =
          InChild(directory_, {.fault = FilePlan::Fault::kFailOnce, .at = at, .error = error},
                  [this] { return KeepFollowedController(directory_, {33, 1}); });
      ASSERT_FALSE(ending.killed);
      if (ending.exit_code != 0) {
        EXPECT_NE(ending.words.find(directory_ + "/lineage"), std::string::npos) << ending.words;
      }
      const uint64_t lineage = FollowedController(directory_)->lineage;
      EXPECT_TRUE(lineage == 33 || (lineage == 32 && ending.exit_code != 0)) << at;
    }
  }
}

}  // namespace
}  // namespace gp
