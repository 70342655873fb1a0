"""Whether what the controller grants is exactly what the kernel holds.

An attempt is named (job, attempt, rank) on both sides: by the controller's list of live ranks, and
by the environment of the processes in each lease's cgroup.
"""

import os
import time


def granted(cli):
    """What the controller says: name -> UUIDs of its GPUs, for every live rank."""
    ranks = {}
    for listed in cli.jobs():
        job = cli.job(listed["id"])
        for attempt in job["attempts"]:
            for rank in attempt["ranks"]:
                if rank["live"]:
                    ranks[(job["id"], attempt["number"], rank["rank"])] = tuple(sorted(rank["gpu_uuids"]))
    return ranks


def holders(cli):
    """What the GPUs say: (UUID, job, rank) for every grant."""
    return sorted((gpu["uuid"], holder["job_id"], holder["rank"])
                  for _, gpu in cli.gpus() for holder in gpu.get("holders", []))


def held(sandbox):
    """What the kernel says: name -> UUIDs of its GPUs, for every lease cgroup with processes."""
    ranks = {}
    for lease, pids in sandbox.leases().items():
        found = {attempt for attempt in map(_attempt_of, pids) if attempt is not None}
        if not found:
            continue
        assert len(found) == 1, f"{lease} holds processes of {found}"
        name, uuids = found.pop()
        assert name not in ranks, f"{name} is in two cgroups"
        ranks[name] = uuids
    return ranks


def names(sandbox):
    """Lease -> the attempt whose processes are in its cgroup."""
    found = {}
    for lease, pids in sandbox.leases().items():
        for attempt in filter(None, map(_attempt_of, pids)):
            found[lease] = attempt[0]
    return found


def supervisors(sandbox):
    """Lease -> pids of the supervisors of it that live."""
    found = {}
    for pid in sandbox.processes():
        words = _words(pid, "cmdline")
        if len(words) > 1 and os.path.basename(words[0]) == "gpu-platform-supervisor":
            found.setdefault(words[1], []).append(pid)
    return found


def differences(cluster):
    """Empty where ledger, GPUs, cgroups and supervisors agree; jobs should be at rest."""
    cli, sandbox = cluster.cli, cluster.sandbox
    ledger, kernel = granted(cli), held(sandbox)
    found = []
    for name in sorted(ledger.keys() | kernel.keys()):
        if ledger.get(name) != kernel.get(name):
            found.append(f"{name}: granted {ledger.get(name)}, held {kernel.get(name)}")
    by_gpu = sorted((uuid, job, rank) for (job, _, rank), uuids in ledger.items() for uuid in uuids)
    if by_gpu != holders(cli):
        found.append(f"GPUs are held by {holders(cli)}, granted to {by_gpu}")
    watched = supervisors(sandbox)
    if any(len(pids) > 1 for pids in watched.values()):
        found.append(f"two supervisors for one lease: {watched}")
    if watched.keys() != sandbox.leases().keys():
        found.append(f"supervisors of {sorted(watched)}, cgroups of {sorted(sandbox.leases())}")
    return found


def settled_differences(cluster, patience_s=10):
    """Those that stay: a job counts as running from its placement on, and its program comes a moment later."""
    until = time.monotonic() + patience_s
    while (found := differences(cluster)) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def _words(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return [word.decode(errors="replace") for word in file.read().split(b"\0")]
    except OSError:
        return []


def _attempt_of(pid):
    variables = dict(word.split("=", 1) for word in _words(pid, "environ") if "=" in word)
    if "GP_JOB_ID" not in variables:
        return None
    visible = variables["CUDA_VISIBLE_DEVICES"]
    uuids = () if visible == "-1" else tuple(sorted(visible.split(",")))
    name = (variables["GP_JOB_ID"], int(variables["GP_ATTEMPT"]), int(variables["GP_NODE_RANK"]))
    return name, uuids
