// Where free GPUs are of no use, and which jobs to move so that others start; what just happened.
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
    title: "Move", effect: <p>To start: {counted(plans?.plans.length ?? 0, "waiting job")}. To be stopped, and to go on elsewhere from a checkpoint: {counted(plans?.plans.reduce((sum, plan) => sum + plan.moves.length, 0) ?? 0, "running job")}.</p>,
    command: ["defrag", "apply"], method: "POST", path: "/api/v1/moves", body: {}, then: () => cluster.soon(),
  });
  return (
    <>
      <Head title="Scheduler" />
      {problem && <Told problem={problem} />}
      <Panel title="Free GPUs, and how many of them are of no use">
        <Table label="Fragmentation" rows={[...(plans?.pools ?? []).map((one) => ({ ...one, what: "pool" })), ...(plans?.queues ?? []).map((one) => ({ ...one, what: "queue" }))]} key_of={(one) => `${one.what} ${one.name}`} empty="There are no pools yet." columns={[
          { name: "Of", show: (one) => `${one.what} ${one.name}` }, { name: "Free", show: (one) => number(one.gpus_free), number: true },
          { name: "Stranded", show: (one) => (one.gpus_stranded === null ? "no jobs to tell by" : number(one.gpus_stranded, 1)), number: true },
        ]} />
      </Panel>
      <Panel title="Moves that would pay">
        {(plans?.plans ?? []).length === 0 ? <p class="empty">None: nobody waits who could start by a move that pays.</p> : (
          <>
            <ul>{plans!.plans.map((plan) => <li><a href={link(["jobs", plan.job_id])}>{plan.job_id}</a> would start {plan.placement}, {span(plan.wait_saved_seconds)} earlier: gains {number(plan.gain_gpu_hours, 1)} GPU-hours for {number(plan.cost_gpu_hours, 1)}. Moves {plan.moves.map((move) => `${move.job_id} from ${move.places.join(" ")} to ${move.destination.join(" ")}`).join("; ")}</li>)}</ul>
            <button type="button" onClick={apply}>move them …</button>
          </>
        )}
      </Panel>
      <Panel title="What just happened">
        {changes.value.length === 0 ? <p class="empty">Nothing since this page is open.</p> : <ol class="steps">{changes.value.slice(0, 60).map((one) => <li>{one.kind} {one.kind === "job" ? <a href={link(["jobs", one.object])}>{one.object}</a> : one.object} {one.state}</li>)}</ol>}
      </Panel>
    </>
  );
}
