#include "adapters/inbound/job_import/kubernetes/import_kubernetes.h"

#include <gtest/gtest.h>

#include "tests/unit/adapters/job_import/imported.h"

namespace gp {
namespace {

constexpr const char* kTrainJob = R"(apiVersion: batch/v1
kind: Job
metadata: {name: llama-ft, namespace: nlp, )"
                                  R"(labels: {app: llama, kueue.x-k8s.io/queue-name: training}}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  backoffLimit: 3
  activeDeadlineSeconds: 43200
  template:
    spec:
      restartPolicy: Never
      priorityClassName: high
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3, zone: east}
      containers:
      - name: t
        image: reg/train:1
        command: [bash, -c, "torchrun --node-rank=$JOB_COMPLETION_INDEX train.py"]
        env:
        - {name: MODEL, value: llama}
        - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token}}}
        resources: {limits: {nvidia.com/gpu: 8, cpu: 96, memory: 900Gi}}
        volumeMounts: [{name: shm, mountPath: /dev/shm}]
      volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 64Gi}}]
      tolerations: [{key: gpu, operator: Exists}]
)";

ImportedJob FromKubernetes(const std::string& text) {
  return Sound(ImportKubernetes("job.yaml", text));
}

// A pod of one container that has these further lines.
std::string Pod(const std::string& container, const std::string& spec = "") {
  return "kind: Pod\nmetadata: {name: p}\nspec:\n" + spec +
         "  containers:\n  - name: c\n    command: [\"true\"]\n" + container;
}

std::string Never(const std::string& container) {
  return Pod(container, "  restartPolicy: Never\n");
}

TEST(ImportKubernetes, AJobOfTwoNodes) {
  const ImportedJob imported = FromKubernetes(kTrainJob);
  EXPECT_EQ(imported.text, R"(name: llama-ft
project: nlp
labels:
  app: llama
queue: training
nodes: 2
retry:
  max: 3
time_limit: 43200s
priority: high
node_labels:
  zone: east
env:
  MODEL: llama
  HF_TOKEN:
run: [/bin/sh, "-c", "export JOB_COMPLETION_INDEX=\"$GP_NODE_RANK\"; exec)"
                           R"( \"$@\"", sh, bash, "-c", "torchrun --node-rank)"
                           R"(=$JOB_COMPLETION_INDEX train.py"]
resources:
  cpus: 96
  memory: 900GiB
  gpus:
    model: H100
    count: 8
    memory_min: 80GB
  shm: 64GiB
)");
  EXPECT_EQ(Noted(imported), (Texts{"5 completions: 2", "9 activeDeadlineSeconds: 43200",
                                    "14 nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3",
                                    "17 spec.template.spec.containers[0].image", "21 env HF_TOKEN",
                                    "25 spec.template.spec.tolerations"}));
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.resources.nodes, 2);
  EXPECT_EQ(job.resources.memory_bytes, int64_t{900} << 30);
}

TEST(ImportKubernetes, PodsThatDoNotNeedEachOtherAreAnArray) {
  const ImportedJob imported = FromKubernetes(
      "kind: Job\nspec:\n  completions: 50\n  parallelism: 5\n  template:\n    spec:\n      "
      "containers: [{command: [\"true\"]}]\n");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.policy.array.count, 50);
  EXPECT_EQ(job.policy.array.max_parallel, 5);
  EXPECT_EQ(job.resources.gpus.count, 0);
  EXPECT_EQ(job.recovery.retry.retries_max, 6) << "what Kubernetes does where nothing is said";
  EXPECT_EQ(job.name, "job");
}

TEST(ImportKubernetes, WhoRestartsAndHowOftenIsSaid) {
  EXPECT_EQ(Noted(FromKubernetes(Pod("", "  restartPolicy: Always\n"))),
            Texts{"4 restartPolicy: Always"});
  EXPECT_EQ(Noted(FromKubernetes("kind: Pod\nspec: {containers: [{command: [a]}]}\n")),
            Texts{"2 restartPolicy: Always"})
      << "where none is said";
}

