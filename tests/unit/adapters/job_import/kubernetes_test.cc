#include "adapters/inbound/job_import/kubernetes.h"

#include <gtest/gtest.h>

#include "tests/unit/adapters/job_import/imported.h"

namespace gp {
namespace {

constexpr const char* kTrainJob = R"(apiVersion: batch/v1
kind: Job
metadata: {name: llama-ft, namespace: nlp, labels: {app: llama, kueue.x-k8s.io/queue-name: training}}
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

ImportedJob FromKubernetes(const std::string& text) { return Sound(ImportKubernetes("job.yaml", text)); }

// A pod of one container that has these further lines.
std::string Pod(const std::string& container, const std::string& spec = "") {
  return "kind: Pod\nmetadata: {name: p}\nspec:\n" + spec + "  containers:\n  - name: c\n    command: [\"true\"]\n" + container;
}

std::string Never(const std::string& container) { return Pod(container, "  restartPolicy: Never\n"); }

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
max_duration: 43200s
priority: high
node_labels:
  zone: east
env:
  MODEL: llama
  HF_TOKEN:
run: [bash, "-c", "torchrun --node-rank=$JOB_COMPLETION_INDEX train.py"]
resources:
  cpus: 96
  memory: 900GiB
  gpus:
    count: 8
    model: H100
    memory_min: 80GB
  shm: 64GiB
)");
  EXPECT_EQ(Noted(imported), (Texts{"5 completions: 2", "14 nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3", "17 spec.template.spec.containers[0].image", "18 JOB_COMPLETION_INDEX", "21 env HF_TOKEN", "25 spec.template.spec.tolerations"}));
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.nodes, 2);
  EXPECT_EQ(job.memory_bytes, int64_t{900} << 30);
}

TEST(ImportKubernetes, PodsThatDoNotNeedEachOtherAreAnArray) {
  const ImportedJob imported = FromKubernetes("kind: Job\nspec:\n  completions: 50\n  parallelism: 5\n  template:\n    spec:\n      containers: [{command: [\"true\"]}]\n");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.array.count, 50);
  EXPECT_EQ(job.array.max_parallel, 5);
  EXPECT_EQ(job.gpus.count, 0);
  EXPECT_EQ(job.retry.retries_max, 6) << "what Kubernetes does where nothing is said";
  EXPECT_EQ(job.name, "job");
}

TEST(ImportKubernetes, WhoRestartsAndHowOftenIsSaid) {
  EXPECT_EQ(Noted(FromKubernetes(Pod("", "  restartPolicy: Always\n"))), Texts{"4 restartPolicy: Always"});
  EXPECT_EQ(Noted(FromKubernetes("kind: Pod\nspec: {containers: [{command: [a]}]}\n")), Texts{"2 restartPolicy: Always"}) << "where none is said";
}

TEST(ImportKubernetes, OfGpusOneKindIsTakenAndTheOthersTold) {
  const ImportedJob imported = FromKubernetes(Never("    resources: {limits: {nvidia.com/gpu: 2, nvidia.com/mig-1g.10gb: 1}}\n"));
  EXPECT_EQ(Noted(imported), Texts{"8 nvidia.com/mig-1g.10gb: 1"});
  EXPECT_EQ(Decoded(imported).gpus.count, 2);
}

TEST(ImportKubernetes, SaysWhatKubernetesWouldHaveReplaced) {
  EXPECT_EQ(Noted(FromKubernetes(Never("    env: [{name: A, value: x}, {name: B, value: \"$(A)/y\"}, {name: C}]\n"))), Texts{"8 $(A)/y"});
}

TEST(ImportKubernetes, WhatHasAnotherFormThanExpectedIsTold) {
  EXPECT_EQ(Noted(FromKubernetes(Never("    args: foo\n    env: bar\n    resources: {limits: {cpu: 8}, requests: {cpu: 2}}\n"))),
            (Texts{"8 spec.containers[0].args", "9 spec.containers[0].env", "10 requests: {cpu: 2}"}));
}

TEST(ImportKubernetes, MigInstancesAreAskedForByTheirMemory) {
  const JobSpec job = Decoded(FromKubernetes(Pod("    resources: {limits: {nvidia.com/mig-2g.20gb: 1}}\n")));
  EXPECT_EQ(job.gpus.isolation, Isolation::kMig);
  EXPECT_EQ(job.gpus.memory_mib, 19'074);
}

TEST(ImportKubernetes, AmountsAreRoundedUp) {
  const JobSpec job = Decoded(FromKubernetes(Pod("    resources: {requests: {cpu: 1500m, memory: 1.5G}}\n")));
  EXPECT_EQ(job.cpus, 2);
  EXPECT_GE(job.memory_bytes, 1'500'000'000);
  EXPECT_LT(job.memory_bytes, 1'500'002'000);
}

TEST(ImportKubernetes, SaysAllThatItLeavesOut) {
  EXPECT_EQ(Noted(FromKubernetes(Pod("    imagePullPolicy: Always\n    resources: {limits: {cpu: lots, rdma/hca: 1}}\n", "  hostNetwork: true\n  priorityClassName: gold\n"))),
            (Texts{"4 restartPolicy: Always", "4 spec.hostNetwork", "5 priorityClassName: gold", "9 spec.containers[0].imagePullPolicy", "10 cpus: lots", "10 rdma/hca: 1"}));
  EXPECT_EQ(Noted(FromKubernetes("kind: Service\nspec: {}\n---\n" + Pod(""))), (Texts{"1 kind: Service", "7 restartPolicy: Always"}));
  EXPECT_EQ(Noted(FromKubernetes("kind: Pod\nspec:\n  containers:\n  - {command: [a]}\n  - {name: second, command: [b]}\n")), (Texts{"3 restartPolicy: Always", "5 spec.containers[1]"}));
}

TEST(ImportKubernetes, NoTextBecomesAKeyOfTheJobFile) {
  const ImportedJob imported = FromKubernetes("kind: Pod\nmetadata: {name: \"a\\nrun: evil\"}\nspec:\n  terminationGracePeriodSeconds: \"5s\\nproject: root\"\n  containers:\n  - command: [\"echo\", \"x\\\"\\nrun: evil\", \"$(id)\"]\n");
  const JobSpec job = Decoded(imported);
  EXPECT_EQ(job.name, "a-run-evil");
  EXPECT_EQ(job.project, "default");
  ASSERT_EQ(job.command.size(), 3u);
  EXPECT_EQ(job.command[1], "x\"\nrun: evil");
}

TEST(ImportKubernetes, RefusesWhatIsNoJob) {
  const auto error = [](const std::string& text) { return ImportKubernetes("job.yaml", text).error().message; };
  EXPECT_EQ(error("kind: Service\n"), "there is neither a Job nor a Pod of Kubernetes in it");
  EXPECT_EQ(error(""), "there is neither a Job nor a Pod of Kubernetes in it");
  EXPECT_EQ(error("kind: Job\nspec: {parallelism: 0, template: {spec: {}}}\n"), "line 1: with parallelism or completions of 0 it runs nothing");
  EXPECT_EQ(error("kind: Job\n"), "line 1: spec.template.spec is missing");
  EXPECT_EQ(error("kind: Pod\nspec:\n  containers:\n  - {image: i}\n"), "line 4: the container has no command: what its image would run is not known here");
  EXPECT_TRUE(error("kind: [\n").starts_with("line "));
}

}  // namespace
}  // namespace gp
