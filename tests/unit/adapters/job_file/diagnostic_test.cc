// How problems look to users.

#include "lib/yaml/diagnostic.h"

#include <gtest/gtest.h>

#include "adapters/inbound/job_file/job_file.h"

namespace gp {
namespace {

std::string Rendered(std::string_view text, const JobFileOptions& options = {}) {
  return RenderDiagnostics(DecodeJobFile("bad.gpu.yaml", text, options).diagnostics);
}

TEST(Diagnostic, ReadsLikeACompilersError) {
  EXPECT_EQ(Rendered("run: x\nresources:\n  gpuz: 8\n"),
            "bad.gpu.yaml:3:3: error GP1007: unknown key \"gpuz\" under resources — did you mean "
            "\"gpus\"?\n"
            "   3 |   gpuz: 8\n"
            "     |   ^^^^\n"
            "1 problem, nothing submitted.  (gpu-platform explain error GP1007)\n");
}

TEST(Diagnostic, NothingForNoProblems) { EXPECT_EQ(RenderDiagnostics({}), ""); }

TEST(Diagnostic, CountsProblems) {
  const std::string text = Rendered("run: x\nnodes: 0\npriority: 2000\n");
  EXPECT_NE(text.find("\n2 problems, nothing submitted."), std::string::npos) << text;
}

TEST(Diagnostic, PointsIntoOptions) {
  EXPECT_EQ(Rendered("run: x\n", {.overrides = {{"resources.cpus", "x"}}}),
            "--set: error GP1010: resources.cpus: \"x\" is not a whole number\n"
            "     | resources.cpus=x\n"
            "     |                ^\n"
            "1 problem, nothing submitted.  (gpu-platform explain error GP1010)\n");
}

TEST(Diagnostic, DoesNotShowTheValuesOfVariables) {
  const std::string text = Rendered("run: x\n", {.environment = {{"A-B", "s3cret"}}});
  EXPECT_NE(text.find("A-B=…"), std::string::npos) << text;
  EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
}

TEST(Diagnostic, ColumnsCountCharacters) {
  const SourceText source{"a", "αβγ x\n", false};
  const Place place = PlaceAt(source, std::string_view("αβγ ").size());
  EXPECT_EQ(place.column, 5);
  EXPECT_EQ(Excerpt(place), "   1 | αβγ x\n     |     ^");
}

TEST(Diagnostic, LongLinesAreCutAroundTheCaret) {
  const SourceText source{"a", std::string(500, 'x') + "HERE" + std::string(500, 'y'), false};
  const std::string excerpt = Excerpt(PlaceAt(source, 500, 4));
  EXPECT_LT(excerpt.size(), 250u);
  const size_t caret = excerpt.find('^');
  const size_t second_line = excerpt.find('\n') + 1;
  const std::string cut = "…";  // three bytes, one column
  EXPECT_EQ(excerpt.find("HERE") - (cut.size() - 1), caret - second_line);
  EXPECT_EQ(excerpt.substr(caret), "^^^^");
}

TEST(Diagnostic, TerminalsAreSafe) {
  const std::string text = Rendered("run: \x1b[2J\x9b\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x9b'), std::string::npos);
}

TEST(Diagnostic, APlaceBehindTheTextHasACaret) {
  const SourceText source{"a", "x", false};
  EXPECT_EQ(Excerpt({&source, 1, 2, 5}), "   1 | x\n     |  ^");
  EXPECT_EQ(Excerpt({&source, 9, 1, 1}), "   9 | \n     | ^");
}

}  // namespace
}  // namespace gp
