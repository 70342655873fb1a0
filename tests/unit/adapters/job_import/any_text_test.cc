// Whatever stands in a script or a document: what comes of it is well-formed.

#include <gtest/gtest.h>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_import/kubernetes/import_kubernetes.h"
#include "adapters/inbound/job_import/slurm/import_sbatch.h"
#include "base/rng.h"
#include "tests/unit/adapters/job_import/imported.h"

namespace gp {
namespace {

constexpr int kTexts = 20'000;

template <typename T, size_t N>
const T& OneOf(Rng& rng, const T (&all)[N]) {
  return all[rng.Below(N)];
}

// A value may be too great for a job of ours, and a name not one of ours; no value becomes a key, a
// comment or another line.
void ExpectWellFormed(const ImportedJob& imported) {
  for (const Diagnostic& one : DecodeJobFile("train", imported.text).diagnostics) {
    for (const FileCode code :
         {FileCode::kNotYaml, FileCode::kYamlFeature, FileCode::kDuplicateKey,
          FileCode::kUnknownKey, FileCode::kMissingKey, JobFileCode::kBadScriptHeader}) {
      ASSERT_NE(one.code, CodeText(code)) << one.message << "\n" << imported.text;
    }
  }
}

TEST(ImportSbatch, OfAnyDirectivesMakesAWellFormedScript) {
  const char* const kOptions[] = {"-N",
                                  "--nodes=",
                                  "--gpus=",
                                  "-G",
                                  "--gres=gpu:",
                                  "--time=",
                                  "-t",
                                  "--mem=",
                                  "--array=",
                                  "-a",
                                  "--export=",
                                  "-J",
                                  "--job-name=",
                                  "-A",
                                  "-D",
                                  "--signal=",
                                  "--qos=",
                                  "--cpus-per-task=",
                                  "-c",
                                  "-n",
                                  "--ntasks-per-node=",
                                  "--mem-per-gpu=",
                                  "--reservation=",
                                  "--x="};
  const char* const kValues[] = {"1",       "2",       "0",    "-1",          "4-8",
                                 "h100:8",  "1:30",    "1-00", "\"a b\"",     "'x: y'",
                                 "#",       "a=b,c",   "%j",   "/data/{x}",   "ALL,A='- [b'",
                                 "USR1@60", "10:USR1", "high", "99999999999", "\\",
                                 "\"",      "true",    "[",    "\t",          ""};
  Rng rng(7);
  for (int i = 0; i < kTexts; ++i) {
    std::string text = "#!/bin/bash\n#SBATCH --no-requeue";
    for (uint64_t words = rng.Below(6); words > 0; --words)
      text += std::string((rng.Below(2) == 0 ? " " : "\n#SBATCH ")) + OneOf(rng, kOptions) +
              (rng.Below(2) == 0 ? "" : " ") + OneOf(rng, kValues);
    const auto one = ImportSbatch("train.sbatch", text + "\necho $SLURM_JOB_ID\n");
    const bool is_array_refused = !one && one.error().message.find("array") != std::string::npos;
    ASSERT_TRUE(one.has_value() || is_array_refused) << one.error().message;
    if (one) ExpectWellFormed(*one);
  }
}

TEST(ImportKubernetes, OfAnyDocumentMakesWellFormedJobFiles) {
  const std::string job =
      "kind: Job\nmetadata: {name: a, labels: {b: c}}\nspec:\n  completions: 2\n  parallelism: 2\n "
      " template:\n    spec:\n      containers:\n      - command: [sh, -c, \"x y\"]\n        "
      "env:\n        - {name: A, value: b}\n        resources: {limits: {nvidia.com/gpu: 8, cpu: "
      "1, memory: 1Gi}}\n";
  constexpr char kBytes[] = "a1:,[]{}\"'\n -#&*!|>%@`\\";
  Rng rng(8);
  int imported = 0;
  for (int i = 0; i < kTexts; ++i) {
    std::string text = job;
    for (uint64_t changes = 1 + rng.Below(3); changes > 0; --changes)
      text[rng.Below(text.size())] = kBytes[rng.Below(sizeof kBytes - 1)];
    const auto one = ImportKubernetes("job.yaml", text);
    if (!one) continue;
    ++imported;
    ExpectWellFormed(*one);
  }
  EXPECT_GT(imported, kTexts / 10);
}

}  // namespace
}  // namespace gp
