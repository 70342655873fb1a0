#include "cmd/usage/run_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A tree like that of the program: groups, a hidden command, flags of all and of some.
class SuggestTest : public ::testing::Test {
 protected:
  SuggestTest() : app_("Test", "gpu-platform") {
    app_.add_flag("--quiet", quiet_);
    CLI::App* jobs = app_.add_subcommand("jobs", "Jobs");
    jobs->require_subcommand(1);
    jobs->add_subcommand("list", "List jobs")->callback([this] { ran_ = "jobs list"; });
    CLI::App* cancel = jobs->add_subcommand("cancel", "Cancel jobs");
    cancel->add_option("job", jobs_)->required();
    cancel->callback([this] { ran_ = "jobs cancel"; });
    jobs->add_subcommand("explain", "Explain a decision");
    app_.add_subcommand("explain", "Explain")->add_subcommand("error", "Explain an error code");
    CLI::App* nodes = app_.add_subcommand("nodes", "Nodes");
    nodes->add_subcommand("describe", "Describe a node");
    CLI::App* queues = app_.add_subcommand("queues", "Queues");
    queues->add_subcommand("describe", "Describe a queue");
    CLI::App* run = app_.add_subcommand("run", "Run a job");
    run->add_option("--gpus", gpus_);
    run->add_option("--time-limit", limit_);
    run->add_option("command", command_);
    run->callback([this] { ran_ = "run"; });
    CLI::App* hidden = app_.add_subcommand("__complete", "For shells");
    hidden->group("");
    hidden->callback([this] { ran_ = "__complete"; });
  }
  // What standard error says; the exit code and what ran are kept.
  std::string Say(const std::vector<std::string>& words) {
    ran_.clear();
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    code_ = RunCommand(app_, words);
    shown_ = testing::internal::GetCapturedStdout();
    return testing::internal::GetCapturedStderr();
  }

  CLI::App app_;
  bool quiet_ = false;
  int gpus_ = 0;
  std::string limit_;
  std::vector<std::string> jobs_;
  std::vector<std::string> command_;
  std::string ran_;
  std::string shown_;
  std::optional<int> code_;
};

TEST_F(SuggestTest, ACommandThatIsThereRuns) {
  EXPECT_EQ(Say({"jobs", "list"}), "");
  EXPECT_EQ(code_, std::nullopt);
  EXPECT_EQ(ran_, "jobs list");
  EXPECT_EQ(Say({"run", "--gpus", "2", "--", "list", "--jbs"}), "");
  EXPECT_EQ(ran_, "run") << "words of the job are its own";
  EXPECT_EQ(Say({"__complete"}), "");
  EXPECT_EQ(ran_, "__complete") << "a hidden one too";
}

TEST_F(SuggestTest, WithoutWordsTheHelpIsShown) {
  EXPECT_EQ(Say({}), "");
  EXPECT_EQ(code_, 0);
  EXPECT_THAT(shown_, HasSubstr("jobs"));
  EXPECT_THAT(shown_, Not(HasSubstr("__complete")));
}

TEST_F(SuggestTest, AMisspelledCommandIsNamedWithWhatWasMeant) {
  EXPECT_EQ(Say({"jbs", "list"}),
            "error: unknown command \"jbs\" — did you mean jobs?\nSee: gpu-platform --help\n");
  EXPECT_EQ(code_, 2);
  EXPECT_EQ(ran_, "");
  EXPECT_EQ(Say({"jobs", "lst"}),
            "error: unknown command \"lst\" — did you mean list?\n"
            "See: gpu-platform jobs --help\n");
  EXPECT_EQ(Say({"jobs", "xyzzy"}),
            "error: unknown command \"xyzzy\"\nSee: gpu-platform jobs --help\n");
}

TEST_F(SuggestTest, ACommandOfAGroupIsNamedWithItsGroup) {
  EXPECT_THAT(Say({"cancel", "job-1"}), HasSubstr("did you mean gpu-platform jobs cancel JOB?"));
  EXPECT_THAT(Say({"describe"}),
              HasSubstr("did you mean gpu-platform nodes describe or gpu-platform queues "
                        "describe?"));
}

TEST_F(SuggestTest, ACommandWithTheNameOfAGroupIsNamed) {
  EXPECT_EQ(Say({"explain", "job-3"}),
            "error: unknown command \"job-3\" — did you mean gpu-platform jobs explain?\n"
            "See: gpu-platform explain --help\n");
}

