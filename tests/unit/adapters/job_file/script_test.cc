// Scripts that carry their job file in #GPU lines.

#include "tests/unit/adapters/job_file/bad_input.h"

namespace gp {
namespace {

JobSpec DecodedScript(std::string_view text, std::string_view file_name = "train.sh") {
  DecodedJobs decoded = DecodeJobFile(file_name, text);
  EXPECT_EQ(RenderDiagnostics(decoded.diagnostics), "");
  return decoded.jobs.empty() ? JobSpec{} : decoded.jobs[0];
}

TEST(Script, HeaderAndBody) {
  constexpr std::string_view kScript =
      "#!/bin/bash -e\n"
      "# Fine-tunes — with ümläuts.\n"
      "#GPU nodes: 2\n"
      "#GPU resources:\n"
      "#GPU   gpus: H100:8\n"
      "\n"
      "#GPU time_limit: 1h   # at most\n"
      "torchrun train.py  # x: y\n";
  const JobSpec job = DecodedScript(kScript);
  EXPECT_EQ(job.name, "train");
  EXPECT_EQ(job.resources.nodes, 2);
  EXPECT_EQ(job.resources.gpus.count, 8);
  EXPECT_EQ(job.policy.time_limit, Duration::Minutes(60));
  EXPECT_EQ(job.program.command,
            (std::vector<std::string>{"/bin/bash", "-e", "-c", std::string(kScript)}));
}

TEST(Script, WithoutHeader) {
  EXPECT_EQ(DecodedScript("#!/bin/sh\necho hi\n").program.command[0], "/bin/sh");
  EXPECT_EQ(DecodedScript("#!/usr/bin/env python3\nprint(1)\n", "a.py").program.command,
            (std::vector<std::string>{"/usr/bin/env", "python3", "-c",
                                      "#!/usr/bin/env python3\nprint(1)\n"}));
}

TEST(Script, WithoutInterpreterIsForTheShell) {
  EXPECT_EQ(DecodedScript("#GPU nodes: 2\necho hi\n").program.command,
            (std::vector<std::string>{"/bin/sh", "-c", "#GPU nodes: 2\necho hi\n"}));
}

TEST(Script, ACommentInAYamlFileIsNoHeader) {
  EXPECT_EQ(DecodedScript("#GPU job of the team\nrun: x\n", "a.gpu.yaml").program.command[2], "x");
}

constexpr BadInput kBad[] = {
    {"#!/bin/sh\n#GPU resources:\n#GPU   »gpuz: 8\necho\n", "GP1007", "did you mean \"gpus\"?"},
    {"#!/bin/sh\n# é\n#GPU nodes: »x\necho\n", "GP1010", "not a whole number"},
    {"#!/bin/sh\n#GPU nodes: 2\necho\n»#GPU name: x\n", "GP1019", "move it up"},
    {"#!/bin/sh\n»#GPUnodes: 2\n", "GP1019", "space after #GPU"},
    {"#!/bin/sh\n»#GPU\tnodes: 2\n", "GP1019", "space after #GPU"},
    {"#!/bin/sh\n#GPU »run: x\n", "GP1019", "remove run"},
    {"#!/bin/sh\n#GPU »- x\n", "GP1009", "not a list"},
    {"#!/bin/sh\n#GPU nodes: 2\n#GPU »nodes: 3\n", "GP1006", "line 2"},
    {"#!/bin/sh\n»#SBATCH --nodes=2\necho\n", "GP1019", "#SBATCH"},
    {"»#!/usr/bin/perl\nprint 1;\n", "GP1019", "interpreter"},
    {"»#!\necho\n", "GP1019", "interpreter"},
    {"»#!/usr/bin/env\necho\n", "GP1019", "interpreter"},
    {"»#!/usr/bin/python3.11\n", "GP1019", "interpreter"},
};

TEST(Script, BadHeaders) {
  for (const BadInput& row : kBad) ExpectRefused(row, "train.sh");
}

TEST(Script, BothHeadersMayStandSideBySide) {
  EXPECT_EQ(DecodedScript("#!/bin/sh\n#SBATCH -N 2\n#GPU nodes: 2\necho\n").resources.nodes, 2);
}

TEST(Script, TooLongForOneArgument) {
  const std::string text = "»#!/bin/sh\n" + std::string(140'000, '#') + "\n";
  ExpectRefused({text, "GP1014", "put it in a file"}, "train.sh");
}

using Arguments = std::vector<std::string>;

// What stands behind `jobs submit FILE --`.
DecodedJobs With(const Arguments& arguments, const std::string& text) {
  return DecodeJobFile("train.sh", text, {.arguments = arguments});
}

Arguments CommandOf(const Arguments& arguments, const std::string& text) {
  const DecodedJobs decoded = With(arguments, text);
  EXPECT_FALSE(decoded.jobs.empty()) << RenderDiagnostics(decoded.diagnostics);
  return decoded.jobs.empty() ? Arguments() : decoded.jobs.front().program.command;
}

TEST(FurtherArguments, AreThoseOfAScript) {
  const std::string script = "#!/bin/bash -l\n#GPU name: t\necho $1\n";
  EXPECT_EQ(CommandOf({"a b", "--lr=1"}, script),
            (Arguments{"/bin/bash", "-l", "-c", script, "t", "a b", "--lr=1"}))
      << "$0 is the job's name";
  const std::string python = "#!/usr/bin/env python3\n#GPU name: t\nimport sys\n";
  EXPECT_EQ(CommandOf({"x"}, python), (Arguments{"/usr/bin/env", "python3", "-c", python, "x"}))
      << "sys.argv[1]";
}

TEST(FurtherArguments, AreThoseOfWhatRuns) {
  EXPECT_EQ(CommandOf({"x"}, "name: t\nrun: echo $1\n"),
            (Arguments{"/bin/sh", "-c", "echo $1", "t", "x"}));
  EXPECT_EQ(CommandOf({"--lr", "1"}, "run: [python, train.py]\n"),
            (Arguments{"python", "train.py", "--lr", "1"}));
  EXPECT_EQ(CommandOf({"x"}, "name: t\nrun: [bash, \"-ec\", \"echo $1\"]\n"),
            (Arguments{"bash", "-ec", "echo $1", "t", "x"}));
  EXPECT_EQ(CommandOf({"x"}, "run: [bash, \"-c\", \"echo $1\", zero]\n"),
            (Arguments{"bash", "-c", "echo $1", "zero", "x"}));
  EXPECT_EQ(CommandOf({"x"}, "run: [bash, train.sh, \"-c\", conf]\n"),
            (Arguments{"bash", "train.sh", "-c", "conf", "x"}));
  EXPECT_EQ(CommandOf({}, "run: [a]\n"), Arguments{"a"});
  const DecodedJobs two = With({"x"}, "run: [a]\n---\nrun: [b]\n");
  ASSERT_EQ(two.jobs.size(), 2u);
  EXPECT_EQ(two.jobs[1].program.command, (Arguments{"b", "x"}));
}

TEST(FurtherArguments, AreJudgedLikeThoseOfTheFile) {
  const DecodedJobs decoded = With({std::string(200'000, 'x')}, "run: [a]\n");
  EXPECT_TRUE(decoded.jobs.empty());
  ASSERT_EQ(decoded.diagnostics.size(), 1u);
  EXPECT_TRUE(decoded.diagnostics.front().message.starts_with(
      "with the arguments behind --: run is 200000 bytes long"))
      << decoded.diagnostics.front().message;
}

}  // namespace
}  // namespace gp
