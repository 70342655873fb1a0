// Reservations and maintenance, as a table and as bars over time.
import { reservations } from "../lib/live";
import type { Reservations } from "../lib/api";
import { when, whenShort } from "../lib/text";
import { Loaded } from "./basic";
import { Table } from "./table";

type Reservation = Reservations["reservations"][number];

const LANES = 12; // those that start first
const NODES = 3; // names in a title
const HOUR = 3_600_000;
const BEFORE = 24 * HOUR; // drawn of the past
const AHEAD = 30 * 24 * HOUR; // drawn of the future: a reservation may last for years
const ms = (text: string) => Date.parse(text);

const LEGEND: [string, string, (of: Reservation[]) => boolean][] = [
  ["off", "maintenance", (of) => of.some((one) => one.maintenance)],
  ["held", "reserved", (of) => of.some((one) => !one.maintenance)],
  ["used", "now", () => true],
];

const nodesText = (one: Reservation) => one.nodes.slice(0, NODES).join(", ") + (one.nodes.length > NODES ? ` and ${one.nodes.length - NODES} more` : "");

function windowOf(of: Reservation[]) {
  const now = Date.now();
  const from = Math.max(now - BEFORE, Math.min(now, ...of.map((one) => ms(one.starts_at))));
  const until = Math.min(now + AHEAD, Math.max(now + HOUR, ...of.map((one) => ms(one.ends_at))));
  const part = (at: number) => (100 * (Math.min(Math.max(at, from), until) - from)) / (until - from);
  return { now, from, until, part };
}

function Lane({ one, seen }: { one: Reservation; seen: ReturnType<typeof windowOf> }) {
  const text = `${nodesText(one)}: ${when(one.starts_at)} to ${when(one.ends_at)}`;
  const left = seen.part(ms(one.starts_at));
  return (
    <>
      <span class="dim">{one.name}</span>
      <div class="lane" role="img" aria-label={`${one.name}, ${text}`}>
        {ms(one.starts_at) < seen.until && <span class={one.maintenance ? "off" : "held"} style={{ left: `${left}%`, width: `${seen.part(ms(one.ends_at)) - left}%` }} title={text} />}
        <i class="used" style={{ left: `${seen.part(seen.now)}%` }} title="now" />
      </div>
    </>
  );
}

function Calendar({ of }: { of: Reservation[] }) {
  const drawn = of.slice(0, LANES);
  const seen = windowOf(drawn);
  const times = [seen.from, (seen.from + seen.until) / 2, seen.until].map((at) => whenShort(new Date(at).toISOString()));
  return (
    <div class="lanes">
      {drawn.map((one) => <Lane key={one.name} one={one} seen={seen} />)}
      <span />
      <div class="times dim">{times.map((time, index) => <span key={index}>{time}</span>)}</div>
      <span />
      <ul class="legend">
        {LEGEND.filter(([, , shown]) => shown(drawn)).map(([kind, name]) => <li key={kind}><span class={`key ${kind}`} />{name}</li>)}
        {of.length > LANES && <li>{of.length - LANES} more in the table</li>}
      </ul>
    </div>
  );
}

const whose = (one: Reservation) => (one.maintenance ? "maintenance" : [...one.users, ...one.queues].join(", ") || "nobody");

export function Reserved({ maintenance_only = false }: { maintenance_only?: boolean }) {
  return (
    <Loaded of={reservations}>
      {(all) => {
        const shown = all.reservations.filter((one) => one.maintenance || !maintenance_only).sort((a, b) => ms(a.starts_at) - ms(b.starts_at));
        return (
          <>
            {shown.length > 0 && <Calendar of={shown} />}
            <Table label={maintenance_only ? "Maintenance" : "Reservations"} rows={shown} key_of={(one) => one.name} empty={maintenance_only ? "No maintenance is planned." : "No reservations."} columns={[
              { name: "Name", show: (one) => one.name, sort: (one) => one.name },
              { name: "Nodes", show: (one) => one.nodes.join(", ") },
              { name: "From", show: (one) => when(one.starts_at), sort: (one) => one.starts_at },
              { name: "Until", show: (one) => when(one.ends_at), sort: (one) => one.ends_at },
              { name: "For", show: whose },
              { name: "Note", show: (one) => one.note },
            ]} />
          </>
        );
      }}
    </Loaded>
  );
}
