// The state of the cluster: capacity, queue, utilization, open incidents.
import { cluster, incidents, jobs, queues, self } from "../lib/live";
import { count, partsOf } from "../lib/capacity";
import { go, link } from "../lib/route";
import { number, span } from "../lib/text";
import { Bar, Head, Loaded, Panel, State } from "../ui/basic";
import { History } from "../ui/chart";
import { Table } from "../ui/table";
import type { Job } from "../lib/api";

function quantile(values: number[], part: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length ? sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)]! : null;
}

function Waits({ of }: { of: Job[] }) {
  const sizes: [string, (gpus: number) => boolean][] = [["1 GPU", (n) => n <= 1], ["2 to 8 GPUs", (n) => n > 1 && n <= 8], ["more than 8 GPUs", (n) => n > 8]];
  const waiting = of.filter((job) => job.state === "QUEUED");
  const started = of.filter((job) => job.started_at !== null);
  const gpus = (job: Job) => (job.spec.gpus?.count ?? 1) * (job.spec.nodes ?? 1);
  return (
    <table>
      <thead>
        <tr><th scope="col">Job size</th><th scope="col" class="num">Waiting</th><th scope="col" class="num">Wait p50</th><th scope="col" class="num">p95</th></tr>
      </thead>
      <tbody>
        {sizes.map(([name, is]) => {
          const waits = started.filter((job) => is(gpus(job))).map((job) => job.wait_seconds);
          return (
            <tr>
              <th scope="row">{name}</th>
              <td class="num">{waiting.filter((job) => is(gpus(job))).length}</td>
              <td class="num">{span(quantile(waits, 0.5))}</td>
              <td class="num">{span(quantile(waits, 0.95))}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function Overview() {
  const me = self.value.value?.user;
  const mine = (jobs.value.value?.jobs ?? []).filter((job) => job.user === me);
  const needing = (incidents.value.value?.incidents ?? []).filter((one) => one.state !== "CLOSED");
  return (
    <>
      <Head title="Overview">
        <button type="button" class="main" onClick={() => go(["submit"])}>Submit a job</button>
      </Head>
      <Loaded of={cluster}>
        {(now) => {
          const capacity = count(now.nodes);
          return (
            <div class="grid">
              <Panel title="Capacity">
                <p class="figure">{number(capacity.used + capacity.draining)} of {number(capacity.all)} GPUs in use</p>
                <Bar label="GPUs" parts={partsOf(capacity)} />
                {now.breakers.map((one) => <p class="note problem">Pool {one.pool}: automatic resets and drains are suspended until <a href={link(["incidents", one.incident])}>{one.incident}</a> is closed: {one.cause}.</p>)}
                {capacity.all === 0 && <p class="note">No node has joined. <code>gpu-platform doctor</code> on the node finds the cause; <code>gpu-platform serve --simulate dgx-h100:2</code> simulates two nodes.</p>}
              </Panel>
              <Panel title="Queue">
                <p class="figure">{number(now.jobs_queued)} waiting, {number(now.jobs_running)} running</p>
                <p class="dim">longest wait: {span(now.oldest_wait_seconds)}</p>
                <Waits of={jobs.value.value?.jobs ?? []} />
              </Panel>
              <Panel title="GPU utilization">
                <History />
              </Panel>
              <Panel title="Open incidents">
                {needing.length === 0 ? <p class="empty">None.</p> : (
                  <ul class="steps">
                    {needing.slice(0, 8).map((one) => (
                      <li><a href={link(["incidents", one.id])}>{one.id}</a> <State of={one.state} /> {one.cause} {one.node}{one.gpu !== null ? `/${one.gpu}` : ""} {one.needs_person && <strong class="bad">operator action required</strong>}</li>
                    ))}
                  </ul>
                )}
              </Panel>
              <Panel title="Queues">
                <Loaded of={queues}>
                  {(all) => (
                    <table>
                      <thead><tr><th scope="col">Queue</th><th scope="col" class="num">GPUs held</th><th scope="col" class="num">Running</th><th scope="col" class="num">Waiting</th></tr></thead>
                      <tbody>
                        {all.queues.slice(0, 10).map((queue) => (
                          <tr>
                            <th scope="row"><a href={link(["queues"])}>{queue.name}</a></th>
                            <td class="num">{number(queue.use?.gpus ?? 0, 1)}</td><td class="num">{number(queue.use?.jobs ?? 0)}</td><td class="num">{number(queue.jobs_queued)}</td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  )}
                </Loaded>
              </Panel>
            </div>
          );
        }}
      </Loaded>
      <h2>My jobs</h2>
      <Table label="My jobs" rows={mine} key_of={(job) => job.id} empty="You have no jobs." sorted_by="Job" descending columns={[
        { name: "Job", show: (job) => <a href={link(["jobs", job.id])}>{job.id}</a>, sort: (job) => Number(job.id.replace(/\D+/, "")) || 0 },
        { name: "Name", show: (job) => job.spec.name ?? "" },
        { name: "State", show: (job) => <State of={job.state} title={job.reason} />, sort: (job) => job.state },
        { name: "Placement", show: (job) => job.places.join(" ") },
        { name: "Waited", show: (job) => span(job.wait_seconds), number: true, sort: (job) => job.wait_seconds },
        { name: "Ran", show: (job) => span(job.started_at ? job.run_seconds : null), number: true, sort: (job) => job.run_seconds },
      ]} />
    </>
  );
}
