#pragma once

// Good job files of every shape, for tests that change them or compare two readers of them.

#include <string_view>

namespace gp {

struct GoodFile {
  std::string_view name;
  std::string_view text;
};

inline constexpr GoodFile kGoodFiles[] = {
    {"least.gpu.yaml", "run: echo hi\n"},
    {"full.gpu.yaml", R"(# everything
apiVersion: gpu-platform/v1
name: llama-ft
project: nlp
queue: training
nodes: 2
resources:
  gpus: {count: 8, model: [H100, "RTX 6000"], memory_min: 80GB}
  cpus: 96
  memory: 900GB
  shm: auto
topology: {require: nvlink, prefer: same_numa, allow_cross_numa: false}
time_limit: 1d12h
priority: high
retry: {max: 3, backoff: 10s..5m, on: [failure, node_failure, gpu_error, preempted]}
checkpoint: {dir: "/ckpt/${JOB_NAME}", grace: 120s}
on_lease_loss: stop
env: {MODEL: llama, PORT: 8080, NOTE: "a\tb\u00e9"}
labels: {team/a: x}
workdir: /data/llama
run: |
  torchrun --nnodes=$GP_NNODES \
           train.py
)"},
    {"share.gpu.yaml",
     "run: [python, -c, 'print(\"it''s\")', 3]\nresources: {gpus: {share: 12.5%, isolation: "
     "mig}}\n"},
    {"shorthand.gpu.yaml",
     "resources: {gpus: H100:2}\nname: \"007\"\nrun: >-\n  a\n  b\npriority: 17"},
    {"many.gpu.yaml", "run: a\n---\nrun: b\nname: second\n---\nrun: c\nresources: {gpus: 0}\n"},
    {"job.json",
     "{\n\t\"name\": \"x\",\n\t\"resources\": {\"gpus\": {\"count\": 2, \"share\": 0.5}},\n"
     "\t\"env\": {\"A\": 1, \"B\": true},\n\t\"run\": [\"sh\", \"-c\", \"echo \\u00e9\"]\n}\n"},
    {"train.sh",
     "#!/bin/bash\n# Fine-tune, ümläuts too.\n#GPU resources:\n#GPU   gpus: 8\n\n#GPU nodes: 2\n"
     "python train.py\n"},
};

}  // namespace gp
