#!/usr/bin/python3
"""Imported jobs run: what stands in a script of Slurm's or a workload of Kubernetes comes to the same here."""

import os

from live_platform import ClusterTest, main

TRAIN = """#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=2 --gres=gpu:h100:1 --partition=gpu
#SBATCH --export=ALL,CUDA_VISIBLE_DEVICES=0
set -eu
RECIPE=$1
clear > /dev/null
HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun --label bash -c "echo task \\$SLURM_PROCID of \\$SLURM_NTASKS, \\$SLURM_LOCALID on \\$SLURMD_NODENAME, head $HEAD, $RECIPE ${2:-0}"
srun --ntasks=2 echo last "$@"
"""

SWEEP = """#!/bin/sh
#SBATCH --array=1,3,7-9%2 --mem=64M
echo $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_MIN to $SLURM_ARRAY_TASK_MAX
"""


EACH = """#!/bin/bash
#SBATCH -N1 -n2 --gpus-per-task=1
set -u
srun sh -c 'echo $SLURM_LOCALID $CUDA_VISIBLE_DEVICES'
"""

INDEXED = """apiVersion: batch/v1
kind: Job
metadata: {name: shards}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 2
  template: {spec: {restartPolicy: Never, containers: [{command: [echo, "$(JOB_COMPLETION_INDEX)", "$$HOME"]}]}}
"""


class Import(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 2}

    def imported(self, name, text, *flags):
        path = os.path.join(self.cluster.shared, name)
        with open(path, "w") as file:
            file.write(text)
        return self.cli("-q", "jobs", "import", path, *flags).ok().out.encode()

    def run_to_end(self, job_file, *arguments):
        job = self.cli("jobs", "submit", "-", *(["--", *arguments] if arguments else []), input=job_file).ok().lines[0]
        self.assertEqual(self.cli.wait(job), 0, self.cli("jobs", "describe", job).out)
        return job

    def output(self, job, *flags):
        return self.cli("jobs", "logs", job, *flags).ok().out

    def test_a_script_of_two_nodes_with_tasks_and_arguments(self):
        job = self.run_to_end(self.imported("train.sbatch", TRAIN), "a recipe", "7")
        for rank in range(2):
            lines = self.output(job, "--rank", str(rank)).splitlines()
            told = sorted(lines[:2])
            for local in range(2):
                self.assertRegex(told[local], rf"^task {rank * 2 + local} of 4, {local} on \S+, head \S+, a recipe 7$")
            self.assertEqual(lines[2:], ["last a recipe 7"])

    def test_tasks_with_gpus_of_their_own(self):
        job = self.run_to_end(self.imported("each.sbatch", EACH, "--strict"))
        told = dict(line.split() for line in self.output(job).splitlines())
        self.assertEqual(set(told), {"0", "1"})
        self.assertEqual(sorted(told.values()), sorted(self.cli.job(job)["attempts"][-1]["ranks"][0]["gpu_uuids"]))

    def test_elements_of_an_indexed_job(self):
        array = self.run_to_end(self.imported("indexed.yaml", INDEXED, "--strict"))
        self.assertEqual([self.output(f"{array}[{i}]") for i in range(4)], [f"{i} $HOME\n" for i in range(4)])

    def test_an_array_of_a_list(self):
        array = self.run_to_end(self.imported("sweep.sbatch", SWEEP))
        self.assertEqual([self.output(f"{array}[{i}]") for i in range(5)], [f"{number} of 1 to 9\n" for number in (1, 3, 7, 8, 9)])

    def test_a_gang_of_kubernetes_knows_its_ranks(self):
        pod = "{spec: {containers: [{command: [sh, -c, \"echo rank $RANK of $WORLD_SIZE\"]}]}}"
        text = f"apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {{name: torch}}\nspec:\n  pytorchReplicaSpecs:\n    Master: {{template: {pod}}}\n    Worker: {{replicas: 1, template: {pod}}}\n"
        job = self.run_to_end(self.imported("torch.yaml", text))
        self.assertEqual([self.output(job, "--rank", str(rank)) for rank in range(2)], ["rank 0 of 2\n", "rank 1 of 2\n"])

    def test_strict_fails_on_any_note(self):
        path = os.path.join(self.cluster.shared, "a.sbatch")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n#SBATCH --gres=gpu:1\necho $1\n")
        strict = self.cli("jobs", "import", "--strict", path)
        self.assertEqual((strict.code, strict.out), (2, ""))
        self.assertIn("a.sbatch:3: $1: ", strict.err)


if __name__ == "__main__":
    main()
