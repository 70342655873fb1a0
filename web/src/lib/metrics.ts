// Metrics of a job's training, and those of the jobs that it is compared with.
import { ask, isOver, Problem, type Job, type MetricPoint, type MetricSeries } from "./api";

const POINTS = 1_000; // of a curve: more than a chart has pixels
const POINTS_OF_ALL = 12_000; // of a job: an answer is read every few seconds
export const JOBS_MAX = 5; // with which a job is compared

export interface Run {
  id: string;
  name: string;
  is_over: boolean;
  series: MetricSeries[];
  place: number; // among the compared jobs: 0 for the job itself
}

export interface Metrics {
  names: string[]; // all that the job has reported
  runs: Run[]; // the job itself first
  problems: string[]; // of the other jobs
}

export interface Wanted {
  others: string[]; // ids or names of jobs
  choose: (names: string[]) => string[]; // those whose curves are drawn
  is_superseded: boolean;
}

// "job-7, job-9" → its jobs, each once.
export const listed = (text: string): string[] => [...new Set(text.split(",").map((one) => one.trim()).filter(Boolean))];

const jobPath = (id: string) => `/api/v1/jobs/${encodeURIComponent(id)}`;
type Query = { names?: string[]; points: number; superseded?: boolean; fields: string };
const seriesOf = async (id: string, query: Query, signal: AbortSignal) => (await ask<{ series: MetricSeries[] }>("GET", `${jobPath(id)}/metrics`, { query, signal })).series;

async function readOther(of: string, place: number, query: Query, signal: AbortSignal): Promise<Run> {
  const job = await ask<Job>("GET", jobPath(of), { query: { fields: "id,state,spec.name" }, signal });
  return { id: job.id, name: job.spec.name ?? "", is_over: isOver(job), series: await seriesOf(job.id, query, signal), place };
}

// Why a job is not among `runs`, or not in their charts.
function problemOf(of: string, run: Run | Problem, runs: Run[]): string | null {
  if (run instanceof Problem) return `${of}: ${run.message}`;
  if (run.id === runs[0]!.id) return `${of}: it is the job of this page`;
  if (!runs.includes(run)) return `${of}: it is ${run.id}, which is there already`;
  return run.series.length === 0 ? `${of}: it has not reported these metrics` : null;
}

export async function readMetrics(job: Job, wanted: Wanted, signal: AbortSignal): Promise<Metrics> {
  const all = await seriesOf(job.id, { points: 1, fields: "series.name,series.rank" }, signal);
  const names = [...new Set(all.map((one) => one.name))];
  const chosen = new Set(wanted.choose(names));
  if (chosen.size === 0) return { names, runs: [], problems: [] };
  const curves = all.filter((one) => chosen.has(one.name)).length;
  const query: Query = {
    names: [...chosen], points: Math.max(50, Math.min(POINTS, Math.floor(POINTS_OF_ALL / curves))), superseded: wanted.is_superseded,
    fields: "series.name,series.rank,series.last,series.not_finite_since,series.points.step,series.points.attempt,series.points.min,series.points.max,series.points.last,series.points.not_finite",
  };
  const asked = wanted.others.slice(0, JOBS_MAX);
  const refused = (error: unknown): Problem => {
    if (error instanceof Problem) return error;
    throw error;
  };
  const [own, ...others] = await Promise.all([seriesOf(job.id, query, signal), ...asked.map((one, i) => readOther(one, i + 1, query, signal).catch(refused))]);
  const runs: Run[] = [{ id: job.id, name: job.spec.name ?? "", is_over: isOver(job), series: own, place: 0 }];
  for (const one of others) if (!(one instanceof Problem) && runs.every((run) => run.id !== one.id)) runs.push(one);
  const problems = asked.map((one, i) => problemOf(one, others[i]!, runs)).filter((one) => one !== null);
  const left = wanted.others.slice(JOBS_MAX);
  if (left.length > 0) problems.push(`${left.join(", ")}: at most ${JOBS_MAX} jobs are compared`);
  return { names, runs, problems };
}

export interface Line {
  label: string;
  colour: string; // a variable of app.css
  is_superseded: boolean;
  points: MetricPoint[]; // by step, each step once
}

const COLOURS = ["--used", "--waiting", "--free", "--held", "--bad", "--off"];
export const RANKS_MAX = COLOURS.length;
const VALUE = "value"; // label of a line that is alone
const SUPERSEDED_MAX = 3; // attempts

function bySteps(points: MetricPoint[]): MetricPoint[] {
  const newest = new Map(points.map((one) => [one.step, one])); // a later value of a step replaces an earlier one
  return [...newest.values()].sort((a, b) => a.step - b.step);
}

// A curve's points that hold, and by attempt those that a later attempt has computed again.
function parted(points: MetricPoint[]): { current: MetricPoint[]; superseded: Map<number, MetricPoint[]> } {
  const limits = new Map<number, number>(); // by attempt: the first step of the attempts after it
  let [limit, first, attempt] = [Infinity, Infinity, 0];
  for (const one of [...points].reverse()) {
    if (one.attempt !== attempt) [limit, first, attempt] = [Math.min(limit, first), Infinity, one.attempt];
    first = Math.min(first, one.step);
    limits.set(attempt, limit);
  }
  const is_current = (one: MetricPoint) => one.step < limits.get(one.attempt)!;
  const again = points.filter((one) => !is_current(one));
  const superseded = new Map([...new Set(again.map((one) => one.attempt))].map((of) => [of, again.filter((one) => one.attempt === of)]));
  return { current: bySteps(points.filter(is_current)), superseded };
}

// The curves of one metric: of each rank, or with several jobs of the first rank of each.
export function seriesOfRuns(name: string, runs: Run[]): { run: Run; series: MetricSeries }[] {
  const each = runs.map((run) => run.series.filter((one) => one.name === name).map((series) => ({ run, series })));
  return runs.length > 1 ? each.flatMap((one) => one.slice(0, 1)) : each.flat();
}

export function linesOf(name: string, runs: Run[]): Line[] {
  const curves = seriesOfRuns(name, runs).slice(0, RANKS_MAX);
  return curves.flatMap(({ run, series }, i) => {
    const label = runs.length > 1 ? `${run.id} ${run.name}`.trim() : curves.length > 1 ? `rank ${series.rank}` : VALUE;
    const shown = COLOURS[runs.length > 1 ? run.place : i]!;
    const { current, superseded } = parted(series.points);
    const again = [...superseded].sort(([a], [b]) => b - a).slice(0, SUPERSEDED_MAX);
    return [
      { label, colour: shown, is_superseded: false, points: current },
      ...again.map(([attempt, points]) => ({ label: `${label === VALUE ? "" : `${label}, `}attempt ${attempt}`, colour: shown, is_superseded: true, points: bySteps(points) })),
    ];
  });
}
