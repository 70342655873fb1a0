// Incidents with their remedies and their cost; planned maintenance.
import { useEffect, useState } from "preact/hooks";
import { get, type Incident, type Problem } from "../lib/api";
import { changeIncident } from "../lib/actions";
import { incidents } from "../lib/live";
import { link, place, setFilter } from "../lib/route";
import { number, when } from "../lib/text";
import { Facts, Head, Loaded, Panel, State, Told } from "../ui/basic";
import { Reserved } from "../ui/reserved";
import { Table } from "../ui/table";

const where = (one: Incident) => (one.node ? `${one.node}${one.gpu !== null ? `/${one.gpu}` : ""}` : `pool ${one.pool}`);

export function Incidents() {
  const all = place.value.query.get("closed") === "yes";
  return (
    <>
      <Head title="Incidents" />
      <div class="filters"><label><input type="checkbox" checked={all} onChange={(event) => setFilter("closed", event.currentTarget.checked ? "yes" : "")} /> include closed incidents</label></div>
      <Loaded of={incidents}>
        {(page) => (
          <Table label="Incidents" rows={page.incidents.filter((one) => all || one.state !== "CLOSED")} key_of={(one) => one.id} empty="No incidents." sorted_by="Opened" descending columns={[
            { name: "Incident", show: (one) => <a href={link(["incidents", one.id])}>{one.id}</a>, sort: (one) => one.id },
            { name: "State", show: (one) => <State of={one.state} />, sort: (one) => one.state },
            { name: "Cause", show: (one) => one.cause, sort: (one) => one.cause },
            { name: "Where", show: where, sort: where },
            { name: "Remedy", show: (one) => (one.needs_person ? <strong class="bad">{one.remedy}: operator action required</strong> : one.held_by ? `${one.remedy}, held back by ${one.held_by}` : one.remedy), sort: (one) => one.remedy },
            { name: "Opened", show: (one) => when(one.opened_at), sort: (one) => one.opened_at },
            { name: "Jobs interrupted", show: (one) => number(one.jobs_hit), sort: (one) => one.jobs_hit, number: true },
            { name: "GPU-hours lost", show: (one) => number(one.lost_gpu_hours, 2), sort: (one) => one.lost_gpu_hours, number: true },
          ]} />
        )}
      </Loaded>
      <Panel title="Maintenance"><Reserved maintenance_only /></Panel>
    </>
  );
}

export function IncidentPage({ id }: { id: string }) {
  const [one, set] = useState<Incident | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => void get<Incident>(`/api/v1/incidents/${encodeURIComponent(id)}`).then(set, setProblem), [id, incidents.at.value]);
  if (!one) return <><Head title={id} />{problem ? <Told problem={problem} /> : <p class="empty">Loading …</p>}</>;
  return (
    <>
      <Head title={<>{one.id} <State of={one.state} /></>}>
        <span class="actions">
          {one.state === "OPEN" && <button type="button" onClick={() => changeIncident(one, "ACKNOWLEDGE")}>acknowledge</button>}
          {one.state !== "CLOSED" && <button type="button" onClick={() => changeIncident(one, "CLOSE")}>close</button>}
        </span>
      </Head>
      {one.needs_person && <p class="note problem">Operator action required: {one.remedy}.</p>}
      {one.held_by && <p class="note problem">Held back: automatic resets in this pool are suspended until <a href={link(["incidents", one.held_by])}>{one.held_by}</a> is closed.</p>}
      <div class="split">
        <Panel title="Details">
          <Facts of={[["Cause", one.cause], ["Where", one.gpu !== null ? <a href={link(["gpus", one.node, String(one.gpu)])}>{where(one)}</a> : where(one)], ["Remedy", one.remedy], ["Reports", number(one.reports)],
            ["Opened", when(one.opened_at)], ["Last report", when(one.last_at)], ["Closed", when(one.closed_at)], ["Operator", one.person], ["Note", one.note], ["GPU-hours lost", number(one.lost_gpu_hours, 2)]]} />
        </Panel>
        <Panel title="Timeline"><ol class="steps">{one.steps.map((step) => <li><span class="dim">{when(step.at)}</span> {step.what}</li>)}</ol></Panel>
        <Panel title={`Interrupted jobs: ${number(one.jobs_hit)}`}>{one.jobs.length === 0 ? <p class="empty">None.</p> : <ul>{one.jobs.map((job) => <li><a href={link(["jobs", job])}>{job}</a></li>)}</ul>}</Panel>
      </div>
    </>
  );
}
