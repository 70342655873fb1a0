// One job: details, placement or pending reasons, timeline, utilization, output.
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ask, isOver, listen, type Explanation, type Job as JobFields, type Problem } from "../lib/api";
import { holdJob, stopJob } from "../lib/actions";
import { changes } from "../lib/live";
import { link } from "../lib/route";
import { bytes, counted, number, span, when } from "../lib/text";
import { Facts, Head, Panel, State, Told } from "../ui/basic";
import { JobGpus } from "../ui/job_gpus";
import { JobMetrics } from "../ui/job_metrics";
import { JobTime } from "../ui/job_time";
import { JobUse } from "../ui/job_use";
import { Log } from "../ui/log";

function Timeline({ job }: { job: JobFields }) {
  const steps: [string, string][] = [[job.submitted_at, "submitted"]];
  for (const attempt of job.attempts) {
    steps.push([attempt.placed_at, `attempt ${attempt.number}: placed on ${attempt.ranks.map((rank) => `${rank.node}[${rank.gpus.join(",")}]`).join(" ")}`]);
    if (attempt.started_at) steps.push([attempt.started_at, `attempt ${attempt.number}: started${attempt.start_seconds ? ` ${Math.round(attempt.start_seconds * 1000)} ms after placement` : ""}`]);
    for (const note of job.xids.filter((one) => one.attempt === attempt.number)) steps.push([note.at, `XID ${note.xid} on ${note.gpu}`]);
    for (const one of job.checkpoints.filter((saved) => saved.attempt === attempt.number)) steps.push([one.at, `checkpoint, step ${one.step}, ${one.complete ? bytes(one.bytes) : one.fault}`]);
    if (attempt.ended_at) steps.push([attempt.ended_at, `attempt ${attempt.number}: ${attempt.end_class}${attempt.charged_to && attempt.charged_to !== "nobody" ? `, charged to ${attempt.charged_to}` : ""}`]);
  }
  if (job.ended_at) steps.push([job.ended_at, `${job.state}${job.exit_code !== null ? `, exit code ${job.exit_code}` : ""}`]);
  steps.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return <ol class="steps">{steps.map(([at, what]) => <li><span class="dim">{when(at)}</span> {what}</li>)}</ol>;
}

