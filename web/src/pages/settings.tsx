// What the controller decides by, and whom it tells of what happens.
import { useEffect, useState } from "preact/hooks";
import { get, type Problem, type Settings } from "../lib/api";
import { setFilter, place } from "../lib/route";
import { number, when } from "../lib/text";
import { Copy, Facts, Head, Panel, Told } from "../ui/basic";
import { Table } from "../ui/table";

type Setting = Settings["numbers"][number];
type Receiver = Settings["receivers"][number];

function Numbers({ of, only_changed }: { of: Setting[]; only_changed: boolean }) {
  const rows = only_changed ? of.filter((one) => one.value !== one.built_in) : of;
  return (
    <Table label="Numbers that decisions depend on" rows={rows} key_of={(one) => one.name} empty="All are as they are built in." columns={[
      { name: "Name", show: (one: Setting) => <code>{one.name}</code>, sort: (one: Setting) => one.name },
      { name: "Value", show: (one: Setting) => <strong>{one.value}</strong> },
      { name: "Built in", show: (one: Setting) => (one.value === one.built_in ? <span class="dim">the same</span> : one.built_in) },
      { name: "From, to", show: (one: Setting) => `${one.least}, ${one.most}` },
      { name: "Meaning", show: (one: Setting) => <span title={one.meaning}>{one.meaning}</span> },
    ]} />
  );
}

const Receivers = ({ of }: { of: Receiver[] }) => (
  <Table label="Who is told of what happens" rows={of} key_of={(one) => one.name} empty="Nobody is told: serve --notify names receivers." columns={[
    { name: "Receiver", show: (one: Receiver) => one.name },
    { name: "By", show: (one: Receiver) => one.way },
    { name: "At", show: (one: Receiver) => one.to },
    { name: "Of", show: (one: Receiver) => <span title={one.on.join(", ")}>{one.on.join(", ")}</span> },
    { name: "Waiting", show: (one: Receiver) => number(one.waiting), number: true },
    { name: "Problem", show: (one: Receiver) => <span class="bad" title={one.problem}>{one.problem}</span> },
  ]} />
);

const EVERY_MS = 10_000;

export function SettingsPage() {
  const [settings, set] = useState<Settings | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const load = () => void get<Settings>("/api/v1/settings", {}, abort.signal).then((told) => { set(told); setProblem(null); }, (error) => !abort.signal.aborted && setProblem(error));
    load();
    const timer = setInterval(() => !document.hidden && load(), EVERY_MS);
    return () => { clearInterval(timer); abort.abort(); };
  }, []);
  const only_changed = place.value.query.get("only") === "changed";
  return (
    <>
      <Head title="Settings" />
      {problem && <Told problem={problem} />}
      {!settings && !problem && <p class="empty">Asking the controller …</p>}
      {settings && (
        <>
          <Panel title="The controller">
            <Facts of={[["Version", settings.version], ["Runs since", when(settings.started_at)], ["Policy file", settings.policy_file || "none: all is built in"]]} />
          </Panel>
          <Panel title="Who is told of what happens"><Receivers of={settings.receivers} /></Panel>
          <Panel title="Numbers">
            <div class="filters"><label><input type="checkbox" checked={only_changed} onChange={(event) => setFilter("only", event.currentTarget.checked ? "changed" : "")} /> only those that are not as built in</label></div>
            <Numbers of={settings.numbers} only_changed={only_changed} />
          </Panel>
          <Panel title="All of it, as a policy file"><Copy text={settings.policy} label="policy" /></Panel>
        </>
      )}
    </>
  );
}
