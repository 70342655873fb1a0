// Stranded GPUs, moves that would let waiting jobs start, and recent changes.
import { useEffect, useState } from "preact/hooks";
import { get, type MovePlans, type Problem } from "../lib/api";
import { changes, cluster } from "../lib/live";
import { link } from "../lib/route";
import { counted, number, span } from "../lib/text";
import { Head, Panel, Told } from "../ui/basic";
import { propose } from "../ui/action";
import { Table } from "../ui/table";

export function Scheduler() {
  const [plans, set] = useState<MovePlans | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => void get<MovePlans>("/api/v1/moves").then(set, setProblem), [changes.value[0]?.id]);
  const apply = () => propose({
    title: "Apply moves", effect: <p>Starts {counted(plans?.plans.length ?? 0, "waiting job")}. Moves {counted(plans?.plans.reduce((sum, plan) => sum + plan.moves.length, 0) ?? 0, "running job")}: each is stopped and resumes elsewhere from a checkpoint.</p>,
    command: ["defrag", "apply"], method: "POST", path: "/api/v1/moves", body: {}, then: () => cluster.soon(),
  });
  return (
    <>
      <Head title="Scheduler" />
      {problem && <Told problem={problem} />}
      <Panel title="Free and stranded GPUs">
        <Table label="Fragmentation" rows={[...(plans?.pools ?? []).map((one) => ({ ...one, what: "pool" })), ...(plans?.queues ?? []).map((one) => ({ ...one, what: "queue" }))]} key_of={(one) => `${one.what} ${one.name}`} empty="No pools." columns={[
          { name: "Pool or queue", show: (one) => `${one.what} ${one.name}` }, { name: "Free", show: (one) => number(one.gpus_free), number: true },
          { name: "Stranded", show: (one) => (one.gpus_stranded === null ? "unknown: no jobs" : number(one.gpus_stranded, 1)), number: true },
        ]} />
      </Panel>
      <Panel title="Suggested moves">
        {(plans?.plans ?? []).length === 0 ? <p class="empty">None: no move gains more GPU time than it costs.</p> : (
          <>
            <ul>{plans!.plans.map((plan) => <li><a href={link(["jobs", plan.job_id])}>{plan.job_id}</a> would start {plan.placement}, {span(plan.wait_saved_seconds)} earlier: gain {number(plan.gain_gpu_hours, 1)}, cost {number(plan.cost_gpu_hours, 1)} GPU-hours. Moves {plan.moves.map((move) => `${move.job_id} from ${move.places.join(" ")} to ${move.destination.join(" ")}`).join("; ")}</li>)}</ul>
            <button type="button" onClick={apply}>apply moves …</button>
          </>
        )}
      </Panel>
      <Panel title="Recent changes">
        {changes.value.length === 0 ? <p class="empty">None since this page was opened.</p> : <ol class="steps">{changes.value.slice(0, 60).map((one) => <li>{one.kind} {one.kind === "job" ? <a href={link(["jobs", one.object])}>{one.object}</a> : one.object} {one.state}</li>)}</ol>}
      </Panel>
    </>
  );
}