TEST_F(SuggestTest, ACommandOfSlurmIsNamedWithItsEquivalent) {
  EXPECT_EQ(Say({"squeue"}),
            "error: unknown command \"squeue\" — Slurm's squeue is here: gpu-platform jobs list\n"
            "See: gpu-platform --help\n");
  EXPECT_THAT(Say({"sinfo"}), Not(HasSubstr("Slurm"))) << "this program has no such command";
}

TEST_F(SuggestTest, AnUnknownFlagIsNamedWithWhatWasMeant) {
  EXPECT_EQ(Say({"run", "--gpu", "2", "python"}),
            "error: unknown flag \"--gpu\" — did you mean --gpus?\n"
            "Usage: gpu-platform run [COMMAND...]\n"
            "See: gpu-platform run --help\n");
  EXPECT_THAT(Say({"run", "--time-limt=5m", "x"}),
              HasSubstr("unknown flag \"--time-limt\" — did you mean --time-limit?"));
  EXPECT_THAT(Say({"run", "--queit", "x"}), HasSubstr("did you mean --quiet?"))
      << "flags of all commands count too";
}

TEST_F(SuggestTest, AFlagOfSlurmIsNamedOnlyWhereTheCommandHasTheOther) {
  EXPECT_THAT(Say({"run", "--gres=gpu:2", "x"}),
              HasSubstr("unknown flag \"--gres\" — did you mean --gpus?"));
  EXPECT_THAT(Say({"run", "-G2", "x"}), HasSubstr("unknown flag \"-G\" — did you mean --gpus?"));
  EXPECT_THAT(Say({"jobs", "list", "--gres=gpu:2"}), Not(HasSubstr("--gpus")));
}

TEST_F(SuggestTest, TheValueOfAFlagIsNoCommand) {
  EXPECT_EQ(Say({"run", "--time-limit", "jbs", "x"}), "");
  EXPECT_EQ(ran_, "run");
  EXPECT_EQ(limit_, "jbs");
}

TEST_F(SuggestTest, WordsFromOutsideAreMadeSafeForATerminal) {
  const std::string text = Say({"\x1b[31mjobs"});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("\\x1b[31mjobs"));
  EXPECT_THAT(Say({std::string(5'000, 'x')}), ::testing::SizeIs(::testing::Lt(300)));
}

TEST_F(SuggestTest, HelpOfWhatIsUnknownIsAnErrorAndNotTheHelpOfAll) {
  EXPECT_THAT(Say({"jbs", "--help"}), HasSubstr("unknown command \"jbs\""));
  EXPECT_EQ(code_, 2);
  EXPECT_EQ(Say({"jobs", "--help"}), "");
  EXPECT_EQ(code_, 0);
  EXPECT_THAT(shown_, HasSubstr("cancel"));
}

TEST_F(SuggestTest, AMissingArgumentIsAUsageError) {
  EXPECT_EQ(Say({"jobs", "cancel"}),
            "error: JOB is missing\n"
            "Usage: gpu-platform jobs cancel JOB...\n"
            "See: gpu-platform jobs cancel --help\n");
  EXPECT_EQ(code_, 2);
  EXPECT_EQ(Say({"jobs"}),
            "error: jobs needs one of: list, cancel, explain\nSee: gpu-platform jobs --help\n");
  EXPECT_EQ(code_, 2);
}

TEST_F(SuggestTest, ErrorsOfTheParserAreInPlainWords) {
  EXPECT_THAT(Say({"run", "--gpus", "two", "x"}), HasSubstr("--gpus: \"two\" is not a number"));
  EXPECT_THAT(Say({"run", "x", "--gpus"}), HasSubstr("error: --gpus needs a value"));
  EXPECT_THAT(Say({"run", "--gpus", "1", "--gpus", "2", "x"}),
              HasSubstr("error: --gpus is given 2 times"));
  EXPECT_THAT(Say({"nodes", "describe", "n1"}), HasSubstr("unexpected argument \"n1\""));
}

TEST(SuggestWords, HelpComesBeforeOrBehind) {
  const auto words = [](std::vector<std::string> texts) {
    texts.insert(texts.begin(), "gpu-platform");
    std::vector<char*> argv;
    for (std::string& text : texts) argv.push_back(text.data());
    return WordsOf(static_cast<int>(argv.size()), argv.data());
  };
  EXPECT_THAT(words({"help", "jobs", "list"}), ElementsAre("jobs", "list", "--help"));
  EXPECT_THAT(words({"help"}), ElementsAre("--help"));
  EXPECT_THAT(words({"run", "help"}), ElementsAre("run", "help"));
  EXPECT_TRUE(words({}).empty());
}

}  // namespace
}  // namespace gp
