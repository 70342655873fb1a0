// The GPUs of a running job among those of their nodes, with their utilization since the page was opened.
import { effect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Cluster, Gpu, Job } from "../lib/api";
import { cluster } from "../lib/live";
import { link } from "../lib/route";
import { counted } from "../lib/text";
import { meanPercent, Plot, Samples } from "./chart";
import { Cell, METRICS } from "./cell";

const NODES = 16; // of a larger gang only the first are drawn

const liveRanks = (job: Job) => (job.attempts.at(-1)?.ranks ?? []).filter((rank) => rank.live);

function gpusOf(job: Job, now: Cluster): Gpu[] {
  const nodes = new Map(now.nodes.map((node) => [node.name, node]));
  return liveRanks(job).flatMap((rank) => (nodes.get(rank.node)?.gpus ?? []).filter((gpu) => rank.gpus.includes(gpu.index)));
}

export function JobGpus({ job }: { job: Job }) {
  const samples = useMemo(() => new Samples([{ label: "busy", colour: "--free" }, { label: "memory", colour: "--waiting" }, { label: "power", colour: "--used" }]), [job.id, job.attempt]);
  const newest = useRef(job);
  newest.current = job;
  useEffect(
    () =>
      effect(() => {
        const now = cluster.at.value ? cluster.value.peek() : null; // was set just before
        if (!now) return;
        const gpus = gpusOf(newest.current, now);
        samples.add(cluster.at.value, ["busy", "memory", "power"].map((metric) => meanPercent(gpus, metric)));
      }),
    [samples],
  );
  const ranks = liveRanks(job);
  const nodes = cluster.value.value?.nodes ?? [];
  return (
    <>
      <div class="fleet">
        {ranks.slice(0, NODES).map((rank) => {
          const node = nodes.find((one) => one.name === rank.node);
          return (
            <div class="node">
              <a href={link(["nodes", rank.node])}>{rank.node}</a> <span class="dim">rank {rank.rank}, {rank.numa_nodes.length ? `NUMA ${rank.numa_nodes.join(", ")}` : "no NUMA node"}</span>
              {node && <div class="cells">{node.gpus.map((gpu) => <Cell node={node} gpu={gpu} metric={METRICS["busy"]!} is_own={rank.gpus.includes(gpu.index)} />)}</div>}
            </div>
          );
        })}
      </div>
      {ranks.length > NODES && <p class="dim">and {counted(ranks.length - NODES, "more node")}</p>}
      <Plot of={samples} label={`Busy, memory and power of the GPUs of ${job.id}, since this page was opened`} height={150} />
    </>
  );
}
