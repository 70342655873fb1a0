#include "lib/yaml/source_text.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(SourceText, ColumnsCountCharacters) {
  const SourceText source{"a", "αβγ x\n", false};
  const Place place = PlaceAt(source, std::string_view("αβγ ").size());
  EXPECT_EQ(place.column, 5);
  EXPECT_EQ(Excerpt(place), "   1 | αβγ x\n     |     ^");
}

TEST(SourceText, LongLinesAreCutAroundTheCaret) {
  const SourceText source{"a", std::string(500, 'x') + "HERE" + std::string(500, 'y'), false};
  const std::string excerpt = Excerpt(PlaceAt(source, 500, 4));
  EXPECT_LT(excerpt.size(), 250u);
  const size_t caret = excerpt.find('^');
  const size_t second_line = excerpt.find('\n') + 1;
  const std::string cut = "…";  // three bytes, one column
  EXPECT_EQ(excerpt.find("HERE") - (cut.size() - 1), caret - second_line);
  EXPECT_EQ(excerpt.substr(caret), "^^^^");
}

TEST(SourceText, APlaceBehindTheTextHasACaret) {
  const SourceText source{"a", "x", false};
  EXPECT_EQ(Excerpt({&source, 1, 2, 5}), "   1 | x\n     |  ^");
  EXPECT_EQ(Excerpt({&source, 9, 1, 1}), "   9 | \n     | ^");
}

}  // namespace
}  // namespace gp
