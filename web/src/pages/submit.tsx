// A job to submit, with a preview of what the scheduler would do with it.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask, get, Problem, type Explanation, type Job, type JobSpec } from "../lib/api";
import { jobs, queues } from "../lib/live";
import { go, place } from "../lib/route";
import { Head, Panel, Told } from "../ui/basic";
import { propose } from "../ui/action";

const TEMPLATES: Record<string, JobSpec> = {
  "one GPU": { name: "train", command: ["python3", "train.py"], gpus: { count: 1 } },
  "one node with 8 GPUs": { name: "train", command: ["torchrun", "--nproc-per-node=8", "train.py"], gpus: { count: 8 } },
  "a gang of two nodes": { name: "gang", command: ["python3", "train.py"], nodes: 2, gpus: { count: 8 } },
  "a quarter of a GPU": { name: "notebook", command: ["jupyter", "lab"], gpus: { count: 1, share_thousandths: 250, isolation: "ISOLATION_MPS" } },
  "an array of 10 jobs": { name: "sweep", command: ["python3", "sweep.py"], gpus: { count: 1 }, array: { count: 10, max_parallel: 4 } },
};

const text = signal(JSON.stringify(TEMPLATES["one GPU"], null, 2));

function parse(): JobSpec | string {
  try {
    return JSON.parse(text.value) as JobSpec;
  } catch (error) {
    return `Invalid JSON: ${(error as Error).message}`;
  }
}

// The command for simple jobs; others need a job file.
const commandOf = (spec: JobSpec) => ["run", ...(spec.name ? ["--name", spec.name] : []), "--gpus", String(spec.gpus?.count ?? 1), ...(spec.nodes ? ["--nodes", String(spec.nodes)] : []), "--", ...(spec.command ?? [])];

export function Submit() {
  const [plan, setPlan] = useState<Explanation | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const like = place.value.query.get("like");
  useEffect(() => {
    if (like) void get<Job>(`/api/v1/jobs/${encodeURIComponent(like)}`).then((job) => (text.value = JSON.stringify(Object.fromEntries(Object.entries(job.spec).filter(([, value]) => value !== null && value !== "" && value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0) && !(typeof value === "object" && Object.keys(value).length === 0))), null, 2)), setProblem);
  }, [like]);
  const spec = parse();
  useEffect(() => {
    if (typeof spec === "string") return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      ask<Explanation>("POST", "/api/v1/jobs:explain", { body: { spec, forecast: true }, signal: abort.signal }).then(
        (told) => { setPlan(told); setProblem(null); },
        (error) => { if (!abort.signal.aborted) { setPlan(null); setProblem(error instanceof Problem ? error : new Problem(0, "internal", String(error))); } },
      );
    }, 400);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [text.value]);
  const set = (change: (spec: JobSpec) => void) => {
    if (typeof spec === "string") return;
    const next = structuredClone(spec);
    change(next);
    text.value = JSON.stringify(next, null, 2);
  };
  const submit = () => {
    if (typeof spec === "string") return;
    propose({
      title: "Submit", effect: <p>{plan?.starts_now ? `The job starts now: ${plan.placement}` : (plan?.forecast?.text ?? plan?.reasons[0]?.text ?? "The job is queued.")}</p>, command: commandOf(spec),
      method: "POST", path: "/api/v1/jobs", body: { specs: [spec] },
      then: (answer) => { jobs.soon(); const [id] = (answer as { job_ids: string[] }).job_ids; if (id) go(["jobs", id]); },
    });
  };
  return (
    <>
      <Head title="Submit a job">
        <label>Template <select onChange={(event) => (text.value = JSON.stringify(TEMPLATES[event.currentTarget.value], null, 2))}>{Object.keys(TEMPLATES).map((name) => <option>{name}</option>)}</select></label>
      </Head>
      <div class="split">
        <Panel title="Job">
          {typeof spec !== "string" && (
            <div class="filters">
              <label>Name <input value={spec.name ?? ""} onInput={(event) => { const value = event.currentTarget.value; set((next) => (next.name = value)); }} /></label>
              <label>GPUs per node <input type="number" min="0" max="64" value={spec.gpus?.count ?? 1} onInput={(event) => { const value = Number(event.currentTarget.value); set((next) => (next.gpus = { ...next.gpus, count: value })); }} /></label>
              <label>Nodes <input type="number" min="1" max="1000" value={spec.nodes ?? 1} onInput={(event) => { const value = Number(event.currentTarget.value); set((next) => (next.nodes = value)); }} /></label>
              <label>Queue <select value={spec.queue ?? ""} onChange={(event) => { const value = event.currentTarget.value; set((next) => (next.queue = value)); }}><option value="">automatic</option>{(queues.value.value?.queues ?? []).map((queue) => <option>{queue.name}</option>)}</select></label>
            </div>
          )}
          <label for="spec">Job as JSON</label>
          <textarea id="spec" class="spec" spellcheck={false} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        </Panel>
        <Panel title="Preview">
          {typeof spec === "string" ? <p class="note problem" role="alert">{spec}</p> : problem ? <Told problem={problem} /> : !plan ? <p class="empty">Loading …</p> : (
            <>
              <p class="figure">{plan.starts_now ? "The job would start now." : "The job would wait."}</p>
              {plan.starts_now && <p>{plan.placement}</p>}
              <ol>{plan.reasons.map((reason) => <li>{reason.text}</li>)}</ol>
              {plan.forecast && <p><strong>Forecast:</strong> {plan.forecast.text}</p>}
              {plan.cost && <p><strong>Cost:</strong> {plan.cost.text}</p>}
              {plan.changes.length > 0 && <><h3>Each of these changes alone would start it now</h3><ul>{plan.changes.map((change) => <li>{change.text} {change.spec && <button type="button" onClick={() => (text.value = JSON.stringify(change.spec, null, 2))}>apply</button>}</li>)}</ul></>}
              <p><button type="button" class="main" onClick={submit}>Submit …</button></p>
            </>
          )}
        </Panel>
      </div>
    </>
  );
}
