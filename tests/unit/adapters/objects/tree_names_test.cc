#include "adapters/outbound/objects/tree_names.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

ObjectTree Tree(const std::vector<std::string>& names, int64_t size = 1) {
  ObjectTree tree;
  for (const std::string& name : names) {
    ObjectEntry entry;
    entry.key = "set/" + name;
    entry.name_at = 4;
    entry.size = size;
    tree.entries.push_back(entry);
  }
  return tree;
}

TEST(TreeNames, UsualNamesAreTaken) {
  EXPECT_TRUE(
      CheckNames(Tree({"a", "a.b", "a-b/c", "ab/c", "ab/d/e", "..a", "a..", "...", "n\xc3\xa4"})));
  EXPECT_TRUE(CheckNames(Tree({})));
}

TEST(TreeNames, OthersAreRefusedByName) {
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{"../x"},
                                             {"a/../b"},
                                             {"."},
                                             {"/a"},
                                             {""},
                                             {"a/"},
                                             {"a//b"},
                                             {"a\nb"},
                                             {"a\x7f"},
                                             {"a\xff"},
                                             {std::string("a\0b", 3)},
                                             {std::string(256, 'x')},
                                             {"a", "b", "a"},
                                             {"a", "a.b", "a/b"},
                                             {"a/b/c/d", "a-", "a/b"},
                                             {".gp-parts"},
                                             {".gp-parts/done"}}) {
    const Status checked = CheckNames(Tree(names));
    ASSERT_FALSE(checked) << names.front();
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(checked.error().message.starts_with("its object \"")) << checked.error().message;
  }
}

TEST(TreeNames, SizesHaveASum) {
  EXPECT_EQ(*BytesIn(Tree({"a", "b"}, 21)), 42);
  EXPECT_FALSE(BytesIn(Tree({"a", "b"}, INT64_MAX)));
  EXPECT_FALSE(BytesIn(Tree({"a"}, -1)));
}

TEST(TreeNames, PatternsChoose) {
  EXPECT_TRUE(IsIncluded("a/b.bin", {}));
  EXPECT_TRUE(IsIncluded("a/b.bin", {"x", "*.bin"}));
  EXPECT_TRUE(IsIncluded("train/a/b", {"train/*"}));
  EXPECT_FALSE(IsIncluded("test/a", {"train/*"}));
}

}  // namespace
}  // namespace gp
