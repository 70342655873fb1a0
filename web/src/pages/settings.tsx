// The controller's policy and its notification receivers.
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
    <Table label="Policy values" rows={rows} key_of={(one) => one.name} empty="All values are defaults." columns={[
      { name: "Name", show: (one: Setting) => <code>{one.name}</code>, sort: (one: Setting) => one.name },
      { name: "Value", show: (one: Setting) => <strong>{one.value}</strong> },
      { name: "Default", show: (one: Setting) => (one.value === one.built_in ? <span class="dim">same</span> : one.built_in) },
      { name: "Range", show: (one: Setting) => `${one.least} to ${one.most}` },
      { name: "Meaning", show: (one: Setting) => <span title={one.meaning}>{one.meaning}</span> },
    ]} />
  );
}

const Receivers = ({ of }: { of: Receiver[] }) => (
  <Table label="Notification receivers" rows={of} key_of={(one) => one.name} empty="No receivers: serve --notify configures them." columns={[
    { name: "Receiver", show: (one: Receiver) => one.name },
    { name: "Method", show: (one: Receiver) => one.way },
    { name: "Address", show: (one: Receiver) => one.to },
    { name: "Events", show: (one: Receiver) => <span title={one.on.join(", ")}>{one.on.join(", ")}</span> },
    { name: "Pending", show: (one: Receiver) => number(one.waiting), number: true },
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
      {!settings && !problem && <p class="empty">Loading …</p>}
      {settings && (
        <>
          <Panel title="Controller">
            <Facts of={[["Version", settings.version], ["Running since", when(settings.started_at)], ["Policy file", settings.policy_file || "none: all values are defaults"]]} />
          </Panel>
          <Panel title="Notification receivers"><Receivers of={settings.receivers} /></Panel>
          <Panel title="Policy">
            <div class="filters"><label><input type="checkbox" checked={only_changed} onChange={(event) => setFilter("only", event.currentTarget.checked ? "changed" : "")} /> only changed values</label></div>
            <Numbers of={settings.numbers} only_changed={only_changed} />
          </Panel>
          <Panel title="Policy file with these values"><Copy text={settings.policy} label="policy" /></Panel>
        </>
      )}
    </>
  );
}
