// Queues with their limits, fair shares and usage; reservations.
import type { Queue } from "../lib/api";
import { queues } from "../lib/live";
import { link } from "../lib/route";
import { number, percent, span } from "../lib/text";
import { Head, Loaded, Panel } from "../ui/basic";
import { Reserved } from "../ui/reserved";
import { Table } from "../ui/table";

const limit = (value: number | null | undefined) => (value === null || value === undefined ? "none" : number(value));
const depth = (queue: Queue) => queue.name.split("/").length - 1;

function Users({ of }: { of: Queue[] }) {
  const rows = of.filter((queue) => !queue.name.includes("/")).flatMap((queue) => Object.entries(queue.users ?? {}).map(([user, use]) => ({ queue: queue.name, user, use })));
  return (
    <Table label="Users" rows={rows} key_of={(row) => `${row.queue} ${row.user}`} empty="No usage yet." sorted_by="GPU-hours" descending columns={[
      { name: "User", show: (row) => <a href={link(["jobs"], { user: row.user })}>{row.user}</a>, sort: (row) => row.user },
      { name: "Queue", show: (row) => row.queue, sort: (row) => row.queue },
      { name: "GPUs held", show: (row) => number(row.use.gpus, 1), sort: (row) => row.use.gpus, number: true },
      { name: "Jobs", show: (row) => number(row.use.jobs), sort: (row) => row.use.jobs, number: true },
      { name: "GPU-hours", show: (row) => number(row.use.gpu_hours, 1), sort: (row) => row.use.gpu_hours, number: true },
      { name: "Recent, decayed", show: (row) => number(row.use.recent_gpu_hours, 1), sort: (row) => row.use.recent_gpu_hours, number: true },
    ]} />
  );
}

export function Queues() {
  return (
    <>
      <Head title="Queues" />
      <Loaded of={queues}>
        {(now) => (
          <>
            <Table label="Queues" rows={now.queues} key_of={(queue) => queue.name} empty="No queues." columns={[
              { name: "Queue", show: (queue) => <a href={link(["jobs"], { queue: queue.name })} style={{ paddingLeft: `${depth(queue)}rem` }}>{queue.name}</a> },
              { name: "Pool", show: (queue) => queue.pool },
              { name: "Weight", show: (queue) => queue.weight, number: true },
              { name: "Guaranteed", show: (queue) => number(queue.guaranteed), number: true },
              { name: "Limit", show: (queue) => limit(queue.limit?.gpus), number: true },
              { name: "GPUs held", show: (queue) => number(queue.use?.gpus ?? 0, 1), number: true },
              { name: "Running", show: (queue) => number(queue.use?.jobs ?? 0), number: true },
              { name: "Waiting", show: (queue) => number(queue.jobs_queued), number: true },
              { name: "Wait target", show: (queue) => queue.waits?.target_ms ? span(queue.waits.target_ms / 1000) : "–", number: true },
              { name: "Kept in 24 h", show: (queue) => queue.waits?.started_24h ? percent(queue.waits.in_target_24h, queue.waits.started_24h) : "–", number: true },
              { name: "Late", show: (queue) => queue.waits ? number(queue.waits.late_jobs) : "–", number: true },
              { name: "Fair share", show: (queue) => percent(queue.share, 1), number: true },
              { name: "Share used", show: (queue) => percent(queue.share_used, 1), number: true },
            ]} />
            <p class="dim">Fair share: the part that is due to the queue by its weight. Share used: its part of the recent usage of its siblings. Queues that used less than their fair share go first. Wait target: how soon jobs should start; late jobs have waited for longer.</p>
            <Panel title="Users"><Users of={now.queues} /></Panel>
            <Panel title="Reservations"><Reserved /></Panel>
          </>
        )}
      </Loaded>
    </>
  );
}
