#include "adapters/inbound/job_import/slurm/import_sbatch.h"

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

ImportedJob FromSbatch(const std::string& text) {
  return Sound(ImportSbatch("train.sbatch", text));
}

JobSpec JobOf(const std::string& directives) {
  return Decoded(FromSbatch("#!/bin/bash\n#SBATCH " + directives + "\ntrue\n"));
}

Texts NotedOf(const std::string& directives, const std::string& body = "true") {
  return Noted(FromSbatch("#!/bin/bash\n#SBATCH " + directives + "\n" + body + "\n"));
}

TEST(ImportSbatch, AJobOfTwoNodes) {
  const ImportedJob imported = FromSbatch(kTrainScript);
  EXPECT_EQ(Noted(imported), (Texts{"3 --gpus-per-node=h100:8", "3 --nodes=2"}))
      << "the script runs on both; which GPUs are meant";
  EXPECT_EQ(imported.text, R"(#!/bin/bash
#GPU name: llama-ft
#GPU project: nlp
#GPU priority: high
#GPU checkpoint:
#GPU   signal: SIGUSR1
#GPU   grace: 2m
#GPU workdir: /data/llama
#GPU time_limit: 718m
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
  EXPECT_EQ(job.resources.nodes, 2);
  EXPECT_EQ(job.resources.gpus.count, 8);
}

TEST(ImportSbatch, WithoutGpusItAsksForNone) {
  EXPECT_EQ(JobOf("--time=10").resources.gpus.count, 0);
}

TEST(ImportSbatch, GpusAreCountedForEachNode) {
  EXPECT_EQ(JobOf("-N 2 -G 16").resources.gpus.count, 8);
  EXPECT_EQ(JobOf("-N2 --gres=gpu:a100:4").resources.gpus.count, 4);
  EXPECT_EQ(JobOf("--nodes 1 --ntasks-per-node=4 --gpus-per-task=1").resources.gpus.count, 4);
  EXPECT_EQ(JobOf("--gres gpu").resources.gpus.count, 1);
  EXPECT_EQ(NotedOf("--gpus=16"), Texts{"2 --gpus=16"}) << "how many nodes it meant nobody knows";
}

TEST(ImportSbatch, OptionsForGpusArePutTogetherAsSlurmDoes) {
  const JobSpec sixteen = JobOf("--gpus=16 --gpus-per-node=8");
  EXPECT_EQ(sixteen.resources.nodes, 2);
  EXPECT_EQ(sixteen.resources.gpus.count, 8);
  EXPECT_EQ(JobOf("--gpus=8 --gpus-per-task=1").resources.gpus.count, 8);
  const JobSpec fewer = JobOf("-N 1 -n 4 --ntasks-per-node=8 --gpus-per-task=1 -c 4");
  EXPECT_EQ(fewer.resources.gpus.count, 4);
  EXPECT_EQ(fewer.resources.cpus, 16);
}

TEST(ImportSbatch, SaysWhatComesToSomethingElseOnNodes) {
  EXPECT_EQ(NotedOf("--gpus-per-node=8 --gres=gpu:4"), Texts{"2 --gres=gpu:4"});
  EXPECT_EQ(NotedOf("-N 3 --gpus=8"), (Texts{"2 -N 3", "2 --gpus=8"}));
  EXPECT_EQ(NotedOf("-N 1 --mem=10G --gpus-per-node=2 --mem-per-gpu=20G"),
            Texts{"2 --mem-per-gpu=20G"});
  EXPECT_EQ(NotedOf("-c 2 --cpus-per-gpu=8 --gpus-per-node=2"), Texts{"2 --cpus-per-gpu=8"});
  EXPECT_EQ(NotedOf("--cpus-per-gpu=2"), Texts{"2 --cpus-per-gpu=2"});
  EXPECT_EQ(NotedOf("-n 16 --gpus-per-task=1"), (Texts{"2 -n 16", "2 -n 16"}))
      << "all on one node, once";
}

TEST(ImportSbatch, ARangeOfNodesDividesNoTotals) {
  const JobSpec range = JobOf("-N 2-4 --gpus-per-node=8");
  EXPECT_EQ(range.resources.nodes, 4);
  EXPECT_EQ(range.resources.nodes_min, 2);
  EXPECT_EQ(JobOf("-N 2-4 --gpus=8").resources.nodes_min, 0);
  EXPECT_EQ(NotedOf("-N 2-4 --gpus=8"), (Texts{"2 -N 2-4", "2 -N 2-4"}));
}

TEST(ImportSbatch, ModelsAreWrittenAsDriversDo) {
  EXPECT_EQ(JobOf("--gpus-per-node=nvidia_h100_80gb_hbm3:8").resources.gpus.models, Texts{"H100"});
  const JobSpec slice = JobOf("--gres=gpu:2g.20gb:1");
  EXPECT_EQ(slice.resources.gpus.isolation, Isolation::kMig);
  EXPECT_EQ(slice.resources.gpus.memory_mib, 17'167);
  EXPECT_EQ(slice.resources.gpus.share_thousandths, 285);
}

TEST(ImportSbatch, GpusAreOneOfSeveralResources) {
  EXPECT_EQ(JobOf("--gres=gpu:8,nvme:1").resources.gpus.count, 8);
  EXPECT_EQ(JobOf("--gres=nvme:1,gpu:8").resources.gpus.count, 8);
  EXPECT_EQ(NotedOf("--gres=gpu:8,nvme:1"), Texts{"2 --gres=gpu:8,nvme:1"});
  EXPECT_EQ(JobOf("--gres=gpumem:20").resources.gpus.count, 0);
  EXPECT_EQ(NotedOf("--gres=gpumem:20"), Texts{"2 --gres=gpumem:20"});
}

TEST(ImportSbatch, CoresAndMemoryAreCountedForEachNode) {
  const JobSpec by_gpu = JobOf("--gpus-per-node=4 --cpus-per-gpu=12 --mem-per-gpu=100G");
  EXPECT_EQ(by_gpu.resources.cpus, 48);
  EXPECT_EQ(by_gpu.resources.memory_bytes, int64_t{400} << 30);
  const JobSpec by_task = JobOf("-n 8 -N 2 -c 4 --mem-per-cpu=2000");
  EXPECT_EQ(by_task.resources.cpus, 16);
  EXPECT_EQ(by_task.resources.memory_bytes, int64_t{32'000} << 20);
}

TEST(ImportSbatch, SaysWhatItLeavesOut) {
  EXPECT_EQ(NotedOf("--partition=h100 --output=%x-%j.out --mail-type=END,FAIL"),
            (Texts{"2 --partition=h100", "2 --output=%x-%j.out", "2 --mail-type=END,FAIL"}));
  EXPECT_EQ(NotedOf("--frobnicate=3 -Z stray"), (Texts{"2 --frobnicate=3", "2 -Z", "2 stray"}));
  EXPECT_EQ(NotedOf("--node=3"), Texts{"2 --node=3"}) << "--nodes, --nodelist or --nodefile";
  EXPECT_EQ(
      NotedOf("--nodes=many --time=soon --mem=x --signal=KILL --gpus=a:b:c"),
      (Texts{"2 --nodes=many", "2 --time=soon", "2 --mem=x", "2 --signal=KILL", "2 --gpus=a:b:c"}));
  EXPECT_EQ(NotedOf("--overcommit"), Texts{"2 --overcommit"});
  EXPECT_EQ(NotedOf("--requeue --quiet -v --parsable"), Texts());
}

TEST(ImportSbatch, ADirectiveBehindTheFirstCommandIsSeenByNobody) {
  const ImportedJob imported =
      FromSbatch("#!/bin/bash\n#SBATCH --time=10\ncd /data\n#SBATCH --nodes=4\n");
  EXPECT_EQ(Noted(imported), Texts{"4 #SBATCH --nodes=4"});
  EXPECT_EQ(Decoded(imported).resources.nodes, 1);
}

TEST(ImportSbatch, ReadsOptionsAsSbatchDoes) {
  const JobSpec job =
      JobOf("-J \"two words\" -A'nlp' --time 1-12 --reserv=course --export=ALL,LR=\"0.1 0.2\"");
  EXPECT_EQ(job.name, "two-words");
  EXPECT_EQ(job.project, "nlp");
  EXPECT_EQ(job.policy.time_limit, Duration::Minutes(36 * 60));
  EXPECT_EQ(job.placement.reservation, "course") << "options may be cut short";
  EXPECT_EQ(job.program.environment.at("LR"), "0.1 0.2");
}

TEST(ImportSbatch, OfOptionsGivenAgainTheLastCounts) {
  EXPECT_EQ(JobOf("-t 10 -t UNLIMITED").policy.time_limit, Duration());
  const JobSpec job = JobOf("--export=A=1 --export=\"B='1,2',C=3\"");
  EXPECT_FALSE(job.program.environment.contains("A"));
  EXPECT_EQ(job.program.environment.at("B"), "1,2");
  EXPECT_EQ(job.program.environment.at("C"), "3");
}

TEST(ImportSbatch, NoTextReachesATerminalAsItIs) {
  for (const ImportNote& note :
       FromSbatch("#!/bin/sh\n#SBATCH --export='B\033[31mRED' --x=\033[31m\n").notes) {
    EXPECT_EQ((note.what + note.why).find('\033'), std::string::npos);
  }
}

TEST(ImportSbatch, ArraysKeepTheirNumbers) {
  const ImportedJob imported = FromSbatch(
      "#!/bin/sh\n#SBATCH -a 10-40:10%2\necho $SLURM_ARRAY_TASK_ID of ${SLURM_ARRAY_TASK_MAX}\n");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.policy.array.count, 4);
  EXPECT_EQ(job.policy.array.max_parallel, 2);
  EXPECT_NE(imported.text.find("export SLURM_ARRAY_TASK_ID=\"$((10 + 10 * GP_ARRAY_INDEX))\"\n"),
            std::string::npos)
      << imported.text;
  EXPECT_NE(imported.text.find("export SLURM_ARRAY_TASK_MAX=\"40\"\n"), std::string::npos);
}

TEST(ImportSbatch, SaysWhichOfSlurmsWordsTheScriptReliesOn) {
  EXPECT_EQ(NotedOf("--nodes=2",
                    "# squeue in a comment\nmodule load cuda && sbcast a b\nscontrol requeue "
                    "$SLURM_JOB_ID\necho $SLURM_CLUSTER_NAME"),
            (Texts{"2 --nodes=2", "4 module", "4 sbcast", "5 scontrol", "6 SLURM_CLUSTER_NAME"}));
  for (const char* line : {"LAUNCH=\"srun -n 8\"", "bash -c 'srun x'", "elif srun; then",
                           "ssh node srun x", "srun --frobnicate 3 x", "srun"}) {
    EXPECT_EQ(NotedOf("--nodes=1", line), Texts{"3 srun"}) << line;
  }
  EXPECT_EQ(NotedOf("--nodes=1", "./srun_all.sh; echo my-srun $SLURM_FROB"), Texts{"3 SLURM_FROB"});
}

// The lines behind the header and what the import puts there.
std::string BodyOf(const std::string& directives, const std::string& body) {
  const std::string text =
      FromSbatch("#!/bin/bash\n#SBATCH " + directives + "\n: begin\n" + body + "\n").text;
  return text.substr(text.find(": begin\n") + 8);
}

TEST(ImportSbatch, StepsAreWhatEachNodeRuns) {
  struct Row {
    const char* script;
    const char* is;
  };
  const Row rows[] = {
      {"srun python train.py", "python train.py\n"},
      {"srun --jobid $SLURM_JOB_ID bash -c \"x $Y\" 2>&1", "bash -c \"x $Y\" 2>&1\n"},
      {"srun \\\n  --label -N 2 --ntasks=\"$SLURM_NNODES\" \\\n  python \\\n  train.py",
       "python \\\n  train.py\n"},
      {"clear; time srun -lu ./a && srun ./b", "clear; time ./a && ./b\n"},
      {"OUT=$(srun -n2 hostname)", "OUT=$(hostname)\n"},
      {"echo \"on $(srun hostname)\" `srun date`", "echo \"on $(hostname)\" `date`\n"},
      {"if srun -u ./check; then exec srun ./go; fi", "if ./check; then exec ./go; fi\n"},
      {"case $A in b) nohup srun x & ;; esac", "case $A in b) nohup x & ;; esac\n"},
      {"timeout 60 /usr/bin/srun --export=ALL x", "timeout 60 x\n"},
      {"cat <<'EOF'\nsrun stays\nEOF\nsrun goes", "cat <<'EOF'\nsrun stays\nEOF\ngoes\n"},
      {"A=(srun x)", "A=(srun x)\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(BodyOf("--nodes=2", row.script), row.is) << row.script;
}

TEST(ImportSbatch, StepsOfSeveralTasksStartThemAll) {
  const ImportedJob imported = FromSbatch(
      "#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=8 --gpus-per-node=8\nsrun python "
      "train.py\nsrun --ntasks=2 ./one_each\n");
  EXPECT_NE(imported.text.find("\ngp_tasks 8 python train.py\n./one_each\n"), std::string::npos)
      << imported.text;
  EXPECT_NE(imported.text.find("\ngp_tasks() {"), std::string::npos);
  EXPECT_EQ(Noted(imported), Texts{"2 --nodes=2"}) << "who starts the tasks is the script";
  EXPECT_NE(imported.text.find("export SLURM_PROCID=\"$((GP_NODE_RANK * 8))\"\n"),
            std::string::npos)
      << imported.text;
}

// The script that PyTorch's tutorial shows.
TEST(ImportSbatch, TheRanksOfAGangMeetAtItsHead) {
  const ImportedJob imported = FromSbatch(
      "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks=2\n#SBATCH --gpus-per-node=1\n"
      "nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )\nhead_node=${nodes[0]}\n"
      "head_node_ip=$(srun --nodes=1 --ntasks=1 -w \"$head_node\" hostname --ip-address)\n"
      "srun torchrun --nnodes 2 --nproc_per_node 1 --rdzv_id $RANDOM --rdzv_backend c10d "
      "--rdzv_endpoint $head_node_ip:29500 train.py\n"
      "torchrun --rdzv-id=$RANDOM train.py\n");
  EXPECT_NE(imported.text.find("head_node_ip=$(echo \"$GP_MASTER_ADDR\")\n"), std::string::npos)
      << imported.text;
  EXPECT_NE(imported.text.find("--rdzv_id $GP_JOB_ID --rdzv_backend"), std::string::npos)
      << imported.text;
  EXPECT_NE(imported.text.find("--rdzv-id=$GP_JOB_ID train.py"), std::string::npos);
  EXPECT_EQ(Noted(imported), Texts{"2 --nodes=2"});
  const std::string each = BodyOf("--nodes=2", "srun -N1 -n1 -w \"$node\" hostname --ip-address");
  EXPECT_EQ(each.find("GP_MASTER_ADDR"), std::string::npos) << "of any node, as in a loop over all";
}

TEST(ImportSbatch, TasksThatAskForGpusHaveTheirOwn) {
  const ImportedJob imported = FromSbatch(
      "#!/bin/bash\n#SBATCH -N1 -n4 --gpus-per-task=2\nsrun ./a\nsrun -n2 --gpus-per-task=4 ./b\n");
  EXPECT_NE(imported.text.find("\ngp_tasks -g 2 4 ./a\ngp_tasks -g 4 2 ./b\n"), std::string::npos)
      << imported.text;
}

TEST(ImportSbatch, StepsSideBySideThatHaveGpusOfTheirOwnAreNoted) {
  EXPECT_EQ(NotedOf("-N1 --gres=gpu:4", "srun -n1 --gpus=1 --exclusive ./x $i &"),
            (Texts{"3 srun --gpus=1", "3 srun --exclusive"}));
  EXPECT_EQ(NotedOf("-N1 --gres=gpu:4", "srun --gres=gpu:4 ./x"), Texts()) << "all of them";
  EXPECT_EQ(NotedOf("-N1 -c8", "srun --exclusive ./x &"), Texts()) << "of a job without GPUs";
  EXPECT_EQ(NotedOf("-N1 --gres=gpu:4", "srun -n1 --gpus-per-task=1 ./x"),
            Texts{"3 srun --gpus-per-task=1"});
}

TEST(ImportSbatch, SaysWhatOfAStepIsLeftOut) {
  EXPECT_EQ(NotedOf("--nodes=1", "srun --container-image=x.sqsh --mpi=pmix ./a"),
            (Texts{"3 srun --container-image=x.sqsh", "3 srun --mpi=pmix"}));
  EXPECT_EQ(NotedOf("--nodes=4", "srun -N1 -n1 ./prepare"), (Texts{"2 --nodes=4", "3 srun"}));
  EXPECT_EQ(NotedOf("--nodes=2", "srun -w \"$HEAD\" ray start --head &"),
            (Texts{"2 --nodes=2", "3 srun -w $HEAD"}));
  EXPECT_EQ(
      NotedOf("--nodes=1", "srun --unbuffered --cpu-bind=cores --kill-on-bad-exit=1 --overlap ./a"),
      Texts());
}

TEST(ImportSbatch, NamesOfNodesComeFromTheJobs) {
  const ImportedJob imported = FromSbatch(
      "#!/bin/bash\n#SBATCH -N 2\nHEAD=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n "
      "1)\necho $HEAD $SLURMD_NODENAME\n");
  EXPECT_NE(imported.text.find("\nHEAD=$(gp_hosts \"$SLURM_JOB_NODELIST\" | head -n 1)\n"),
            std::string::npos)
      << imported.text;
  EXPECT_NE(imported.text.find("\ngp_hosts() {"), std::string::npos);
  EXPECT_NE(imported.text.find("\nexport SLURM_JOB_NODELIST=\"$GP_NODE_LIST\"\n"),
            std::string::npos);
  EXPECT_EQ(Noted(imported), Texts{"2 -N 2"});
}

TEST(ImportSbatch, ArgumentsOfTheScriptAreTold) {
  EXPECT_EQ(NotedOf("--gres=gpu:1", "set -eu\npython t.py --cfg \"$1\" --seed \"${2:-0}\" \"$@\""),
            Texts{"4 $1 ${2:-0} $@"});
  for (const char* line :
       {"A=$1", "shift; echo $#", "for x in \"$@\"; do :; done", "while getopts ab: o; do :; done",
        "echo \"$(basename ${1})\"", "cat <<EOF\n$*\nEOF", "echo ${@:2}"}) {
    EXPECT_EQ(NotedOf("--time=10", line).size(), 1u) << line;
  }
  for (const char* line :
       {"awk '{print $1}' x", "f() {\n  echo $1 $@\n}\nf a", "set -- a b\necho $1",
        "cat <<'EOF'\n$1\nEOF", "echo \\$1 $0 $? $$ $! ${#A} ${A#x} ${A[@]}",
        "function g { local a=$1; }", "# $1", "bash -c 'echo $1' x y"}) {
    EXPECT_EQ(NotedOf("--time=10", line), Texts()) << line;
  }
  EXPECT_EQ(
      Noted(FromSbatch("#!/usr/bin/env python3\n#SBATCH --time=10\nimport sys\nprint(sys.argv)\n")),
      Texts{"4 sys.argv"});
}

// A script as it is met, with each kind of line above.
TEST(ImportSbatch, ATrainingScriptOfASite) {
  const ImportedJob imported = FromSbatch(R"(#!/bin/bash
#SBATCH --job-name=finetune
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --gres=gpu:8
#SBATCH --partition=fast  # of the site
#SBATCH --output=./logs/%x-%j.out
#SBATCH --err=./logs/%x-%j.err
#SBATCH --requeue
module load cuda
set -e
source ~/.bashrc
RECIPE=$1
N=$SLURM_NNODES
HEAD=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
export L="launch --num_machines $N --main_process_ip $HEAD --machine_rank \$SLURM_PROCID"
clear; srun --jobid $SLURM_JOB_ID bash -c "$L --role \$SLURMD_NODENAME: train.py $RECIPE.yaml" 2>&1
)");
  EXPECT_EQ(Noted(imported),
            (Texts{"4 --exclusive", "6 --partition=fast", "7 --output=./logs/%x-%j.out",
                   "8 --err=./logs/%x-%j.err", "10 module", "13 $1"}));
  EXPECT_NE(imported.text.find(
                "\nclear; bash -c \"$L --role \\$SLURMD_NODENAME: train.py $RECIPE.yaml\" 2>&1\n"),
            std::string::npos)
      << imported.text;
  for (const char* set :
       {"SLURM_PROCID=\"$GP_NODE_RANK\"", "SLURM_NNODES=\"$GP_NNODES\"", "SLURMD_NODENAME="})
    EXPECT_NE(imported.text.find(std::string("\nexport ") + set), std::string::npos) << set;
  EXPECT_EQ(Decoded(imported).resources.gpus.count, 8);
}

TEST(ImportSbatch, OfAProgramThatIsNoShellNoLineSetsVariables) {
  const ImportedJob imported = FromSbatch(
      "#!/usr/bin/env python3\n#SBATCH --time=10\nimport os\nprint(os.environ['SLURM_JOB_ID'])\n");
  EXPECT_EQ(Noted(imported), Texts{"4 SLURM_JOB_ID"});
  EXPECT_EQ(imported.text.find("export"), std::string::npos);
}

TEST(ImportSbatch, TasksOnOneNodeAreTheScriptsBusiness) {
  EXPECT_EQ(NotedOf("--ntasks-per-node=8 --gpus-per-node=8"), Texts{"2 --ntasks-per-node=8"});
}

TEST(ImportSbatch, ListsOfAnArrayKeepTheirNumbers) {
  const ImportedJob imported =
      FromSbatch("#!/bin/sh\n#SBATCH --array=1,3,7-9%2\necho $SLURM_ARRAY_TASK_ID\n");
  EXPECT_EQ(Decoded(imported).policy.array.count, 5);
  EXPECT_EQ(Decoded(imported).policy.array.max_parallel, 2);
  EXPECT_NE(imported.text.find("export SLURM_ARRAY_TASK_ID=\"$((GP_ARRAY_INDEX < 2 ? 1 + 2 * "
                               "GP_ARRAY_INDEX : 7 + 1 * (GP_ARRAY_INDEX - 2)))\"\n"),
            std::string::npos)
      << imported.text;
  EXPECT_EQ(JobOf("-a 0-15:4,100").policy.array.count, 5);
}

TEST(ImportSbatch, AnArrayIsNeverOneJob) {
  const auto error = [](const std::string& array) {
    return ImportSbatch("a.sh",
                        "#!/bin/sh\n#SBATCH --gres=gpu:1\n#SBATCH --array=" + array + "\ntrue\n")
        .error()
        .message;
  };
  EXPECT_EQ(
      error("0-99999%200"),
      "line 3: --array=0-99999%200: GP1011: an array has at most 10000 jobs, and this one 100000: "
      "import and submit it in parts, --array=0-9999%200, --array=10000-19999%200 and so on");
  EXPECT_TRUE(error("1-20001:2").ends_with("in parts, --array=1-19999:2, --array=20001-20001:2"));
  EXPECT_TRUE(error("1,2,5-20000").starts_with("line 3: --array=1,2,5-20000: GP1011: "));
  EXPECT_TRUE(error("some").starts_with("line 3: --array=some: is not a valid array"));
  EXPECT_EQ(JobOf("--array=0-9999").policy.array.count, 10'000);
}

TEST(ImportSbatch, PartitionsAreQueuesByTheMap) {
  const ImportOptions options{.queues = {{"fast", "research/nlp"}, {"slow", "batch"}}};
  const auto imported = [&](const char* partition) {
    return Sound(ImportSbatch("a.sh",
                              "#!/bin/sh\n#SBATCH --partition=" + std::string(partition) +
                                  "\necho $SLURM_JOB_PARTITION\n",
                              options));
  };
  EXPECT_EQ(Decoded(imported("fast")).policy.queue, "research/nlp");
  EXPECT_EQ(Noted(imported("fast")), Texts());
  EXPECT_NE(imported("fast").text.find("export SLURM_JOB_PARTITION=\"fast\"\n"), std::string::npos);
  EXPECT_EQ(Decoded(imported("other,slow")).policy.queue, "batch");
  EXPECT_EQ(Noted(imported("slow,fast")), Texts{"2 --partition=slow,fast"})
      << "of two queues one counts";
  EXPECT_EQ(Noted(imported("gpu")), Texts{"2 --partition=gpu"});
  EXPECT_EQ(Decoded(imported("gpu")).policy.queue, "");
}

TEST(ImportSbatch, VariablesOfThePlatformAreLeftOut) {
  for (const char* directives :
       {"--export=ALL,CUDA_VISIBLE_DEVICES=0", "--export=NVIDIA_VISIBLE_DEVICES=all",
        "--export=CUDA_MPS_PIPE_DIRECTORY=/tmp/mps", "--export=GP_JOB_ID",
        "--export=MASTER_PORT=29500"}) {
    const ImportedJob imported =
        FromSbatch("#!/bin/sh\n#SBATCH " + std::string(directives) + "\ntrue\n");
    EXPECT_EQ(imported.text.find("#GPU env"), std::string::npos) << imported.text;
    EXPECT_NE(imported.notes.back().why.find("is set by the platform"), std::string::npos)
        << directives;
  }
  const ImportedJob several =
      FromSbatch("#!/bin/sh\n#SBATCH --export=CUDA_VISIBLE_DEVICES=0,1,LR=3\ntrue\n");
  EXPECT_NE(several.text.find("#GPU env:\n#GPU   LR: \"3\"\n#GPU resources"), std::string::npos)
      << several.text;
}

TEST(ImportSbatch, MigInstancesOfAModel) {
  const JobSpec job = JobOf("--gres=gpu:a100_1g.5gb:1");
  EXPECT_EQ(job.resources.gpus.isolation, Isolation::kMig);
  EXPECT_EQ(job.resources.gpus.models, Texts{"A100"});
  EXPECT_EQ(job.resources.gpus.memory_mib, 4'292);
  EXPECT_EQ(job.resources.gpus.share_thousandths, 142);
  EXPECT_EQ(JobOf("--gres=gpu:a100l.4g.40gb:1").resources.gpus.share_thousandths, 571)
      << "no 3g.40gb";
  EXPECT_EQ(JobOf("--gpus=2g.10gb:2").resources.gpus.count, 1) << "a job has one on each node";
  EXPECT_EQ(NotedOf("--gpus=2g.10gb:2"), (Texts{"2 --gpus=2g.10gb:2", "2 --gpus=2g.10gb:2"}));
  EXPECT_EQ(JobOf("--gpus-per-node=nvidia_h100_80gb_hbm3_1g.10gb:1").resources.gpus.models,
            Texts{"H100"});
}

TEST(ImportSbatch, SharedGpusAreNeverNone) {
  const JobSpec mps = JobOf("--gres=mps:50");
  EXPECT_EQ(mps.resources.gpus.share_thousandths, 500);
  EXPECT_EQ(mps.resources.gpus.isolation, Isolation::kMps);
  EXPECT_EQ(JobOf("--gres=shard:4").resources.gpus.count, 1);
  EXPECT_EQ(NotedOf("--gres=shard:4"), Texts{"2 --gres=shard:4"});
  EXPECT_EQ(JobOf("--gres=mps:100").resources.gpus.share_thousandths, 1'000);
}

TEST(ImportSbatch, TasksByOtherNames) {
  EXPECT_EQ(JobOf("--tasks-per-node=4 --gpus-per-task=1").resources.gpus.count, 4);
  EXPECT_EQ(JobOf("--tasks=6 --cpus-per-task=2").resources.cpus, 12);
  const JobSpec by_gpu = JobOf("--ntasks=16 --ntasks-per-gpu=2 --cpus-per-task=4");
  EXPECT_EQ(by_gpu.resources.gpus.count, 8);
  EXPECT_EQ(by_gpu.resources.cpus, 64);
  EXPECT_EQ(JobOf("--gpus-per-node=4 --ntasks-per-gpu=2 -c 3").resources.cpus, 24);
  EXPECT_EQ(JobOf("--workdir=/data").program.working_directory, "/data");
}

TEST(ImportSbatch, WhatNoNodeHasIsSpreadOverSeveral) {
  const JobSpec by_gpus = JobOf("--ntasks 112 --cpus-per-task 8 --gres gpu:3090:8");
  EXPECT_EQ(by_gpus.resources.nodes, 14);
  EXPECT_EQ(by_gpus.resources.cpus, 64);
  EXPECT_EQ(by_gpus.resources.gpus.count, 8);
  EXPECT_EQ(JobOf("--gpus=16").resources.nodes, 2);
  EXPECT_EQ(JobOf("--ntasks=24 --gpus-per-task=1").resources.nodes, 3);
  const JobSpec cores = JobOf("--ntasks=512");
  EXPECT_EQ(cores.resources.nodes, 4);
  EXPECT_EQ(cores.resources.cpus, 128);
  EXPECT_EQ(JobOf("--ntasks=64 --cpus-per-task=2").resources.nodes, 1);
  EXPECT_EQ(NotedOf("--ntasks=512"), (Texts{"2 --ntasks=512", "2 --ntasks=512"}))
      << "spread, and who starts them";
}

TEST(ImportSbatch, ProgramsFindOutWhichOfAnArrayTheyAre) {
  EXPECT_NE(FromSbatch("#!/bin/sh\n#SBATCH -a 1-5\n./find_out\n")
                .text.find("export SLURM_ARRAY_TASK_ID=\"$((1 + 1 * GP_ARRAY_INDEX))\"\n"),
            std::string::npos);
}

TEST(ImportSbatch, LinesOfOtherSchedulersAreTold) {
  EXPECT_EQ(
      Noted(FromSbatch("#!/bin/sh\n#SBATCH -t 1\n#PBS -l walltime=1:00\n#GPUs needed: 4\ntrue\n")),
      Texts{"3 #PBS -l walltime=1:00"});
  Decoded(FromSbatch("#!/bin/sh\n#SBATCH -t 1\n#GPUs needed: 4\ntrue\n"));
}

TEST(ImportSbatch, RefusesWhatIsNoScriptForIt) {
  EXPECT_EQ(ImportSbatch("a.sh", "#!/bin/sh\necho\n").error().message,
            "there is no #SBATCH line before the first command");
  EXPECT_EQ(ImportSbatch("a.sh", "#!/bin/sh\n#SBATCH -N 1\n#SBATCH hetjob\n#SBATCH -N 3\n")
                .error()
                .message,
            "line 3: a heterogeneous job (hetjob): make a job of each part, or use any_of");
  EXPECT_EQ(ImportSbatch("a.sh", "#!/bin/sh\n#SBATCH -N 2\n#GPU nodes: 2\n").error().message,
            "line 3: there are #GPU lines already: submit the script unchanged");
}

}  // namespace
}  // namespace gp
