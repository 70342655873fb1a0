// What a job has reported of its training: a chart for each metric.
import { useEffect, useState } from "preact/hooks";
import { isOver, Problem, type Job } from "../lib/api";
import { JOBS_MAX, listed, RANKS_MAX, readMetrics, type Metrics, type Run } from "../lib/metrics";
import { place, setFilter } from "../lib/route";
import { number } from "../lib/text";
import { Panel, Told } from "./basic";
import { MetricChart } from "./metric_chart";

const EVERY_MS = 5_000;
const SHOWN = 12;

interface View {
  compare: string;
  find: string;
  is_superseded: boolean;
  is_log: boolean;
}

// It is part of the page's address, so that a link shows what its sender saw.
function viewOf(query: URLSearchParams): View {
  return { compare: query.get("compare") ?? "", find: query.get("metric") ?? "", is_superseded: query.has("superseded"), is_log: query.has("log") };
}

const matching = (names: string[], find: string) => names.filter((name) => name.toLowerCase().includes(find.toLowerCase()));

// Reads the metrics until all jobs are over, and then once more: the last values arrive a moment after a job's end.
function useMetrics(job: Job, view: View, is_all: boolean): { metrics: Metrics | null; problem: Problem | null } {
  const [metrics, setMetrics] = useState<Metrics | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const is_over = isOver(job);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    let reads = 0;
    const wanted = { others: listed(view.compare), choose: (names: string[]) => matching(names, view.find).slice(0, is_all ? undefined : SHOWN), is_superseded: view.is_superseded };
    const look = async () => {
      let is_last = false;
      if (reads === 0 || !document.hidden) {
        try {
          const told = await readMetrics(job, wanted, abort.signal);
          is_last = ++reads > 1 && is_over && told.runs.every((run) => run.is_over);
          setMetrics(told);
          setProblem(null);
        } catch (error) {
          if (abort.signal.aborted) return;
          const told = error instanceof Problem ? error : new Problem(0, "internal", String(error));
          setProblem(told);
          is_last = told.status === 403 || told.status === 404;
        }
      }
      if (!is_last && !abort.signal.aborted) timer = window.setTimeout(look, EVERY_MS);
    };
    void look();
    return () => (abort.abort(), clearTimeout(timer));
  }, [job.id, is_over, view.compare, view.find, view.is_superseded, is_all]);
  return { metrics, problem };
}

// A whole list of jobs is looked up, and not each letter of it.
function Compare({ of, problems }: { of: string; problems: string[] }) {
  const [text, setText] = useState(of);
  useEffect(() => setText(of), [of]);
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>Compare with <input value={text} placeholder="job-7, name" size={24} onInput={(event) => setText(event.currentTarget.value)} onChange={(event) => setFilter("compare", event.currentTarget.value.trim())} /></label>
        <span class="dim">up to {JOBS_MAX} jobs, separated by commas</span>
      </form>
      {problems.length > 0 && <div class="note problem" role="alert">{problems.map((one) => <div>{one}</div>)}</div>}
    </>
  );
}

// A chart has a line for each rank, or with several jobs for each job.
function leftOut(runs: Run[]): string | null {
  const ranks = Math.max(0, ...runs.flatMap((run) => run.series.map((one) => run.series.filter((other) => other.name === one.name).length)));
  if (runs.length > 1 && ranks > 1) return "Of each job, its first rank is drawn.";
  return ranks > RANKS_MAX ? `Of ${number(ranks)} ranks, the first ${RANKS_MAX} are drawn.` : null;
}

export function JobMetrics({ job }: { job: Job }) {
  const [is_all, setAll] = useState(false);
  const view = viewOf(place.value.query);
  const { metrics, problem } = useMetrics(job, view, is_all);
  if (!metrics || metrics.names.length === 0) return null; // most jobs report none
  const found = matching(metrics.names, view.find);
  const shown = found.slice(0, is_all ? undefined : SHOWN).filter((name) => metrics.runs[0]?.series.some((one) => one.name === name));
  const left = leftOut(metrics.runs);
  return (
    <Panel title="Metrics">
      <div class="filters">
        {metrics.names.length > SHOWN && <label>Filter <input type="search" value={view.find} onInput={(event) => setFilter("metric", event.currentTarget.value)} /></label>}
        <label><input type="checkbox" checked={view.is_log} onChange={(event) => setFilter("log", event.currentTarget.checked ? "1" : "")} />logarithmic</label>
        <label title="steps that a later attempt has computed again"><input type="checkbox" checked={view.is_superseded} onChange={(event) => setFilter("superseded", event.currentTarget.checked ? "1" : "")} />show superseded</label>
      </div>
      <Compare of={view.compare} problems={metrics.problems} />
      {problem && <Told problem={problem} />}
      {left && <p class="dim">{left}</p>}
      {found.length === 0 && <p class="empty">No matching metrics.</p>}
      <div class="grid curves">{shown.map((name) => <MetricChart key={name} name={name} runs={metrics.runs} is_log={view.is_log} />)}</div>
      {found.length > SHOWN && <button type="button" onClick={() => setAll(!is_all)}>{is_all ? `show the first ${SHOWN}` : `show all ${number(found.length)}`}</button>}
    </Panel>
  );
}
