// Nodes that are set aside, for some or for maintenance: as a table, and as bars over time.
import { useEffect, useState } from "preact/hooks";
import { get, type Reservations } from "../lib/api";
import { queues } from "../lib/live";
import { when } from "../lib/text";
import { Table } from "./table";

type Reservation = Reservations["reservations"][number];

const LANES = 12; // those that begin first
const HOUR = 3_600_000;
const ms = (text: string) => Date.parse(text);

const LEGEND: [string, string, (of: Reservation[]) => boolean][] = [
  ["off", "maintenance", (of) => of.some((one) => one.maintenance)],
  ["held", "reserved", (of) => of.some((one) => !one.maintenance)],
  ["used", "now", () => true],
];

function Calendar({ of }: { of: Reservation[] }) {
  const now = Date.now();
  const from = Math.min(now, ...of.map((one) => ms(one.starts_at)));
  const until = Math.max(now + HOUR, ...of.map((one) => ms(one.ends_at)));
  const place = (at: number) => `${(100 * (at - from)) / (until - from)}%`;
  return (
    <div class="lanes">
      {of.map((one) => {
        const text = `${one.nodes.join(", ")}: ${when(one.starts_at)} to ${when(one.ends_at)}`;
        return (
          <>
            <span class="dim">{one.name}</span>
            <div class="lane" role="img" aria-label={`${one.name}, ${text}`}>
              <span class={one.maintenance ? "off" : "held"} style={{ left: place(ms(one.starts_at)), width: place(from + ms(one.ends_at) - ms(one.starts_at)) }} title={text} />
              <i class="used" style={{ left: place(now) }} title="now" />
            </div>
          </>
        );
      })}
      <span />
      <ul class="legend">{LEGEND.filter(([, , shown]) => shown(of)).map(([kind, name]) => <li><span class={`key ${kind}`} />{name}</li>)}</ul>
    </div>
  );
}

const whose = (one: Reservation) => (one.maintenance ? "maintenance" : [...one.users, ...one.queues].join(", ") || "nobody");

export function Reserved({ maintenance_only = false }: { maintenance_only?: boolean }) {
  const [all, set] = useState<Reservations | null>(null);
  useEffect(() => void get<Reservations>("/api/v1/reservations").then(set, () => {}), [queues.at.value]);
  const shown = (all?.reservations ?? []).filter((one) => one.maintenance || !maintenance_only).sort((a, b) => ms(a.starts_at) - ms(b.starts_at));
  return (
    <>
      {shown.length > 0 && <Calendar of={shown.slice(0, LANES)} />}
      <Table label={maintenance_only ? "Maintenance" : "Reservations"} rows={shown} key_of={(one) => one.name} empty={maintenance_only ? "None is planned." : "Nothing is reserved."} columns={[
        { name: "Name", show: (one) => one.name, sort: (one) => one.name },
        { name: "Nodes", show: (one) => one.nodes.join(", ") },
        { name: "From", show: (one) => when(one.starts_at), sort: (one) => one.starts_at },
        { name: "Until", show: (one) => when(one.ends_at), sort: (one) => one.ends_at },
        { name: "For", show: whose },
        { name: "Note", show: (one) => one.note },
      ]} />
    </>
  );
}
