#include "adapters/inbound/job_import/sbatch.h"

#include <gtest/gtest.h>

#include "tests/unit/adapters/job_import/imported.h"

namespace gp {
namespace {

constexpr const char* kTrainScript = R"(#!/bin/bash
#SBATCH --job-name=llama-ft --account=nlp --qos=high
#SBATCH --nodes=2 --ntasks-per-node=1 --gpus-per-node=h100:8 --cpus-per-task=96 --mem=900G
#SBATCH --time=12:00:00 --requeue --signal=B:USR1@120   # before the end
#SBATCH -D /data/llama

torchrun --nnodes=$SLURM_NNODES train.py
)";

ImportedJob FromSbatch(const std::string& text) { return Sound(ImportSbatch("train.sbatch", text)); }

JobSpec JobOf(const std::string& directives) { return Decoded(FromSbatch("#!/bin/bash\n#SBATCH " + directives + "\ntrue\n")); }

Texts NotedOf(const std::string& directives, const std::string& body = "true") {
  return Noted(FromSbatch("#!/bin/bash\n#SBATCH " + directives + "\n" + body + "\n"));
}

TEST(ImportSbatch, AJobOfTwoNodes) {
  const ImportedJob imported = FromSbatch(kTrainScript);
  EXPECT_EQ(Noted(imported), (Texts{"3 --gpus-per-node=h100:8", "3 --nodes=2"})) << "the script runs on both; which GPUs are meant";
  EXPECT_EQ(imported.text, R"(#!/bin/bash
#GPU name: llama-ft
#GPU project: nlp
#GPU priority: high
#GPU checkpoint:
#GPU   signal: SIGUSR1
#GPU   grace: 2m
#GPU workdir: /data/llama
#GPU max_duration: 718m
#GPU nodes: 2
#GPU resources:
#GPU   gpus:
#GPU     model: H100
#GPU     count: 8
#GPU   cpus: 96
#GPU   memory: 900GiB
export SLURM_NNODES="$GP_NNODES"

torchrun --nnodes=$SLURM_NNODES train.py
)");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.gpus.count, 8);
}

TEST(ImportSbatch, WithoutGpusItAsksForNone) { EXPECT_EQ(JobOf("--time=10").gpus.count, 0); }

TEST(ImportSbatch, GpusAreCountedForEachNode) {
  EXPECT_EQ(JobOf("-N 2 -G 16").gpus.count, 8);
  EXPECT_EQ(JobOf("-N2 --gres=gpu:a100:4").gpus.count, 4);
  EXPECT_EQ(JobOf("--nodes 1 --ntasks-per-node=4 --gpus-per-task=1").gpus.count, 4);
  EXPECT_EQ(JobOf("--gres gpu").gpus.count, 1);
  EXPECT_EQ(NotedOf("--gpus=16"), Texts{"2 --gpus=16"}) << "how many nodes it meant nobody knows";
}

TEST(ImportSbatch, OptionsForGpusArePutTogetherAsSlurmDoes) {
  const JobSpec sixteen = JobOf("--gpus=16 --gpus-per-node=8");
  EXPECT_EQ(sixteen.nodes, 2);
  EXPECT_EQ(sixteen.gpus.count, 8);
  EXPECT_EQ(JobOf("--gpus=8 --gpus-per-task=1").gpus.count, 8);
  const JobSpec fewer = JobOf("-N 1 -n 4 --ntasks-per-node=8 --gpus-per-task=1 -c 4");
  EXPECT_EQ(fewer.gpus.count, 4);
  EXPECT_EQ(fewer.cpus, 16);
}

TEST(ImportSbatch, SaysWhatComesToSomethingElseOnNodes) {
  EXPECT_EQ(NotedOf("--gpus-per-node=8 --gres=gpu:4"), Texts{"2 --gres=gpu:4"});
  EXPECT_EQ(NotedOf("-N 3 --gpus=8"), (Texts{"2 -N 3", "2 --gpus=8"}));
  EXPECT_EQ(NotedOf("-N 1 --mem=10G --gpus-per-node=2 --mem-per-gpu=20G"), Texts{"2 --mem-per-gpu=20G"});
  EXPECT_EQ(NotedOf("-c 2 --cpus-per-gpu=8 --gpus-per-node=2"), Texts{"2 --cpus-per-gpu=8"});
  EXPECT_EQ(NotedOf("--cpus-per-gpu=2"), Texts{"2 --cpus-per-gpu=2"});
  EXPECT_EQ(NotedOf("-n 16 --gpus-per-task=1"), (Texts{"2 -n 16", "2 -n 16"})) << "all on one node, once";
}

TEST(ImportSbatch, ARangeOfNodesDividesNoTotals) {
  const JobSpec range = JobOf("-N 2-4 --gpus-per-node=8");
  EXPECT_EQ(range.nodes, 4);
  EXPECT_EQ(range.nodes_min, 2);
  EXPECT_EQ(JobOf("-N 2-4 --gpus=8").nodes_min, 0);
  EXPECT_EQ(NotedOf("-N 2-4 --gpus=8"), (Texts{"2 -N 2-4", "2 -N 2-4"}));
}

TEST(ImportSbatch, ModelsAreWrittenAsDriversDo) {
  EXPECT_EQ(JobOf("--gpus-per-node=nvidia_h100_80gb_hbm3:8").gpus.models, Texts{"H100"});
  const JobSpec slice = JobOf("--gres=gpu:2g.20gb:1");
  EXPECT_EQ(slice.gpus.isolation, Isolation::kMig);
  EXPECT_EQ(slice.gpus.memory_mib, 19'074);
}

TEST(ImportSbatch, GpusAreOneOfSeveralResources) {
  EXPECT_EQ(JobOf("--gres=gpu:8,nvme:1").gpus.count, 8);
  EXPECT_EQ(JobOf("--gres=nvme:1,gpu:8").gpus.count, 8);
  EXPECT_EQ(NotedOf("--gres=gpu:8,nvme:1"), Texts{"2 --gres=gpu:8,nvme:1"});
  EXPECT_EQ(JobOf("--gres=gpumem:20").gpus.count, 0);
  EXPECT_EQ(NotedOf("--gres=gpumem:20"), Texts{"2 --gres=gpumem:20"});
}

TEST(ImportSbatch, CoresAndMemoryAreCountedForEachNode) {
  const JobSpec by_gpu = JobOf("--gpus-per-node=4 --cpus-per-gpu=12 --mem-per-gpu=100G");
  EXPECT_EQ(by_gpu.cpus, 48);
  EXPECT_EQ(by_gpu.memory_bytes, int64_t{400} << 30);
  const JobSpec by_task = JobOf("-n 8 -N 2 -c 4 --mem-per-cpu=2000");
  EXPECT_EQ(by_task.cpus, 16);
  EXPECT_EQ(by_task.memory_bytes, int64_t{32'000} << 20);
}

TEST(ImportSbatch, SaysWhatItLeavesOut) {
  EXPECT_EQ(NotedOf("--partition=h100 --output=%x-%j.out --mail-type=END,FAIL"), (Texts{"2 --partition=h100", "2 --output=%x-%j.out", "2 --mail-type=END,FAIL"}));
  EXPECT_EQ(NotedOf("--frobnicate=3 -Z stray"), (Texts{"2 --frobnicate=3", "2 -Z", "2 stray"}));
  EXPECT_EQ(NotedOf("--node=3"), Texts{"2 --node=3"}) << "--nodes, --nodelist or --nodefile";
  EXPECT_EQ(NotedOf("--nodes=many --time=soon --mem=x --array=1,5,9 --signal=KILL --gpus=a:b:c"),
            (Texts{"2 --nodes=many", "2 --time=soon", "2 --mem=x", "2 --array=1,5,9", "2 --signal=KILL", "2 --gpus=a:b:c"}));
  EXPECT_EQ(NotedOf("--overcommit"), Texts{"2 --overcommit"});
  EXPECT_EQ(NotedOf("--requeue --quiet -v --parsable"), Texts());
}

TEST(ImportSbatch, ADirectiveBehindTheFirstCommandIsSeenByNobody) {
  const ImportedJob imported = FromSbatch("#!/bin/bash\n#SBATCH --time=10\ncd /data\n#SBATCH --nodes=4\n");
  EXPECT_EQ(Noted(imported), Texts{"4 #SBATCH --nodes=4"});
  EXPECT_EQ(Decoded(imported).nodes, 1);
}

TEST(ImportSbatch, ReadsOptionsAsSbatchDoes) {
  const JobSpec job = JobOf("-J \"two words\" -A'nlp' --time 1-12 --reserv=course --export=ALL,LR=\"0.1 0.2\"");
  EXPECT_EQ(job.name, "two-words");
  EXPECT_EQ(job.project, "nlp");
  EXPECT_EQ(job.time_limit, Duration::Minutes(36 * 60));
  EXPECT_EQ(job.reservation, "course") << "options may be cut short";
  EXPECT_EQ(job.environment.at("LR"), "0.1 0.2");
}

TEST(ImportSbatch, OfOptionsGivenAgainTheLastCounts) {
  EXPECT_EQ(JobOf("-t 10 -t UNLIMITED").time_limit, Duration());
  const JobSpec job = JobOf("--export=A=1 --export=\"B='1,2',C=3\"");
  EXPECT_FALSE(job.environment.contains("A"));
  EXPECT_EQ(job.environment.at("B"), "1,2");
  EXPECT_EQ(job.environment.at("C"), "3");
}

TEST(ImportSbatch, NoTextReachesATerminalAsItIs) {
  for (const ImportNote& note : FromSbatch("#!/bin/sh\n#SBATCH --export='B\033[31mRED' --x=\033[31m\n").notes) {
    EXPECT_EQ((note.what + note.why).find('\033'), std::string::npos);
  }
}

TEST(ImportSbatch, ArraysKeepTheirNumbers) {
  const ImportedJob imported = FromSbatch("#!/bin/sh\n#SBATCH -a 10-40:10%2\necho $SLURM_ARRAY_TASK_ID of ${SLURM_ARRAY_TASK_MAX}\n");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.array.count, 4);
  EXPECT_EQ(job.array.max_parallel, 2);
  EXPECT_NE(imported.text.find("export SLURM_ARRAY_TASK_ID=\"$((10 + 10 * GP_ARRAY_INDEX))\"\n"), std::string::npos) << imported.text;
  EXPECT_NE(imported.text.find("export SLURM_ARRAY_TASK_MAX=\"40\"\n"), std::string::npos);
}

TEST(ImportSbatch, SaysWhichOfSlurmsWordsTheScriptRelies) {
  EXPECT_EQ(NotedOf("--nodes=2", "# srun in a comment\nmodule load cuda && srun -n2 ./train\nX=$(scontrol show hostnames $SLURM_JOB_NODELIST)\necho $SLURM_CLUSTER_NAME"),
            (Texts{"2 --nodes=2", "4 srun", "5 scontrol", "6 SLURM_CLUSTER_NAME"}));
  for (const char* line : {"LAUNCH=\"srun -n 8\"", "nohup /usr/bin/srun x", "timeout 60 srun x", "bash -c 'srun x'", "case x in a) srun x;; esac", "elif srun; then"}) {
    EXPECT_EQ(NotedOf("--nodes=1", line), Texts{"3 srun"}) << line;
  }
  EXPECT_EQ(NotedOf("--nodes=1", "./srun_all.sh; echo my-srun $SLURMD_NODENAME"), Texts{"3 SLURMD_NODENAME"});
}

TEST(ImportSbatch, OfAProgramThatIsNoShellNoLineSetsVariables) {
  const ImportedJob imported = FromSbatch("#!/usr/bin/env python3\n#SBATCH --time=10\nimport os\nprint(os.environ['SLURM_JOB_ID'])\n");
  EXPECT_EQ(Noted(imported), Texts{"4 SLURM_JOB_ID"});
  EXPECT_EQ(imported.text.find("export"), std::string::npos);
}

TEST(ImportSbatch, TasksOnOneNodeAreTheScriptsBusiness) { EXPECT_EQ(NotedOf("--ntasks-per-node=8 --gpus-per-node=8"), Texts{"2 --ntasks-per-node=8"}); }

TEST(ImportSbatch, ProgramsFindOutWhichOfAnArrayTheyAre) {
  EXPECT_NE(FromSbatch("#!/bin/sh\n#SBATCH -a 1-5\n./find_out\n").text.find("export SLURM_ARRAY_TASK_ID=\"$((1 + 1 * GP_ARRAY_INDEX))\"\n"), std::string::npos);
}

TEST(ImportSbatch, LinesOfOtherSchedulersAreTold) {
  EXPECT_EQ(Noted(FromSbatch("#!/bin/sh\n#SBATCH -t 1\n#PBS -l walltime=1:00\n#GPUs needed: 4\ntrue\n")), Texts{"3 #PBS -l walltime=1:00"});
  Decoded(FromSbatch("#!/bin/sh\n#SBATCH -t 1\n#GPUs needed: 4\ntrue\n"));
}

TEST(ImportSbatch, RefusesWhatIsNoScriptForIt) {
  EXPECT_EQ(ImportSbatch("a.sh", "#!/bin/sh\necho\n").error().message, "there is no #SBATCH line before the first command");
  EXPECT_EQ(ImportSbatch("a.sh", "#!/bin/sh\n#SBATCH -N 1\n#SBATCH hetjob\n#SBATCH -N 3\n").error().message, "line 3: a job of unlike parts (hetjob): make a job of each, or say any_of");
  EXPECT_EQ(ImportSbatch("a.sh", "#!/bin/sh\n#SBATCH -N 2\n#GPU nodes: 2\n").error().message, "line 3: it has #GPU lines already: submit it as it is");
}

}  // namespace
}  // namespace gp
