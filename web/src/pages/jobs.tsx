// All jobs, filtered and sorted.
import { jobs, queues, self } from "../lib/live";
import { link, place, setFilter } from "../lib/route";
import { counted, number, percent, span, when, whenShort } from "../lib/text";
import { Head, Loaded, State } from "../ui/basic";
import { Table, type Column } from "../ui/table";
import { stopJob } from "../lib/actions";
import { isOver, type Job } from "../lib/api";

const VIEWS: [string, Record<string, string>][] = [
  ["all", {}],
  ["mine", { user: "me" }],
  ["waiting", { state: "QUEUED" }],
  ["running", { state: "RUNNING" }],
  ["failed", { state: "FAILED" }],
  ["underutilized", { busy: "low" }],
];

const BUSY_LOW = 0.3;
const isUnderutilized = (job: Job) => job.state === "RUNNING" && job.gpu_busy !== null && job.gpu_busy < BUSY_LOW;

const ELEMENTS_MAX = 100_000;
// Sorts job-17 and job-17[3] by number, then by element.
const numberOf = (job: Job) => {
  const [, number = "0", element = "0"] = /^job-(\d+)(?:\[(\d+)\])?$/.exec(job.id) ?? [];
  return Number(number) * ELEMENTS_MAX + Number(element);
};
const gpusOf = (job: Job) => (job.spec.gpus?.count ?? 1) * (job.spec.nodes ?? 1);
export const elementsText = (job: Job) => (job.elements ? `${job.elements.completed} of ${job.elements.count} done` : "");

const whereText = (job: Job) => (job.places.length ? job.places.join(" ") : elementsText(job) || job.reason);

const COLUMNS: Column<Job>[] = [
  { name: "Job", show: (job) => <a href={link(["jobs", job.id])}>{job.id}</a>, sort: numberOf },
  { name: "Name", show: (job) => job.spec.name, sort: (job) => job.spec.name ?? "" },
  { name: "User", show: (job) => job.user, sort: (job) => job.user },
  { name: "Queue", show: (job) => job.queue, sort: (job) => job.queue },
  { name: "State", show: (job) => <State of={job.state} title={job.detail} />, sort: (job) => job.state },
  { name: "GPUs", show: gpusOf, sort: gpusOf, number: true },
  { name: "Placement or reason", show: (job) => <span class="brief" title={whereText(job)}>{whereText(job)}</span> },
  { name: "Submitted", show: (job) => <span title={when(job.submitted_at)}>{whenShort(job.submitted_at)}</span>, sort: (job) => job.submitted_at },
  { name: "Waited", show: (job) => span(job.wait_seconds), sort: (job) => job.wait_seconds, number: true },
  { name: "Ran", show: (job) => span(job.started_at ? job.run_seconds : null), sort: (job) => job.run_seconds, number: true },
  { name: "Busy", show: (job) => (job.gpu_busy === null ? "–" : percent(job.gpu_busy, 1)), sort: (job) => job.gpu_busy ?? -1, number: true },
  { name: "GPU-hours", show: (job) => (job.use ? number(job.use.gpu_hours, 2) : "–"), sort: (job) => job.use?.gpu_hours ?? 0, number: true },
  { name: "Exit", show: (job) => job.exit_code ?? "", number: true },
];

export function Jobs() {
  const query = place.value.query;
  const filter = (name: string) => query.get(name) ?? "";
  const user = filter("user") === "me" ? (self.value.value?.user ?? "") : filter("user");
  const fits = (job: Job) =>
    (!filter("state") || job.state === filter("state")) && (!user || job.user === user) && (!filter("queue") || job.queue === filter("queue")) && (filter("busy") !== "low" || isUnderutilized(job)) &&
    (!filter("text") || `${job.id} ${job.spec.name} ${job.user} ${job.reason}`.toLowerCase().includes(filter("text").toLowerCase()));
  const waiting = (job: Job) => !isOver(job);
  return (
    <>
      <Head title="Jobs">
        <a href={link(["submit"])}>Submit a job</a>
      </Head>
      <div class="filters" role="search">
        {VIEWS.map(([name, fields]) => (
          <a href={link(["jobs"], fields)} aria-current={JSON.stringify(Object.fromEntries(query)) === JSON.stringify(fields) ? "true" : undefined}>{name}</a>
        ))}
        <label>Search <input type="search" value={filter("text")} onInput={(event) => setFilter("text", event.currentTarget.value)} /></label>
        <label>
          Queue{" "}
          <select value={filter("queue")} onChange={(event) => setFilter("queue", event.currentTarget.value)}>
            <option value="">all</option>
            {(queues.value.value?.queues ?? []).map((queue) => <option value={queue.name}>{queue.name}</option>)}
          </select>
        </label>
      </div>
      <Loaded of={jobs}>
        {(page) => {
          const rows = page.jobs.filter(fits);
          return (
            <>
              <p class="dim" role="status">{number(rows.length)} of {counted(page.total, "job")}</p>
              <Table label="Jobs" rows={rows} key_of={(job) => job.id} sorted_by="Job" descending empty="No matching jobs."
                columns={[...COLUMNS, { name: "Actions", show: (job) => waiting(job) && <button type="button" onClick={() => stopJob(job, false)} aria-label={`Cancel ${job.id}`}>cancel</button> }]} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
