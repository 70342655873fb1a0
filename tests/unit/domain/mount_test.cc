#include "domain/model/jobs/mount.h"

#include <gmock/gmock.h>

namespace gp {
namespace {

using ::testing::HasSubstr;

TEST(Mount, HasATextForm) {
  const std::pair<const char*, Mount> cases[] = {{"/data", {"/data", "/data", false}},
                                                 {"/data:ro", {"/data", "/data", true}},
                                                 {"/data:/d", {"/data", "/d", false}},
                                                 {"/data:/d:ro", {"/data", "/d", true}}};
  for (const auto& [text, mount] : cases) {
    EXPECT_EQ(MountFromText(text).value(), mount) << text;
    EXPECT_EQ(ToText(mount), text);
  }
  EXPECT_EQ(MountFromText("/data:/d:rw").value(), (Mount{"/data", "/d", false}));
}

TEST(Mount, OfAnotherFormIsRefused) {
  for (const char* text : {"ro", "/a:/b:/c", "/a:/b:ro:ro", ":rw:/a:/b"}) {
    const auto mount = MountFromText(text);
    ASSERT_FALSE(mount.has_value()) << text;
    EXPECT_THAT(mount.error().message, HasSubstr("FROM:TO:ro")) << text;
  }
}

TEST(Mount, WithAnImpossiblePlaceNamesIt) {
  EXPECT_EQ(MountFault({"/a", "/b", true}), std::nullopt);
  EXPECT_THAT(MountFault({"/a", "/sys/fs", true}).value(), HasSubstr("/a:/sys/fs:ro"));
  EXPECT_THAT(MountFault({"/a", "b"}).value(), HasSubstr("not an absolute path"));
  EXPECT_THAT(MountFault({"/a", ""}).value(), HasSubstr("not an absolute path"));
}

}  // namespace
}  // namespace gp
