#include "adapters/outbound/objects/manifest.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

Manifest Example() {
  return {"s3://data/set",
          "v1",
          {{"a", 1, "e1", std::string(64, 'a'), true}, {"b/\"c\"", 0, "", std::string(64, 'b')}}};
}

TEST(Manifest, IsReadAsItWasWritten) {
  const auto read = ReadManifest(ManifestText(Example()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, Example());
}

TEST(Manifest, AnIncompleteOneIsNone) {
  const std::string text = ManifestText(Example());
  for (size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_FALSE(ReadManifest(text.substr(0, size))) << size;
}

TEST(Manifest, TheDigestDependsOnContentAlone) {
  Manifest other = Example();
  other.url = "file:///x";
  other.version = other.files[0].version = "v2";
  EXPECT_EQ(TreeDigest(other), TreeDigest(Example()));
  other.files[0].sha256[0] = 'b';
  EXPECT_NE(TreeDigest(other), TreeDigest(Example()));
}

}  // namespace
}  // namespace gp
