// The files written from the tables are what the tables say.

#include <gtest/gtest.h>

#include <set>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/job_file.h"
#include "adapters/inbound/job_file/reference.h"
#include "adapters/inbound/job_file/schema.h"
#include "tests/support/written_file.h"

namespace gp {
namespace {

TEST(Documents, AreUpToDate) {
  ExpectWritten("data/schema/job.v1.json", JobFileSchema());
  ExpectWritten("docs/reference/job_file.md", JobFileReference());
  ExpectWritten("docs/reference/error_codes.md", ErrorCodeReference());
}

void ExpectWellFormed(std::span<const Field> fields, const std::string& path) {
  std::set<std::string_view> names;
  for (const Field& field : fields) {
    const std::string below = path + "." + std::string(field.name);
    EXPECT_TRUE(names.insert(field.name).second) << below << " stands twice";
    EXPECT_FALSE(field.summary.empty()) << below;
    EXPECT_TRUE(field.summary.ends_with('.')) << below;
    const bool is_set = field.set != nullptr;
    const bool needs_set = field.kind != FieldKind::kObject &&
                           field.kind != FieldKind::kAlternatives &&
                           field.kind != FieldKind::kNotYet;
    EXPECT_EQ(is_set, needs_set) << below;
    ExpectWellFormed(field.Below(), below);
  }
}

TEST(Documents, EveryFieldIsWhole) { ExpectWellFormed(JobFields(), "job"); }

// Each example in the table is one that the decoder takes.
void ExpectExamplesDecode(std::span<const Field> fields, const std::string& path) {
  for (const Field& field : fields) {
    const std::string below = path + (path.empty() ? "" : ".") + std::string(field.name);
    if (!field.example.empty()) {
      std::vector<std::pair<std::string, std::string>> overrides{
          {below, std::string(field.example)}};
      if (field.name == "max_parallel") overrides.emplace_back("array.count", "100");
      if (below == "checkpoint.keep" || below == "checkpoint.best")
        overrides.emplace_back("checkpoint.dir", "/c");
      if (below == "checkpoint.best") overrides.emplace_back("checkpoint.keep", "1");
      if (below == "checkpoint.every") overrides.emplace_back("checkpoint.signal", "SIGUSR1");
      if (below == "checkpoint.credentials") {
        overrides.emplace_back("checkpoint.dir", "/c");
        overrides.emplace_back("checkpoint.copy_to", "s3://ckpt/d");
      }
      if (below == "mounts") overrides.emplace_back("image", "dir:/i");
      if (below == "image_credentials") overrides.emplace_back("image", "registry.lab/i");
      if (below == "notify.on") overrides.emplace_back("notify.to", "me");
      if (field.name == "isolation") overrides.emplace_back("resources.gpus.share", "0.5");
      const bool stages = below == "stage_only";
      if (stages) overrides.emplace_back("image", "registry.lab/i");
      const DecodedJobs decoded =
          DecodeJobFile("a.yaml", stages ? "name: x" : "run: x",
                        {.overrides = overrides, .environment = {{"HF_TOKEN", "x"}}});
      const std::string text(field.example);
      if (text.find("${") == std::string::npos) {
        EXPECT_EQ(RenderDiagnostics(decoded.diagnostics), "") << below;
      }
    }
    // Keys of a list's maps have no path; the list's own example shows some.
    if (field.kind != FieldKind::kAlternatives && field.kind != FieldKind::kObjects)
      ExpectExamplesDecode(field.Below(), below);
  }
}

TEST(Documents, ExamplesInTheTablesDecode) { ExpectExamplesDecode(JobFields(), ""); }

TEST(Documents, TheIntroductionsExampleDecodes) {
  const std::string text = JobFileReference();
  const size_t begin = text.find("```yaml\n") + 8;
  const std::string example = text.substr(begin, text.find("```", begin) - begin);
  const DecodedJobs decoded =
      DecodeJobFile("a.yaml", example, {.environment = {{"HF_TOKEN", "x"}}});
  EXPECT_EQ(RenderDiagnostics(decoded.diagnostics), "");
}

TEST(Documents, EveryCodeIsExplained) {
  int number = 1001;
  for (const CodeEntry& entry : JobFileCodes()) {
    EXPECT_EQ(static_cast<int>(entry.code), number++) << "codes are listed without gaps";
    EXPECT_TRUE(ExplainCode(CodeText(entry.code)).has_value());
  }
  EXPECT_NE(ExplainCode("gp1007")->find("GP1007"), std::string::npos);
  EXPECT_FALSE(ExplainCode("GP9999").has_value());
  EXPECT_FALSE(ExplainCode("").has_value());
}

TEST(Documents, FieldsAreExplainedByTheirPath) {
  EXPECT_NE(ExplainField("job.resources.gpus.share")->find("0.5"), std::string::npos);
  EXPECT_NE(ExplainField("resources.gpus")->find("memory_min"), std::string::npos);
  EXPECT_NE(ExplainField("job")->find("time_limit"), std::string::npos);
  EXPECT_FALSE(ExplainField("job.resources.gpuz").has_value());
  EXPECT_FALSE(ExplainField("").has_value());
}

TEST(Documents, ExamplesForUsersDecode) {
  for (const std::string_view path :
       {"examples/single-gpu.gpu.yaml", "examples/gang-4.gpu.yaml",
        "examples/two-node-gang.gpu.yaml", "examples/sweep.gpu.yaml", "examples/tasks.gpu.yaml"}) {
    const std::string text = Contents(PathInSource(path));
    ASSERT_FALSE(text.empty()) << path;
    EXPECT_EQ(RenderDiagnostics(DecodeJobFile(path, text).diagnostics), "");
  }
}

}  // namespace
}  // namespace gp
