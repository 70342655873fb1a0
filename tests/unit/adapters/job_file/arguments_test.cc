// What stands behind `jobs submit FILE --`.

#include <gtest/gtest.h>

#include "adapters/inbound/job_file/job_file.h"

namespace gp {
namespace {

using Texts = std::vector<std::string>;

DecodedJobs With(const Texts& arguments, const std::string& text) { return DecodeJobFile("train.sh", text, {.arguments = arguments}); }

Texts CommandOf(const Texts& arguments, const std::string& text) {
  const DecodedJobs decoded = With(arguments, text);
  EXPECT_FALSE(decoded.jobs.empty()) << RenderDiagnostics(decoded.diagnostics);
  return decoded.jobs.empty() ? Texts() : decoded.jobs.front().command;
}

TEST(Arguments, AreThoseOfAScript) {
  const std::string script = "#!/bin/bash -l\n#GPU name: t\necho $1\n";
  EXPECT_EQ(CommandOf({"a b", "--lr=1"}, script), (Texts{"/bin/bash", "-l", "-c", script, "t", "a b", "--lr=1"})) << "$0 is the job's name";
  const std::string python = "#!/usr/bin/env python3\n#GPU name: t\nimport sys\n";
  EXPECT_EQ(CommandOf({"x"}, python), (Texts{"/usr/bin/env", "python3", "-c", python, "x"})) << "sys.argv[1]";
}

TEST(Arguments, AreThoseOfWhatRuns) {
  EXPECT_EQ(CommandOf({"x"}, "name: t\nrun: echo $1\n"), (Texts{"/bin/sh", "-c", "echo $1", "t", "x"}));
  EXPECT_EQ(CommandOf({"--lr", "1"}, "run: [python, train.py]\n"), (Texts{"python", "train.py", "--lr", "1"}));
  EXPECT_EQ(CommandOf({"x"}, "name: t\nrun: [bash, \"-ec\", \"echo $1\"]\n"), (Texts{"bash", "-ec", "echo $1", "t", "x"}));
  EXPECT_EQ(CommandOf({"x"}, "run: [bash, \"-c\", \"echo $1\", zero]\n"), (Texts{"bash", "-c", "echo $1", "zero", "x"}));
  EXPECT_EQ(CommandOf({"x"}, "run: [bash, train.sh, \"-c\", conf]\n"), (Texts{"bash", "train.sh", "-c", "conf", "x"}));
  EXPECT_EQ(CommandOf({}, "run: [a]\n"), Texts{"a"});
  const DecodedJobs two = With({"x"}, "run: [a]\n---\nrun: [b]\n");
  ASSERT_EQ(two.jobs.size(), 2u);
  EXPECT_EQ(two.jobs[1].command, (Texts{"b", "x"}));
}

TEST(Arguments, AreJudgedLikeThoseOfTheFile) {
  const DecodedJobs decoded = With({std::string(200'000, 'x')}, "run: [a]\n");
  EXPECT_TRUE(decoded.jobs.empty());
  ASSERT_EQ(decoded.diagnostics.size(), 1u);
  EXPECT_TRUE(decoded.diagnostics.front().message.starts_with("with the arguments behind --: run is 200000 bytes long")) << decoded.diagnostics.front().message;
}

}  // namespace
}  // namespace gp