// The job has chosen these addresses: only those of web pages are links, and such a page learns nothing of this one.
function Links({ of }: { of: JobFields["links"] }) {
  return <>{of.map(({ name, url }) => <>{/^https?:\/\//.test(url) ? <a href={url} target="_blank" rel="noopener noreferrer">{name}</a> : name} </>)}</>;
}

function WhyWaiting({ job }: { job: JobFields }) {
  const [told, setTold] = useState<Explanation | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    ask<Explanation>("POST", "/api/v1/jobs:explain", { body: { job_id: job.id, forecast: true, nodes: true }, signal: abort.signal }).then(setTold, (error) => !abort.signal.aborted && setProblem(error));
    return () => abort.abort();
  }, [job.id, changes.value[0]?.id]);
  if (problem) return <Told problem={problem} />;
  if (!told) return <p class="empty">Loading …</p>;
  if (told.starts_now) return <p>The job starts in the next scheduling pass: {told.placement}</p>;
  return (
    <>
      <ol>{told.reasons.map((reason) => <li>{reason.text}</li>)}</ol>
      {told.ahead !== null && <p>{told.ahead === 0 ? "No job is ahead of it in the queue order." : `Jobs ahead of it in the queue order: ${number(told.ahead)}.`}</p>}
      {told.forecast && <p><strong>Forecast:</strong> {told.forecast.text}</p>}
      {told.cost && <p><strong>Cost:</strong> {told.cost.text}</p>}
      {told.changes.length > 0 && (<><h3>Each of these changes alone would start it now</h3><ul>{told.changes.map((change) => <li>{change.text}</li>)}</ul></>)}
      {told.holders.length > 0 && <p class="dim">GPUs held by {told.holders.slice(0, 5).map((one) => `${one.user} in ${one.queue} (${number(one.gpus, 1)})`).join(", ")}</p>}
    </>
  );
}

function Ranks({ job, attempt, open }: { job: JobFields; attempt: number; open: (rank: number) => void }) {
  const ranks = job.attempts.find((one) => one.number === attempt)?.ranks ?? [];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Ranks">
      <table>
        <thead><tr><th scope="col">Rank</th><th scope="col">Node</th><th scope="col">GPUs</th><th scope="col">NUMA</th><th scope="col">Cores</th><th scope="col">Result</th><th scope="col">Output</th></tr></thead>
        <tbody>
          {ranks.map((rank) => (
            <tr>
              <th scope="row">{rank.rank}</th>
              <td><a href={link(["nodes", rank.node])}>{rank.node}</a></td>
              <td>{rank.gpus.map((gpu) => <a href={link(["gpus", rank.node, String(gpu)])}>{gpu} </a>)}</td>
              <td>{rank.numa_nodes.join(", ")}</td><td>{rank.cpus}</td>
              <td title={rank.last_error}>{rank.live ? "running" : rank.outcome}{rank.last_error ? ` – ${rank.last_error}` : ""}</td>
              <td><button type="button" onClick={() => open(rank.rank)} aria-label={`Output of rank ${rank.rank}`}>show</button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function JobPage({ id }: { id: string }) {
  const [of] = useState(() => ({ job: signal<JobFields | null>(null), problem: signal<Problem | null>(null) }));
  const [rank, setRank] = useState(0);
  const [chosen, setAttempt] = useState(0);
  useEffect(
    () => listen(`/api/v1/jobs/${encodeURIComponent(id)}/events`, {}, (event) => (of.job.value = event.data as JobFields), (problem) => (of.problem.value = problem ?? null)),
    [id],
  );
  const job = of.job.value;
  if (!job) return <><Head title={id} />{of.problem.value ? <Told problem={of.problem.value} /> : <p class="empty">Loading …</p>}</>;
  const is_over = isOver(job);
  const is_waiting = job.state === "QUEUED" || job.state === "PENDING" || job.state === "PREEMPTED";
  const attempt = chosen || job.attempt;
  const placement = job.attempts.find((one) => one.number === attempt)?.placement;
  return (
    <>
      <Head title={<>{job.id} <span class="dim">{job.spec.name}</span> <State of={job.state} /></>}>
        <span class="actions">
          {is_waiting && <button type="button" onClick={() => holdJob(job, true)}>hold</button>}
          {job.detail === "HELD" && <button type="button" onClick={() => holdJob(job, false)}>release</button>}
          {!is_over && <button type="button" onClick={() => stopJob(job, false)}>cancel</button>}
          {!is_over && <button type="button" class="danger" onClick={() => stopJob(job, true)}>kill</button>}
          <a href={link(["submit"], { like: job.id })}>submit a copy</a>
        </span>
      </Head>
      {job.reason && <p class="note">{job.reason}</p>}
      <div class="split">
        <Panel title="Details">
          <Facts of={[
            ["User", job.user], ["Queue", job.queue], ["Requests", `${counted(job.spec.nodes ?? 1, "node")} with ${counted(job.spec.gpus?.count ?? 1, "GPU")}`], ["Waited", span(job.wait_seconds)],
            ["Ran", span(job.started_at ? job.run_seconds : null)], ["Exit code", job.exit_code], ["Attempt", job.attempt], ["Retries, faults, preemptions", `${job.retries_used}, ${job.faults}, ${job.preemptions}`],
            ["Progress", job.progress?.at ? `step ${number(job.progress.step)}${job.progress.steps ? ` of ${number(job.progress.steps)}` : ""}` : null],
            ["Not finite", job.not_finite.map((one) => `${one.name} is ${one.value} since step ${number(one.since)}`).join(", ") || null],
            ["Links", job.links.length > 0 ? <Links of={job.links} /> : null],
            ["Image", job.spec.image ? <>{job.spec.image} {job.image_digest && <code class="dim">{job.image_digest}</code>}</> : null],
            ["Mounts", job.spec.mounts?.map((one) => `${one.from} at ${one.to}${one.read_only ? " (read-only)" : ""}`).join(", ") || null],
            ["Network", job.spec.network === "NETWORK_ACCESS_NONE" ? "none" : "host"],
            ["Command", <code>{(job.spec.command ?? []).join(" ")}</code>],
          ]} />
        </Panel>
        {is_waiting && <Panel title="Pending reasons"><WhyWaiting job={job} /></Panel>}
        {placement && <Panel title="Placement"><p>{placement}</p></Panel>}
        <Panel title="Timeline"><JobTime job={job} /><Timeline job={job} /></Panel>
      </div>
      {job.attempts.length > 0 && <JobMetrics job={job} />}
      {job.attempts.length > 0 && <Panel title="Utilization"><JobUse job={job} /></Panel>}
      {job.state === "RUNNING" && <Panel title="GPUs"><JobGpus job={job} /></Panel>}
      {job.attempts.length > 0 && (
        <Panel title="Ranks and output">
          <div class="filters">
            <label>Attempt <select value={attempt} onChange={(event) => setAttempt(Number(event.currentTarget.value))}>{job.attempts.map((one) => <option value={one.number}>{one.number}</option>)}</select></label>
          </div>
          <Ranks job={job} attempt={attempt} open={setRank} />
          <h3>Output of rank {rank}</h3>
          <Log job={job.id} rank={rank} attempt={attempt} />
        </Panel>
      )}
    </>
  );
}
