// How problems look to users.

#include <gtest/gtest.h>

#include "adapters/inbound/job_file/job_file.h"
#include "lib/yaml/diagnostic.h"

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

TEST(Diagnostic, TerminalsAreSafe) {
  const std::string text = Rendered("run: \x1b[2J\x9b\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x9b'), std::string::npos);
}

}  // namespace
}  // namespace gp