TEST(ImportKubernetes, OfGpusOneKindIsTakenAndTheOthersTold) {
  const ImportedJob imported = FromKubernetes(
      Never("    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/mig-1g.10gb: 1}}\n"));
  EXPECT_EQ(Noted(imported), Texts{"8 nvidia.com/mig-1g.10gb: 1"});
  EXPECT_EQ(Decoded(imported).resources.gpus.count, 2);
}

TEST(ImportKubernetes, ReplacesWhatKubernetesDoes) {
  const ImportedJob imported =
      FromKubernetes(Never("    env: [{name: A, value: x}, {name: B, value: \"$(A)/y\"}, {name: "
                           "C}]\n    args: [\"$(B)$(C)\", \"$$(A) $(date)\"]\n"));
  EXPECT_EQ(Noted(imported), Texts());
  EXPECT_EQ(Decoded(imported).program.environment.at("B"), "x/y");
  EXPECT_EQ(Decoded(imported).program.command, (Texts{"true", "x/y", "$(A) $(date)"}));
  EXPECT_EQ(Noted(FromKubernetes(Never("    env: [{name: HF_TOKEN, valueFrom: {secretKeyRef: "
                                       "{name: a, key: b}}}]\n    args: [\"$(HF_TOKEN)\"]\n"))),
            Texts{"8 env HF_TOKEN"});
}

TEST(ImportKubernetes, WhatIsKnownWhenItRunsAShellPutsIn) {
  const ImportedJob secret =
      FromKubernetes(Never("    env: [{name: HF_TOKEN, valueFrom: {secretKeyRef: {name: a, key: "
                           "b}}}]\n    args: [\"--token=$(HF_TOKEN)\", \"$$HOME `x`\"]\n"));
  EXPECT_EQ(Decoded(secret).program.command,
            (Texts{"/bin/sh", "-c", "set -- \"${1}\" \"--token=${HF_TOKEN}\" \"${3}\"; exec \"$@\"",
                   "sh", "true", "-", "$HOME `x`"}));
  const ImportedJob odd =
      FromKubernetes(Never("    env: [{name: a-b, value: x}]\n    args: [\"$(a-b)\"]\n"));
  EXPECT_EQ(Noted(odd), Texts{"8 env a-b"});
  EXPECT_EQ(Decoded(odd).program.command, (Texts{"true", "$(a-b)"})) << "no shell reads that name";
  const ImportedJob indexed = FromKubernetes(
      "kind: Job\nspec:\n  completionMode: Indexed\n  completions: 8\n  parallelism: 2\n  "
      "backoffLimitPerIndex: 1\n  template:\n    spec:\n      restartPolicy: Never\n"
      "      containers: [{command: [echo, \"$(JOB_COMPLETION_INDEX) of \\\"8\\\"\", plain]}]\n");
  EXPECT_EQ(Noted(indexed), Texts());
  const JobSpec job = Decoded(indexed);
  EXPECT_EQ(job.recovery.retry.retries_max, 1) << "of each index";
  EXPECT_EQ(job.program.command,
            (Texts{"/bin/sh", "-c",
                   "export JOB_COMPLETION_INDEX=\"$GP_ARRAY_INDEX\"; set -- \"${1}\" "
                   "\"${JOB_COMPLETION_INDEX} of \\\"8\\\"\" \"${3}\"; exec \"$@\"",
                   "sh", "echo", "-", "plain"}));
}

// Requests for GPUs in the one container of a pod, and its metadata.
GpuRequest GpusOf(const std::string& limits, const std::string& metadata = "") {
  return Decoded(FromKubernetes("kind: Pod\nmetadata: {name: p" + metadata +
                                "}\nspec:\n  restartPolicy: Never\n  containers:\n  - {name: c, "
                                "command: [a], resources: {limits: {" +
                                limits + "}}}\n"))
      .resources.gpus;
}

