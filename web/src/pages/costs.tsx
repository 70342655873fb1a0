// How GPU time was used, and what it cost.
import { useEffect } from "preact/hooks";
import type { Usage, UsageRow } from "../lib/api";
import { costs, costQuery } from "../lib/live";
import { setFilter } from "../lib/route";
import { money, number, percent, quoted } from "../lib/text";
import { Bar, Copy, Head, Panel, Told } from "../ui/basic";
import { Table } from "../ui/table";

// In the order shown: kind, class of app.css, meaning.
const KINDS: [string, string, string][] = [
  ["jobs", "used", "granted to jobs"],
  ["idle", "free", "available as whole GPUs"],
  ["fragment", "held", "unused parts of shared GPUs"],
  ["repeated", "waiting", "lost to faults and repeated; free of charge"],
  ["faulty", "failed", "out of service after a fault, or being tested"],
  ["maintained", "off", "taken offline or drained by an operator"],
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
        { name: "Of total", show: ([name]) => percent(of(usage, name)?.part ?? 0, 1), number: true },
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
  return <Table label="Cost by queue and user" rows={rows} key_of={(row) => `${row.queue} ${row.user}`} empty="No job used GPUs in this period." sorted_by="GPU-hours" descending columns={columns} />;
}

const FILTERS: ["from" | "until", string][] = [["from", "From"], ["until", "Until"]];
const EVERY_MS = 60_000; // the controller may have to add up the whole usage ledger

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
          <p><strong>{money(usage.cost, usage.currency)}</strong> for {number(usage.gpu_hours, 2)} GPU-hours, {usage.from} to {usage.until} (UTC)</p>
          <Panel title="Usage by kind"><Kinds usage={usage} /></Panel>
          <Panel title="Usage by queue"><Users usage={usage} /></Panel>
          <Panel title="Equivalent commands"><Copy label="command" text={`gpu-platform cost analysis${flags}\ngpu-platform cost report${flags}`} /></Panel>
        </>
      )}
    </>
  );
}
