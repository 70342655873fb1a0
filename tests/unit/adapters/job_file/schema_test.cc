// The JSON Schema and the decoder judge the same: each field with each of many values is put before
// both.  The schema's judge is python3-jsonschema, run once over the whole corpus.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/job_file.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kValues = R"([
  null, true, false, 0, 1, -1, 2, 8, 64, 65, 1000, 1001, 4096, 4097, 0.5, 1.5, 2.0, 1e3, 0.001,
  0.0005, 0.125, 9223372036854775808, "", " ", "x", "8", "007", "H100:8", "H100:65", "H100:08",
  ":8",
  "RTX 6000:2", "H100", "a b", "high", "urgent", "HIGH", "12h", "1d12h", "12", "0.5h", "0s",
  "1.2345s",
  "1h 2m", "010s", "80GB", "80gb", "512MiB", "900", "1KB", "1B", "1.5TiB", "1.2345GB", "auto",
  "50%",
  "12.5%", "150%", "0%", "0.0%", "0.0", "0.000", "1.001", "99.9%", "0.05%", "100.0%", "0.5",
  "1.0", "0.0005", "1.5", "/a/b", "a/b", "/a/..",
  "/${JOB_NAME}", "/${X}", "none", "nvlink", "same_numa", "mig", "timeslice", "exclusive", "stop",
  "default", "gpu-platform/v1", "10s..5m", "5m..10s", "10s..", "..", "a\u0007b", "é", "true", "no",
  [], ["x"], [""], [1], [true, 0.5], ["failure"], ["failure", "failure"], ["fail"], ["gpu_error"],
  ["failure", "node_failure", "gpu_error", "preempted"], ["x", null], [["x"]], [{}], {}, {"a": "b"},
  {"A": null}, {"A": ["x"]}, {"A": {}}, {"a b": 1}, {"1": "x"}, {"a.b/c": "x"}, {"A": 1, "B": true},
  {"GP_X": 1}, {"count": 2}, {"count": 2, "share": 0.5}, {"count": 0, "share": 0.5}, {"gpuz": 1},
  {"dir": "/a"}, {"max": 3}, {"require": "nvlink"}, {"gpus": {"count": 2, "model": "H100"}},
  {"share": 0.5, "isolation": "mig"}, {"every": "15m"}
])";

void CollectPaths(std::span<const Field> fields, const std::string& path,
                  std::vector<std::string>& paths) {
  paths.push_back(path + "/xyzzy");
  for (const Field& field : fields) {
    paths.push_back(path + "/" + std::string(field.name));
    if (!field.Below().empty()) CollectPaths(field.Below(), std::string(paths.back()), paths);
  }
}

Json Verdict(const Json& document) {
  const DecodedJobs decoded = DecodeJobFile("a.json", document.dump());
  Json codes = Json::array();
  for (const Diagnostic& problem : decoded.diagnostics) codes.push_back(problem.code);
  return {{"document", document}, {"codes", codes}};
}

int WriteCorpus(const std::string& file_name) {
  std::vector<std::string> paths;
  CollectPaths(JobFields(), "", paths);
  std::ofstream file(file_name);
  int count = 0;
  for (const Json& value : Json::parse(kValues)) {
    file << Verdict(value).dump() << "\n";
    for (const std::string& path : paths) {
      Json document = {{"run", "x"}};
      document[Json::json_pointer(path)] = value;
      file << Verdict(document).dump() << "\n";
      ++count;
    }
  }
  return count;
}

TEST(Schema, JudgesAsTheDecoderDoes) {
  if (std::system("python3 -c 'import jsonschema' 2>/dev/null") != 0) {
    const char* ci = std::getenv("CI");
    ASSERT_TRUE(ci == nullptr || std::string_view(ci) != "true") << "CI needs python3-jsonschema";
    GTEST_SKIP() << "python3-jsonschema is not installed: the schema was not compared";
  }
  const std::string corpus = std::string(GP_BINARY_DIR) + "/schema_corpus.jsonl";
  EXPECT_GT(WriteCorpus(corpus), 4000);
  const std::string source = GP_SOURCE_DIR;
  const std::string command = "python3 " + source +
                              "/tests/unit/adapters/job_file/check_schema.py " + source +
                              "/data/schema/job.v1.json " + corpus;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace gp
