// Where the time of GPUs went, and what it cost.
import { useEffect } from "preact/hooks";
import type { Usage, UsageRow } from "../lib/api";
import { costs, costQuery } from "../lib/live";
import { setFilter } from "../lib/route";
import { money, number, percent, quoted } from "../lib/text";
import { Bar, Copy, Head, Panel, Told } from "../ui/basic";
import { Table } from "../ui/table";

// In the order in which they are shown, each with its class of app.css and what it means.
const KINDS: [string, string, string][] = [
  ["jobs", "used", "granted to jobs"],
  ["idle", "free", "could have been granted whole"],
  ["fragment", "held", "the rest of GPUs that others have a part of"],
  ["repeated", "waiting", "lost by faults, to be done again; free for its user"],
  ["faulty", "failed", "out of service by a fault, or being tested"],
  ["maintained", "off", "taken out, or drained, by a person"],
];

const partOf = (name: string, kind: string, hours: number) => ({ name, kind, value: hours, shown: number(hours, 2) });

const of = (usage: Usage, kind: string) => usage.kinds.find((row) => row.kind === kind);

function Kinds({ usage }: { usage: Usage }) {
  return (
    <>
      <Bar label="GPU-hours" parts={KINDS.map(([name, kind]) => partOf(name, kind, of(usage, name)?.gpu_hours ?? 0))} />
      <Table label="GPU-hours by kind" rows={KINDS} key_of={([name]) => name} empty="" columns={[
        { name: "Kind", show: ([name]) => name },
        { name: "GPU-hours", show: ([name]) => number(of(usage, name)?.gpu_hours ?? 0, 2), number: true },
        { name: "Part", show: ([name]) => percent(of(usage, name)?.part ?? 0, 1), number: true },
        { name: "Cost", show: ([name]) => money(of(usage, name)?.cost ?? 0, usage.currency), number: true },
        { name: "Meaning", show: ([, , meaning]) => meaning },
      ]} />
    </>
  );
}

function Users({ usage }: { usage: Usage }) {
  const rows = usage.rows.filter((row) => row.kind === "jobs");
  const columns = [
    { name: "Queue", show: (row: UsageRow) => row.queue, sort: (row: UsageRow) => row.queue },
    { name: "User", show: (row: UsageRow) => row.user, sort: (row: UsageRow) => row.user },
    { name: "GPU-hours", show: (row: UsageRow) => number(row.gpu_hours, 2), sort: (row: UsageRow) => row.gpu_hours, number: true },
    { name: "Cost", show: (row: UsageRow) => money(row.cost, usage.currency), sort: (row: UsageRow) => row.cost, number: true },
  ];
  return <Table label="Cost by queue and user" rows={rows} key_of={(row) => `${row.queue} ${row.user}`} empty="No job has had a GPU in this time." sorted_by="GPU-hours" descending columns={columns} />;
}

const FILTERS: ["from" | "until", string][] = [["from", "From"], ["until", "Until"]];
const EVERY_MS = 60_000; // a whole book may be summed up

export function Costs() {
  const usage = costs.value.value;
  const problem = costs.problem.value;
  const query = costQuery();
  useEffect(() => {
    void costs.load();
    const timer = setInterval(() => !document.hidden && void costs.load(), EVERY_MS);
    return () => clearInterval(timer);
  }, [query.from, query.until]);
  const flags = FILTERS.map(([name]) => (query[name] ? ` --${name} ${quoted(query[name])}` : "")).join("");
  return (
    <>
      <Head title="Costs" />
      <div class="filters">
        {FILTERS.map(([name, label]) => (
          <label>{label} <input type="date" value={query[name] || usage?.[name] || ""} onChange={(event) => setFilter(name, event.currentTarget.value)} /></label>
        ))}
      </div>
      {problem && <Told problem={problem} />}
      {usage && (
        <>
          <p><strong>{money(usage.cost, usage.currency)}</strong> for {number(usage.gpu_hours, 2)} GPU-hours, {usage.from} to {usage.until}, days of UTC</p>
          <Panel title="What all GPUs came to"><Kinds usage={usage} /></Panel>
          <Panel title="What jobs had"><Users usage={usage} /></Panel>
          <Panel title="The same in a shell"><Copy label="command" text={`gpu-platform cost analysis${flags}\ngpu-platform cost report${flags}`} /></Panel>
        </>
      )}
    </>
  );
}
