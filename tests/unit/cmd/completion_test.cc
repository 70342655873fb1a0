// What comes from the tree of commands.  No controller answers here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/cli.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() : app_("Test", "gpu-platform") {
    cli_.server = scratch_.path();
    cli_.AddTo(app_);
    CLI::App* jobs = app_.add_subcommand("jobs", "Jobs");
    jobs->add_subcommand("list", "List jobs");
    jobs->add_subcommand("cancel", "Cancel jobs")->add_option("job", names_)->expected(-1);
    CLI::App* usage = app_.add_subcommand("usage", "Where time went");
    usage->add_option("--by", words_)->type_name("WORD,...:{kind,day,pool}");
    usage->add_option("--kind", word_)
        ->transform(CLI::CheckedTransformer(std::map<std::string, std::string>{{"a", "1"}}));
    usage->add_flag("--hidden", flag_)->group("");
    app_.add_subcommand("__tool", "For tools")->group("");
    AddCompletion(app_, cli_);
  }
  // The words that may come in place of the last one.
  std::vector<std::string> After(std::vector<std::string> words) {
    words.insert(words.begin(), {"__complete", "--"});
    testing::internal::CaptureStdout();
    app_.clear();
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    alarm(0);  // the program of a key press would not live longer
    std::vector<std::string> found;
    for (const std::string& line : Split(testing::internal::GetCapturedStdout(), '\n')) {
      if (line.empty()) continue;
      EXPECT_NE(line.find('\t'), std::string::npos) << line;
      found.push_back(line.substr(0, line.find('\t')));
    }
    return found;
  }

  const Scratch scratch_;
  Cli cli_;
  CLI::App app_;
  std::vector<std::string> names_, words_;
  std::string word_;
  bool flag_ = false;
};

TEST_F(CompletionTest, CommandsThatBeginWithTheWord) {
  EXPECT_THAT(After({"j"}), ElementsAre("jobs"));
  EXPECT_THAT(After({"jobs", ""}), ElementsAre("list", "cancel"));
  EXPECT_THAT(After({"jobs", "c"}), ElementsAre("cancel"));
  EXPECT_THAT(After({"x"}), IsEmpty());
  EXPECT_THAT(After({""}), ElementsAre("jobs", "usage", "completion")) << "no hidden ones";
}

TEST_F(CompletionTest, FlagsOfTheCommandAndOfAll) {
  EXPECT_THAT(After({"usage", "--b"}), ElementsAre("--by"));
  EXPECT_THAT(After({"usage", "--ser"}), ElementsAre("--server"));
  EXPECT_THAT(After({"usage", "--hid"}), IsEmpty());
  EXPECT_THAT(After({"jobs", "--by"}), IsEmpty()) << "another command's";
}

TEST_F(CompletionTest, TheValuesOfAFlag) {
  EXPECT_THAT(After({"usage", "--by", ""}), ElementsAre("kind", "day", "pool"));
  EXPECT_THAT(After({"usage", "--by", "d"}), ElementsAre("day"));
  EXPECT_THAT(After({"usage", "--by=d"}), ElementsAre("--by=day"));
  EXPECT_THAT(After({"usage", "--by", "=", "d"}), ElementsAre("day")) << "as bash takes it apart";
  EXPECT_THAT(After({"usage", "--by", "kind,p"}), ElementsAre("kind,pool"));
  EXPECT_THAT(After({"usage", "--by=kind,p"}), ElementsAre("--by=kind,pool"));
}

TEST_F(CompletionTest, AfterTheValueOfAFlagComesNoOther) {
  EXPECT_THAT(After({"usage", "--by", "kind", "--by", "da"}), ElementsAre("day"));
  EXPECT_THAT(After({"usage", "--by", "kind", "k"}), IsEmpty());
  EXPECT_THAT(After({"--output", "json", "jo"}), ElementsAre("jobs"));
  EXPECT_THAT(After({"--output=json", "jo"}), ElementsAre("jobs"));
}

TEST_F(CompletionTest, ArgumentsOfAJobAreNotOurs) {
  EXPECT_THAT(After({"jobs", "--", "li"}), IsEmpty());
}

TEST_F(CompletionTest, WithoutAControllerThereAreNoNamesAndNoError) {
  testing::internal::CaptureStderr();
  EXPECT_THAT(After({"jobs", "cancel", "job-"}), IsEmpty());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(CompletionTest, EachShellHasAScriptThatCallsUs) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    testing::internal::CaptureStdout();
    app_.clear();
    app_.parse(std::vector<std::string>{shell, "completion"});
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                ::testing::HasSubstr("gpu-platform __complete -- "))
        << shell;
  }
}

}  // namespace
}  // namespace gp
