#include "adapters/outbound/process/feature_trial.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FeatureTrial, TellsWhatThisHostOffersAndLeavesNothing) {
  const Scratch directory;
  std::filesystem::create_directory(directory.path() + "/bin");
  const auto tried = TryFeatures(directory.path() + "/bin", directory.path());
  ASSERT_TRUE(tried.has_value()) << tried.error().message;
  std::vector<std::string> names;
  for (const auto& [name, missing] : *tried) {
    names.push_back(name);
    if (geteuid() == 0 && std::getenv("CI") != nullptr) {
      EXPECT_EQ(missing, "") << name;
    }
  }
  EXPECT_THAT(names, ElementsAre("data", "image-layers", "image-pull", "images", "launchers",
                                 "network-none", "squashfs", "stage-only"));
  const auto count = std::distance(std::filesystem::directory_iterator(directory.path()), {});
  EXPECT_EQ(count, 1) << "bin, with the supervisor";
}

TEST(FeatureTrial, NamesWhatIsMissing) {
  const Scratch directory;
  const auto tried = TryFeatures(directory.path(), "/no/such/directory");
  ASSERT_TRUE(tried.has_value()) << tried.error().message;
  EXPECT_THAT(tried->front().missing, HasSubstr("cannot make a directory in /no/such/directory"));
  EXPECT_FALSE(TryFeatures("/no/such/directory", directory.path()).has_value());
}

}  // namespace
}  // namespace gp
