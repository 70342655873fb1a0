#!/usr/bin/env python3
"""A training job in a queue of three priorities.  It runs `python3 train.py` in the current directory.

From this directory:  PYTHONPATH=../../clients/python python3 quick_start.py
"""
from gpu_platform.job_queue import JobConfig, get_job_queue, Priority

# Configure job
job = JobConfig(
    job_id="bert-finetune-001",
    user_id="researcher-1",
    num_gpus=2,
    model_name="bert-base-uncased",
    dataset_path="./data/train.csv",
    output_dir="./output"
)

# Submit to queue
queue = get_job_queue()
job_id = queue.submit_job(job, Priority.HIGH)
print(f"Job submitted: {job_id}")
