#include "lib/yaml/merge.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

// The text as a tree; the source must outlive it.
YamlNode Parsed(const SourceText& source) {
  Report report;
  std::vector<YamlNode> documents = ReadYaml(source, source.text, report);
  EXPECT_TRUE(report.empty()) << RenderDiagnostics(report.Take());
  return documents.empty() ? YamlNode() : documents[0];
}

std::string TextAt(const YamlNode& root, std::string_view path) {
  const YamlNode* node = FindPath(root, path);
  return node == nullptr ? "(none)" : node->text;
}

class Merge : public testing::Test {
 protected:
  void Put(const std::string& below, const std::string& above) {
    below_ = {"below.yaml", below};
    above_ = {"above.yaml", above};
    root_ = Parsed(below_);
    MergeOver(root_, Parsed(above_));
  }
  SourceText below_, above_;
  YamlNode root_;
};

TEST_F(Merge, MapsMergeKeyByKeyAtEveryDepth) {
  Put("a: {b: {c: 1, d: 2}, e: 3}\nf: 4\n", "a: {b: {d: 20, x: 21}}\ng: 5\n");
  EXPECT_EQ(TextAt(root_, "a.b.c"), "1");
  EXPECT_EQ(TextAt(root_, "a.b.d"), "20");
  EXPECT_EQ(TextAt(root_, "a.b.x"), "21");
  EXPECT_EQ(TextAt(root_, "a.e"), "3");
  EXPECT_EQ(TextAt(root_, "f"), "4");
  EXPECT_EQ(TextAt(root_, "g"), "5");
}

TEST_F(Merge, AValueTellsItsOrigin) {
  Put("a: 1\nb: 2\n", "\n\nb: 3\n");
  EXPECT_EQ(FindPath(root_, "a")->place.source->name, "below.yaml");
  EXPECT_EQ(FindPath(root_, "b")->place.source->name, "above.yaml");
  EXPECT_EQ(FindPath(root_, "b")->place.line, 3);
}

TEST_F(Merge, OtherValuesReplaceWhatIsBelow) {
  Put("list: [1, 2, 3]\nmap: {a: 1}\nscalar: 1\n", "list: [4]\nmap: off\nscalar: {b: 2}\n");
  EXPECT_EQ(FindPath(root_, "list")->items.size(), 1U);
  EXPECT_EQ(TextAt(root_, "map"), "off");
  EXPECT_EQ(TextAt(root_, "scalar.b"), "2");
}

TEST_F(Merge, AnEmptyMapAboveChangesNothing) {
  Put("a: {b: 1}\nc: 2\n", "a:\nc:\n");
  EXPECT_EQ(TextAt(root_, "a.b"), "1");
  EXPECT_EQ(FindPath(root_, "c")->kind, YamlNode::Kind::kNull) << "a value is replaced by nothing";
}

TEST_F(Merge, PathsAreMadeAndFound) {
  YamlNode root;
  SetPath(root, "a.b", {.kind = YamlNode::Kind::kPlain, .text = "1"});
  SetPath(root, "a.c", {.kind = YamlNode::Kind::kPlain, .text = "2"});
  SetPath(root, "a.b", {.kind = YamlNode::Kind::kPlain, .text = "3"});
  EXPECT_EQ(TextAt(root, "a.b"), "3");
  EXPECT_EQ(TextAt(root, "a.c"), "2");
  EXPECT_EQ(TextAt(root, "a.b.c"), "(none)");
  EXPECT_EQ(TextAt(root, "x"), "(none)");
  EXPECT_EQ(FindPath(root, ""), &root);
}

}  // namespace
}  // namespace gp