TEST(ImportKubernetes, PartsOfGpus) {
  struct Row {
    const char* limits;
    const char* metadata;
    int count, share;
    int64_t memory_mib;
  };
  const Row rows[] = {
      {"", ", annotations: {gpu-fraction: \"0.5\"}", 1, 500, 0},
      {"", ", labels: {gpu-fraction: \"0.25\"}", 1, 250, 0},
      {"", ", annotations: {gpu-fraction: \"0.3333\", gpu-fraction-num-devices: \"2\"}", 2, 334, 0},
      {"", ", annotations: {gpu-memory: \"2000\"}", 1, 1'000, 2'000},
      {"", ", annotations: {gpu-fraction: half}", 1, 1'000, 0},
      {"nvidia.com/gpu: 1, nvidia.com/gpumem: 3000, nvidia.com/gpucores: 30", "", 1, 300, 3'000},
      {"nvidia.com/gpumem: 4096", "", 1, 1'000, 4'096},
      {"nvidia.com/gpu: 2, nvidia.com/gpumem-percentage: 50", "", 2, 500, 0},
      {"nvidia.com/gpu: 1, nvidia.com/gpucores: 0", "", 1, 1'000, 0},
      {"nvidia.com/gpu: 1, nvidia.com/gpucores: 5", "", 1, 50, 0},
      {"volcano.sh/vgpu-number: 1, volcano.sh/vgpu-memory: 1024, volcano.sh/vgpu-cores: 50", "", 1,
       500, 1'024},
      {"volcano.sh/gpu-memory: 2048", "", 1, 1'000, 2'048},
      {"aliyun.com/gpu-mem: 3", "", 1, 1'000, 3'072},
      {"tencent.com/vcuda-core: 20, tencent.com/vcuda-memory: 4", "", 1, 200, 1'024},
      {"tencent.com/vcuda-core: 200", "", 2, 1'000, 0},
      {"nvidia.com/gpu.shared: 1", "", 1, 1'000, 0},
      {"amd.com/gpu: 2", "", 2, 1'000, 0},
      {"nvidia.com/gpu: some", "", 1, 1'000, 0},
      {"cpu: 1", "", 0, 1'000, 0},
  };
  for (const Row& row : rows) {
    const GpuRequest gpus = GpusOf(row.limits, row.metadata);
    const std::string which = std::string(row.limits) + row.metadata;
    EXPECT_EQ(gpus.count, row.count) << which;
    EXPECT_EQ(gpus.share_thousandths, row.share) << which;
    EXPECT_EQ(gpus.memory_mib, row.memory_mib) << which;
    EXPECT_EQ(gpus.isolation, row.share < 1'000 || row.memory_mib > 0 ? Isolation::kTimeslice
                                                                      : Isolation::kExclusive)
        << which;
  }
}

TEST(ImportKubernetes, PartsOfGpusAreTold) {
  const auto noted = [](const std::string& limits, const std::string& metadata = "") {
    return Noted(FromKubernetes("kind: Pod\nmetadata: {name: p" + metadata +
                                "}\nspec:\n  restartPolicy: Never\n  containers:\n  - {name: c, "
                                "command: [a], resources: {limits: {" +
                                limits + "}}}\n"));
  };
  EXPECT_EQ(noted("cpu: 1", ", annotations: {gpu-fraction: \"0.5\"}"),
            Texts{"2 gpu-fraction: 0.5"});
  EXPECT_EQ(noted("nvidia.com/gpu.shared: 1"), Texts{"6 nvidia.com/gpu.shared: 1"});
  EXPECT_EQ(noted("nvidia.com/mig-1g.10gb: 2"), Texts{"6 nvidia.com/mig-1g.10gb"});
  EXPECT_EQ(noted("nvidia.com/gpu: 1"), Texts());
  EXPECT_EQ(noted("nvidia.com/gpu: 1, nvidia.com/priority: 0"), Texts{"6 nvidia.com/priority: 0"});
}

TEST(ImportKubernetes, APodOfKai) {
  const ImportedJob imported = FromKubernetes(R"(apiVersion: v1
kind: Pod
metadata: {name: half, annotations: {gpu-fraction: "0.5"}, labels: {"kai.scheduler/queue": team-a}}
spec:
  schedulerName: kai-scheduler
  restartPolicy: Never
  containers:
  - {name: c, image: x, command: [python3, a.py]}
)");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.resources.gpus.share_thousandths, 500);
  EXPECT_EQ(job.policy.queue, "team-a");
  EXPECT_EQ(Noted(imported),
            (Texts{"3 gpu-fraction: 0.5", "5 spec.schedulerName", "8 spec.containers[0].image"}));
}

TEST(ImportKubernetes, TheContainerWithTheGpusIsTheJob) {
  EXPECT_EQ(Decoded(FromKubernetes(
                        "kind: Pod\nspec:\n  containers:\n  - {name: side, command: [b]}\n  - "
                        "{name: main, command: [a], resources: {limits: {nvidia.com/gpu: 2}}}\n"))
                .program.command,
            Texts{"a"});
  const JobSpec named =
      Decoded(FromKubernetes("kind: Pod\nmetadata: {annotations: {gpu-fraction: \"0.5\", "
                             "gpu-fraction-container-name: main}}\nspec:\n  containers:\n  - "
                             "{name: side, command: [b]}\n  - {name: main, command: [a]}\n"));
  EXPECT_EQ(named.program.command, Texts{"a"});
  EXPECT_EQ(named.resources.gpus.share_thousandths, 500);
}

TEST(ImportKubernetes, ClaimsOfDevicesAreAGpu) {
  const ImportedJob imported = FromKubernetes(
      "kind: Pod\nspec:\n  restartPolicy: Never\n  containers:\n  - {name: c, command: [a], "
      "resources: {claims: [{name: gpu}]}}\n  resourceClaims: [{name: gpu, "
      "resourceClaimTemplateName: t}]\n");
  EXPECT_EQ(Decoded(imported).resources.gpus.count, 1);
  EXPECT_EQ(Noted(imported), Texts{"5 resources.claims"});
}

TEST(ImportKubernetes, GpusByTheLabelsOfTheirNodes) {
  const auto gpus = [](const std::string& label) {
    return Decoded(FromKubernetes("kind: Pod\nspec:\n  nodeSelector: {" + label +
                                  "}\n  containers:\n  - {command: [a], resources: {limits: "
                                  "{nvidia.com/gpu: 1}}}\n"))
        .resources.gpus;
  };
  EXPECT_EQ(gpus("cloud.google.com/gke-accelerator: nvidia-tesla-t4").models, Texts{"T4"});
  EXPECT_EQ(gpus("nvidia.com/gpu.family: volta").models, (Texts{"V100", "GV100", "TITAN V"}));
  EXPECT_EQ(gpus("nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB-MIG-1g.5gb").memory_mib, 4'292);
  EXPECT_EQ(gpus("accelerator: nvidia-l4").models, Texts{"L4"});
  EXPECT_EQ(
      GpusOf("nvidia.com/gpu: 1", ", annotations: {nvidia.com/use-gputype: \"A100,V100\"}").models,
      (Texts{"A100", "V100"}));
}

TEST(ImportKubernetes, VariablesOfThePlatformAreLeftOut) {
  const ImportedJob imported = FromKubernetes(
      Never("    env:\n    - {name: CUDA_VISIBLE_DEVICES, value: \"0,1\"}\n    - {name: "
            "NVIDIA_VISIBLE_DEVICES, value: all}\n    - {name: MASTER_ADDR, value: p-0.p}\n    - "
            "{name: GP_RANK, valueFrom: {fieldRef: {fieldPath: metadata.name}}}\n    - {name: "
            "my.var, value: x}\n    - {name: LR, value: \"1\"}\n"));
  EXPECT_EQ(Noted(imported), (Texts{"9 env CUDA_VISIBLE_DEVICES", "10 env NVIDIA_VISIBLE_DEVICES",
                                    "11 env MASTER_ADDR", "12 env GP_RANK", "13 env my.var"}));
  EXPECT_NE(imported.text.find("\nenv:\n  LR: \"1\"\nrun:"), std::string::npos) << imported.text;
}

std::string JobWith(const std::string& spec, const std::string& pod = "") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: dl}\nspec:\n" + spec +
         "  template:\n    spec:\n      restartPolicy: Never\n" + pod +
         "      containers:\n      - {name: c, command: [sh, -c, \"sleep 3; exit 1\"]}\n";
}

TEST(ImportKubernetes, ADeadlineOfAJobIsToldWhereAttemptsCouldPassIt) {
  EXPECT_EQ(Noted(FromKubernetes(JobWith("  backoffLimit: 5\n  activeDeadlineSeconds: 6\n"))),
            Texts{"6 activeDeadlineSeconds: 6"});
  EXPECT_EQ(Noted(FromKubernetes(JobWith("  activeDeadlineSeconds: 60\n"))),
            Texts{"5 activeDeadlineSeconds: 60"})
      << "six retries where none are said";
  EXPECT_EQ(Noted(FromKubernetes(JobWith("  backoffLimit: 0\n  activeDeadlineSeconds: 6\n"))),
            Texts())
      << "one attempt";
  EXPECT_EQ(Noted(FromKubernetes(JobWith("  backoffLimit: 1\n  activeDeadlineSeconds: 600\n",
                                         "      activeDeadlineSeconds: 300\n"))),
            Texts())
      << "two of 300 s";
  const ImportedJob both = FromKubernetes(JobWith(
      "  backoffLimit: 2\n  activeDeadlineSeconds: 600\n", "      activeDeadlineSeconds: 300\n"));
  EXPECT_EQ(Noted(both), Texts{"6 activeDeadlineSeconds: 600"});
  EXPECT_EQ(Decoded(both).policy.time_limit, Duration::Seconds(300));
  EXPECT_EQ(Decoded(FromKubernetes(JobWith("  backoffLimit: 0\n  activeDeadlineSeconds: 60\n",
                                           "      activeDeadlineSeconds: 300\n")))
                .policy.time_limit,
            Duration::Seconds(60));
  EXPECT_EQ(
      Noted(FromKubernetes(JobWith(
          "  completions: 3\n  parallelism: 1\n  backoffLimit: 0\n  activeDeadlineSeconds: 60\n"))),
      (Texts{"7 backoffLimit: 0", "8 activeDeadlineSeconds: 60"}))
      << "of each of the array";
  EXPECT_EQ(Noted(FromKubernetes("kind: Pod\nspec:\n  restartPolicy: Never\n  "
                                 "activeDeadlineSeconds: 5\n  containers:\n  - {command: [a]}\n")),
            Texts())
      << "of a pod it is one of each attempt";
}

TEST(ImportKubernetes, WhatHasAnotherFormThanExpectedIsTold) {
  EXPECT_EQ(
      Noted(FromKubernetes(Never(
          "    args: foo\n    env: bar\n    resources: {limits: {cpu: 8}, requests: {cpu: 2}}\n"))),
      (Texts{"8 spec.containers[0].args", "9 spec.containers[0].env", "10 requests: {cpu: 2}"}));
}

TEST(ImportKubernetes, MigInstancesAreAskedForByTheirProfile) {
  const JobSpec job =
      Decoded(FromKubernetes(Pod("    resources: {limits: {nvidia.com/mig-2g.20gb: 1}}\n")));
  EXPECT_EQ(job.resources.gpus.isolation, Isolation::kMig);
  EXPECT_EQ(job.resources.gpus.memory_mib, 17'167);
  EXPECT_EQ(job.resources.gpus.share_thousandths, 285);
}

TEST(ImportKubernetes, AmountsAreRoundedUp) {
  const JobSpec job =
      Decoded(FromKubernetes(Pod("    resources: {requests: {cpu: 1500m, memory: 1.5G}}\n")));
  EXPECT_EQ(job.resources.cpus, 2);
  EXPECT_GE(job.resources.memory_bytes, 1'500'000'000);
  EXPECT_LT(job.resources.memory_bytes, 1'500'002'000);
}

TEST(ImportKubernetes, SaysAllThatItLeavesOut) {
  EXPECT_EQ(Noted(FromKubernetes(Pod(
                "    imagePullPolicy: Always\n    resources: {limits: {cpu: lots, rdma/hca: 1}}\n",
                "  hostNetwork: true\n  priorityClassName: gold\n"))),
            (Texts{"4 restartPolicy: Always", "4 spec.hostNetwork", "5 priorityClassName: gold",
                   "9 spec.containers[0].imagePullPolicy", "10 cpus: lots", "10 rdma/hca: 1"}));
  EXPECT_EQ(Noted(FromKubernetes("kind: Service\nspec: {}\n---\n" + Pod(""))),
            (Texts{"1 kind: Service", "7 restartPolicy: Always"}));
  EXPECT_EQ(Noted(FromKubernetes("kind: Pod\nspec:\n  containers:\n  - {command: [a]}\n  - {name: "
                                 "second, command: [b]}\n")),
            (Texts{"3 restartPolicy: Always", "5 spec.containers[1]"}));
}

TEST(ImportKubernetes, NoTextBecomesAKeyOfTheJobFile) {
  const ImportedJob imported = FromKubernetes(
      "kind: Pod\nmetadata: {name: \"a\\nrun: evil\"}\nspec:\n  terminationGracePeriodSeconds: "
      "\"5s\\nproject: root\"\n  containers:\n  - command: [\"echo\", \"x\\\"\\nrun: evil\", "
      "\"$(id)\"]\n");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.name, "a-run-evil");
  EXPECT_EQ(job.project, "default");
  ASSERT_EQ(job.program.command.size(), 3u);
  EXPECT_EQ(job.program.command[1], "x\"\nrun: evil");
}

constexpr const char* kPod = R"(
        spec:
          restartPolicy: Never
          containers:
          - name: task
            command: [python, t.py]
            resources: {limits: {nvidia.com/gpu: 1}}
)";

TEST(ImportKubernetes, AJobOfVolcanoIsAGang) {
  const std::string head =
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v}\nspec:\n";
  const ImportedJob imported =
      FromKubernetes(head +
                     "  minAvailable: 10\n  schedulerName: volcano\n  queue: research\n  policies: "
                     "[{action: CompleteJob, event: TaskCompleted}]\n  plugins: {ssh: [], env: "
                     "[]}\n  tasks:\n  - name: worker\n    replicas: 10\n    template:" +
                     kPod);
  EXPECT_EQ(Decoded(imported).resources.nodes, 10);
  EXPECT_EQ(Decoded(imported).resources.nodes_min, 0);
  EXPECT_EQ(Decoded(imported).policy.queue, "research");
  EXPECT_EQ(Decoded(imported).program.command, (Texts{"python", "t.py"}));
  EXPECT_EQ(Noted(imported),
            (Texts{"6 spec.schedulerName", "8 spec.policies", "9 spec.plugins", "11 tasks"}));
  const JobSpec elastic = Decoded(FromKubernetes(
      head + "  minAvailable: 2\n  maxRetry: 4\n  tasks:\n  - replicas: 3\n    template:" + kPod +
      "  - replicas: 1\n    template:" + kPod));
  EXPECT_EQ(elastic.resources.nodes, 4);
  EXPECT_EQ(elastic.resources.nodes_min, 2);
  EXPECT_EQ(elastic.recovery.retry.retries_max, 4);
  const JobSpec torch = Decoded(FromKubernetes(
      head + "  plugins: {pytorch: []}\n  tasks:\n  - replicas: 2\n    template:" + kPod));
  EXPECT_EQ(torch.program.command[2],
            "export RANK=\"$GP_NODE_RANK\" WORLD_SIZE=\"$GP_NNODES\"; exec \"$@\"");
}

TEST(ImportKubernetes, AJobOfKubeflowIsAGang) {
  const std::string head =
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: p, labels: "
      "{kueue.x-k8s.io/queue-name: nlp}}\nspec:\n";
  const std::string replicas = std::string(
                                   "  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n      "
                                   "restartPolicy: OnFailure\n      template:") +
                               kPod + "    Worker:\n      replicas: 3\n      template:" + kPod;
  const ImportedJob imported =
      FromKubernetes(head +
                     "  nprocPerNode: \"4\"\n  runPolicy: {backoffLimit: 2, cleanPodPolicy: None, "
                     "schedulingPolicy: {minAvailable: 4, queue: q}}\n" +
                     replicas);
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.resources.nodes, 4);
  EXPECT_EQ(job.policy.queue, "q");
  EXPECT_EQ(job.recovery.retry.retries_max, 2);
  EXPECT_EQ(job.resources.gpus.count, 1);
  EXPECT_NE(job.program.command[2].find("WORLD_SIZE=\"$((GP_NNODES * 4))\""), std::string::npos)
      << job.program.command[2];
  EXPECT_EQ(Noted(imported).size(), 1u) << "that it is a gang";
  const JobSpec elastic = Decoded(
      FromKubernetes(head + "  elasticPolicy: {minReplicas: 1, maxReplicas: 5}\n" + replicas));
  EXPECT_NE(FromKubernetes(head + "  elasticPolicy: {minReplicas: 1, maxReplicas: 5}\n" + replicas)
                .notes.front()
                .why.find("on 1 to 5 nodes"),
            std::string::npos);
  EXPECT_EQ(elastic.resources.nodes, 5);
  EXPECT_EQ(elastic.resources.nodes_min, 1);
  EXPECT_EQ(
      Decoded(FromKubernetes(head + "  pytorchReplicaSpecs:\n    Worker:\n      template:" + kPod))
          .resources.nodes,
      1);
}

TEST(ImportKubernetes, AJobSetIsAGang) {
  const std::string head =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s}\nspec:\n  "
      "failurePolicy: {maxRestarts: 3}\n  replicatedJobs:\n";
  const auto job = [](const std::string& name, int replicas) {
    return "  - name: " + name + "\n    replicas: " + std::to_string(replicas) +
           "\n    template:\n      spec:\n        parallelism: 4\n        completions: 4\n        "
           "backoffLimit: 0\n        template:\n          spec:\n            restartPolicy: "
           "Never\n            containers:\n            - name: c\n              command: [sh, -c, "
           "\"run $JOB_COMPLETION_INDEX\"]\n              env: [{name: RANK, valueFrom: {fieldRef: "
           "{fieldPath: \"metadata.annotations['batch.kubernetes.io/job-completion-index']\"}}}]\n";
  };
  const JobSpec one = Decoded(FromKubernetes(head + job("workers", 1)));
  EXPECT_EQ(one.resources.nodes, 4);
  EXPECT_EQ(one.recovery.retry.retries_max, 3);
  EXPECT_EQ(one.program.command[2],
            "export RANK=\"$GP_NODE_RANK\" JOB_COMPLETION_INDEX=\"$GP_NODE_RANK\"; exec \"$@\"");
  EXPECT_EQ(Decoded(FromKubernetes(head + job("a", 2))).resources.nodes, 8);
  EXPECT_EQ(Decoded(FromKubernetes(head + job("a", 1) + job("b", 1))).resources.nodes, 8)
      << "alike in all but their names";
}

TEST(ImportKubernetes, ATrainJobWithItsProgram) {
  const std::string head =
      "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t}\nspec:\n  "
      "runtimeRef: {name: torch-distributed}\n  trainer:\n    numNodes: 2\n";
  const JobSpec job = Decoded(FromKubernetes(
      head +
      "    command: [torchrun, t.py]\n    resourcesPerNode: {limits: {nvidia.com/gpu: 4}}\n"));
  EXPECT_EQ(job.resources.nodes, 2);
  EXPECT_EQ(job.resources.gpus.count, 4);
  EXPECT_EQ(job.program.command.back(), "t.py");
  EXPECT_TRUE(ImportKubernetes("t.yaml", head)
                  .error()
                  .message.starts_with("line 1: kind TrainJob: it has no trainer.command"));
}

TEST(ImportKubernetes, RanksThatDifferAreRefusedByWhatDiffers) {
  const auto error = [](const std::string& text) {
    return ImportKubernetes("job.yaml", text).error().message;
  };
  const std::string volcano =
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec:\n  tasks:\n  - name: ps\n    "
      "replicas: 1\n    template: {spec: {containers: [{name: a, command: [ps]}]}}\n  - name: "
      "worker\n    replicas: 2\n    template: {spec: {containers: [{name: a, command: [work]}]}}\n";
  EXPECT_EQ(error(volcano),
            "line 10: kind Job of Volcano: ps and worker differ in containers[0].command[0], and "
            "all ranks of a job run the same: make a job of each, or distinguish them by "
            "GP_NODE_RANK in one program");
  const std::string mpi =
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nspec:\n  mpiReplicaSpecs:\n    Launcher: "
      "{replicas: 1, template: {spec: {containers: [{name: l, command: [mpirun, x]}]}}}\n    "
      "Worker: {replicas: 2, template: {spec: {containers: [{name: w, command: [mpirun, x], "
      "resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n";
  EXPECT_TRUE(error(mpi).starts_with(
      "line 6: kind MPIJob: Launcher and Worker differ in containers[0].resources,"))
      << error(mpi);
  const std::string torch =
      "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Master: "
      "{template: {spec: {nodeSelector: {a: b}, containers: [{command: [x]}]}}}\n    Worker: "
      "{template: {spec: {containers: [{command: [x]}]}}}\n";
  EXPECT_TRUE(error(torch).starts_with(
      "line 6: kind PyTorchJob: Master and Worker differ in nodeSelector,"))
      << error(torch);
  EXPECT_TRUE(error("apiVersion: kubeflow.org/v1\nkind: TFJob\nspec:\n  tfReplicaSpecs:\n    PS: "
                    "{template: {spec: {containers: [{command: [x], args: [a]}]}}}\n    Worker: "
                    "{template: {spec: {containers: [{command: [x]}]}}}\n")
                  .starts_with("line 6: kind TFJob: PS and Worker differ in containers[0].args,"));
}

TEST(ImportKubernetes, ListsAndCronJobs) {
  const std::string job =
      "kind: Job, apiVersion: batch/v1, metadata: {name: a}, spec: {backoffLimit: 0, template: "
      "{spec: {containers: [{command: [x]}]}}}";
  const ImportedJob list =
      FromKubernetes("apiVersion: v1\nkind: List\nitems:\n- {" + job +
                     "}\n- {kind: Pod, metadata: {name: b}, spec: {restartPolicy: Never, "
                     "containers: [{command: [y]}]}}\n- {kind: Service}\n");
  EXPECT_EQ(DecodeJobFile("x", list.text).jobs.size(), 2u) << list.text;
  EXPECT_EQ(Noted(list), Texts{"6 kind: Service"});
  const ImportedJob cron = FromKubernetes(
      "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec:\n  schedule: \"0 3 * "
      "* *\"\n  jobTemplate: {spec: {backoffLimit: 0, template: {spec: {containers: [{command: "
      "[x]}]}}}}\n");
  EXPECT_EQ(Decoded(cron).name, "nightly");
  EXPECT_EQ(Noted(cron), Texts{"5 spec.schedule"});
}

TEST(ImportKubernetes, QueuesByTheMap) {
  const ImportOptions options{.queues = {{"user-queue", "research/nlp"}}};
  const auto imported =
      Sound(ImportKubernetes("a.yaml",
                             "kind: Pod\nmetadata: {name: a, labels: {kueue.x-k8s.io/queue-name: "
                             "user-queue}}\nspec:\n  containers:\n  - command: [a]\n",
                             options));
  EXPECT_EQ(Decoded(imported).policy.queue, "research/nlp");
}

TEST(ImportKubernetes, RefusesWhatIsNoJob) {
  const auto error = [](const std::string& text) {
    return ImportKubernetes("job.yaml", text).error().message;
  };
  EXPECT_EQ(error("kind: Service\n"),
            "line 1: kind: Service is none of Pod, Job, CronJob, Volcano's Job, JobSet, TrainJob "
            "and Kubeflow's jobs: import the pods that it starts as Jobs of batch/v1");
  EXPECT_EQ(error(""), "there is no Kubernetes job in the file");
  EXPECT_TRUE(error("kind: Namespace\n---\nkind: Queue\n---\nkind: Queue\n")
                  .ends_with("; nor is there one in the 2 documents after it"));
  EXPECT_TRUE(error("apiVersion: batch.example.org/v1\nkind: Job\nspec: {}\n")
                  .starts_with("line 1: kind: Job of batch.example.org/v1 is none of"));
  EXPECT_EQ(error("kind: Job\nspec: {parallelism: 0, template: {spec: {}}}\n"),
            "line 1: with parallelism or completions of 0 it runs nothing");
  EXPECT_EQ(error("kind: Job\n"), "line 1: kind Job: spec.template.spec is missing");
  EXPECT_EQ(error("kind: Pod\nspec:\n  containers:\n  - {image: i}\n"),
            "line 4: the container has no command: the program of its image is not known here");
  EXPECT_TRUE(error("kind: [\n").starts_with("line "));
}

}  // namespace
}  // namespace gp
