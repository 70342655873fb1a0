// What a job used of its grant, and how much would have been enough.
import { useEffect, useState } from "preact/hooks";
import { ask, isOver, type Job, type JobReport, type Problem } from "../lib/api";
import { bytes, counted, number, span } from "../lib/text";
import { Told } from "./basic";

const SHOWN = 64; // GPUs
const EVERY_MS = 15_000; // nodes rarely report more often

// An unknown value is not zero.
const percent = (part: number | null) => (part === null ? "unknown" : `${Math.round(100 * part)}%`);

const isUnmeasured = (report: JobReport) => report.gpu_busy === null && report.cpu_used === null && report.memory_used === null && report.advice.length === 0;

function Bar({ name, part, of }: { name: string; part: number | null; of: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{part === null ? <span class="dim">–</span> : <meter min={0} max={1} value={part} aria-label={`${name}: ${percent(part)}`} />}</td>
      <td class="number">{percent(part)}</td>
      <td class="dim">{of}</td>
    </tr>
  );
}

function Gpus({ report }: { report: JobReport }) {
  const all = report.ranks.flatMap((rank) => rank.gpus.map((gpu) => ({ rank, gpu })));
  const rows = all.slice(0, SHOWN);
  return (
    <>
    <table>
      <thead><tr><th scope="col">Rank</th><th scope="col">GPU</th><th scope="col">Busy</th><th scope="col">Peak memory</th></tr></thead>
      <tbody>
        {rows.map(({ rank, gpu }) => (
          <tr>
            <th scope="row">{rank.rank}</th><td>{rank.node}/{gpu.index}</td><td class="number">{percent(gpu.busy)}</td>
            <td class="number">{gpu.memory_bytes_max === null ? "unknown" : `${bytes(gpu.memory_bytes_max)} of ${bytes(gpu.memory_bytes)}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {all.length > SHOWN && <p class="dim">and {counted(all.length - SHOWN, "more GPU")}: gpu-platform jobs report {report.job_id} -o csv</p>}
    </>
  );
}

export function JobUse({ job }: { job: Job }) {
  const [report, setReport] = useState<JobReport | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const is_over = isOver(job);
  useEffect(() => {
    const abort = new AbortController();
    const look = () =>
      ask<JobReport>("GET", `/api/v1/jobs/${encodeURIComponent(job.id)}/report`, { signal: abort.signal }).then(
        (told) => (setReport(told), setProblem(null)),
        (error) => !abort.signal.aborted && setProblem(error),
      );
    void look();
    const timer = is_over ? undefined : setInterval(look, EVERY_MS);
    return () => (clearInterval(timer), abort.abort());
  }, [job.id, job.attempt, is_over]);
  if (problem) return <Told problem={problem} />;
  if (!report) return <p class="empty">Loading …</p>;
  if (isUnmeasured(report)) return <p class="empty">{report.ranks.length === 0 ? "The job has not had GPUs yet." : is_over ? "No measurements: the job ended too soon." : "No measurements yet: nodes send the first after ten seconds."}</p>;
  return (
    <>
      <table>
        <tbody>
          <Bar name="GPUs busy" part={report.gpu_busy} of={report.gpus === 0 ? "no GPUs" : `measured ${percent(report.gpu_measured)} of the time`} />
          <Bar name="CPU cores busy" part={report.cpu_used} of="of their time" />
          <Bar name="Peak host memory" part={report.memory_used} of="of the granted memory" />
        </tbody>
      </table>
      {report.idle_seconds >= 60 && <p class="note">The job's GPUs have been idle for {span(report.idle_seconds)}. {report.idle_rule}</p>}
      {report.advice.length > 0 && (
        <ul>{report.advice.map((one) => <li>{one.text}{one.gpu_hours_saved !== null && ` (saves ${number(one.gpu_hours_saved, 2)} GPU-hours)`}</li>)}</ul>
      )}
      {report.gpus > 0 && <Gpus report={report} />}
    </>
  );
}
