#include "cmd/command_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

class CommandTreeTest : public ::testing::Test {
 protected:
  CommandTreeTest() : app_("Schedules GPUs", "gpu-platform") {
    app_.add_option("--server", server_, "Where it is")
        ->envname("GPU_PLATFORM_SERVER")
        ->type_name("PLACE");
    CLI::App* run = app_.add_subcommand("run", "Run a job");
    run->add_option("-n,--nodes", nodes_, "Nodes")->type_name("N")->capture_default_str();
    run->add_flag("--wait", wait_, "Wait");
    run->add_option("--old", old_, "")->group("");
    run->add_option("command", command_, "Command")->required();
    app_.add_subcommand("__hidden", "For tools")->group("");
  }
  Json OptionOf(const Json& command, const std::string& names) const {
    for (const Json& option : command["options"]) {
      if (option["names"] == names) return option;
    }
    return {};
  }

  CLI::App app_;
  std::string server_, old_, command_;
  int nodes_ = 4;
  bool wait_ = false;
};

TEST_F(CommandTreeTest, HasEachCommandWithItsPath) {
  const Json root = CommandDocument(app_, "gpu-platform");
  EXPECT_EQ(root["command"], "gpu-platform");
  EXPECT_EQ(root["description"], "Schedules GPUs");
  ASSERT_EQ(root["subcommands"].size(), 1u) << "hidden ones are left out";
  EXPECT_EQ(root["subcommands"][0]["command"], "gpu-platform run");
}

TEST_F(CommandTreeTest, OptionsHaveAllThatTheHelpSays) {
  const Json root = CommandDocument(app_, "gpu-platform");
  const Json run = root["subcommands"][0];
  EXPECT_EQ(OptionOf(root, "--server"), Json({{"names", "--server"},
                                              {"value", "PLACE"},
                                              {"required", false},
                                              {"positional", false},
                                              {"default", ""},
                                              {"environment", "GPU_PLATFORM_SERVER"},
                                              {"description", "Where it is"}}));
  EXPECT_EQ(OptionOf(run, "-n, --nodes")["default"], "4");
  EXPECT_EQ(OptionOf(run, "--wait")["value"], "") << "a flag takes none";
  EXPECT_EQ(OptionOf(run, "command")["positional"], true);
  EXPECT_EQ(OptionOf(run, "command")["required"], true);
}

TEST_F(CommandTreeTest, HelpAndHiddenOptionsAreLeftOut) {
  const Json run = CommandDocument(app_, "gpu-platform")["subcommands"][0];
  EXPECT_EQ(run["options"].size(), 3u);
  EXPECT_TRUE(OptionOf(run, "--old").is_null());
  EXPECT_TRUE(OptionOf(run, "-h, --help").is_null());
}

}  // namespace
}  // namespace gp
