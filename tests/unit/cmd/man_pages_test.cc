#include "cmd/man_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

Json OptionNamed(const std::string& names, bool is_positional = false, bool is_required = false) {
  return {{"names", names},
          {"value", ""},
          {"required", is_required},
          {"positional", is_positional},
          {"default", ""},
          {"environment", ""},
          {"description", "Description"}};
}

Json Tree() {
  Json list{{"command", "gpu-platform jobs list"},
            {"description", "List jobs"},
            {"options", {OptionNamed("--all")}},
            {"subcommands", Json::array()}};
  Json jobs{{"command", "gpu-platform jobs"},
            {"description", "Jobs"},
            {"options", Json::array()},
            {"subcommands", {list}}};
  Json run{{"command", "gpu-platform run"},
           {"description", "Run a job"},
           {"options",
            {OptionNamed("--gpus"), OptionNamed("command", true, true),
             OptionNamed("rest", true, false)}},
           {"subcommands", Json::array()}};
  run["options"][0]["value"] = "N:INT in [1 - 8]";
  run["options"][0]["default"] = "1";
  run["options"][0]["environment"] = "GP_GPUS";
  return {{"command", "gpu-platform"},
          {"description", "Schedules GPUs"},
          {"options", {OptionNamed("--server")}},
          {"subcommands", {jobs, run}}};
}

class ManPagesTest : public ::testing::Test {
 protected:
  std::string Page(const Json& tree, const std::string& name) const {
    EXPECT_TRUE(WriteManPages(tree, scratch_.path()).has_value());
    return scratch_.Read(name + ".1");
  }
  const Scratch scratch_;
};

TEST_F(ManPagesTest, ThereIsOneForTheProgramAndEachCommandBelowIt) {
  Page(Tree(), "gpu-platform");
  EXPECT_TRUE(scratch_.Has("gpu-platform.1"));
  EXPECT_TRUE(scratch_.Has("gpu-platform-jobs.1"));
  EXPECT_TRUE(scratch_.Has("gpu-platform-run.1"));
  EXPECT_FALSE(scratch_.Has("gpu-platform-jobs-list.1")) << "it stands on the page of its group";
  EXPECT_THAT(scratch_.Read("gpu-platform-jobs.1"), HasSubstr(".SS gpu\\-platform jobs list\n"));
}

TEST_F(ManPagesTest, TheSynopsisShowsWhatIsRequired) {
  EXPECT_THAT(Page(Tree(), "gpu-platform-run"),
              HasSubstr(".SH SYNOPSIS\n.B gpu\\-platform run\n[\\fIOPTIONS\\fR]\n"
                        "\\fIcommand\\fR\n[\\fIrest\\fR]\n"));
  EXPECT_THAT(Page(Tree(), "gpu-platform-jobs"),
              HasSubstr(".B gpu\\-platform jobs\n.I COMMAND\n.SH COMMANDS"));
}

TEST_F(ManPagesTest, AnOptionHasItsValueDefaultAndVariable) {
  EXPECT_THAT(Page(Tree(), "gpu-platform-run"),
              HasSubstr(".TP\n\\fB\\-\\-gpus\\fR \\fIN\\fR\n"
                        "Description; default 1; or in \\fB$GP_GPUS\\fR.\n"));
}

// A line that begins with a dot or a quote would be a request to roff, and a plain dash a hyphen.
TEST_F(ManPagesTest, NoTextIsARequestOrLosesItsCharacters) {
  Json tree = Tree();
  Json& option = tree["options"][0];
  const std::pair<const char*, const char*> cases[] = {
      {".so /etc/passwd", "\\&.so /etc/passwd"},
      {"'quoted'", "\\&'quoted'"},
      {"a\\nb", "a\\enb"},
      {"a\n.so x", "a .so x"},
      {"say \"x\" --y", "say \\(dqx\\(dq \\-\\-y"},
  };
  for (const auto& [text, written] : cases) {
    option["description"] = text;
    EXPECT_THAT(Page(tree, "gpu-platform"), HasSubstr("\n" + std::string(written) + ".\n"));
    EXPECT_THAT(Page(tree, "gpu-platform"), Not(HasSubstr("\n.so")));
  }
}

// Both lists are for people; neither is made of the other.
TEST_F(ManPagesTest, TheExitCodesAreThoseOfTheReference) {
  std::ifstream file(GP_SOURCE_DIR "/docs/reference/exit_codes.md");
  const std::string reference((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> documented;
  const std::regex row(R"(\n\| *`?(\d+)`? *\|)");
  for (std::sregex_iterator at(reference.begin(), reference.end(), row), end; at != end; ++at)
    documented.push_back((*at)[1]);
  ASSERT_GT(documented.size(), 8u);
  const std::string page = Page(Tree(), "gpu-platform");
  const std::string codes = page.substr(page.find(".SH EXIT STATUS"));
  std::vector<std::string> shown;
  const std::regex entry(R"(\.TP\n(\d+)\n)");
  for (std::sregex_iterator at(codes.begin(), codes.end(), entry), end; at != end; ++at)
    shown.push_back((*at)[1]);
  EXPECT_EQ(shown, documented);
}

TEST_F(ManPagesTest, APlaceThatCannotBeWrittenIsNamed) {
  const Status written = WriteManPages(Tree(), scratch_.In("none"));
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error(),
            Unavailable(scratch_.In("none/gpu-platform.1") + ": cannot be written"));
}

}  // namespace
}  // namespace gp
