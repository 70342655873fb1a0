// One GPU: is it well, who has it, what happened to it.
import type { Gpu } from "../lib/api";
import { serve } from "../lib/actions";
import { cluster, incidents } from "../lib/live";
import { findGpu, modelOf } from "../lib/capacity";
import { link } from "../lib/route";
import { bytes, number, when } from "../lib/text";
import { Facts, Head, Loaded, Panel, State } from "../ui/basic";

type Verdict = "ok" | "look" | "bad" | "not known";

function checks(gpu: Gpu): [string, Verdict, string][] {
  const r = gpu.readings;
  const known = <T,>(value: T | null | undefined, judge: (value: T) => Verdict, text: (value: T) => string): [Verdict, string] => (value === null || value === undefined ? ["not known", "–"] : [judge(value), text(value)]);
  const hot = r?.temperature_slowdown_celsius ?? 90;
  return [
    ["answers", ...known(r?.lost, (lost) => (lost ? "bad" : "ok"), (lost) => (lost ? "lost" : "yes"))],
    ["temperature", ...known(r?.temperature_celsius, (at) => (at >= hot ? "bad" : at >= hot - 8 ? "look" : "ok"), (at) => `${at} °C, slowed down at ${hot}`)],
    ["power", ...known(r?.power_watts, () => "ok", (watts) => `${watts} W of ${r?.power_limit_watts ?? "–"}`)],
    ["memory errors, corrected", ...known(r?.ecc_corrected, (n) => (n > 1000 ? "look" : "ok"), (n) => number(n))],
    ["memory errors, not corrected", ...known(r?.ecc_uncorrected, (n) => (n > 0 ? "bad" : "ok"), (n) => number(n))],
    ["rows wait to be remapped", ...known(r?.row_remap_pending, (is) => (is ? "look" : "ok"), (is) => (is ? "yes: reset it" : "no"))],
    ["rows cannot be remapped", ...known(r?.row_remap_failed, (is) => (is ? "bad" : "ok"), (is) => (is ? "yes: replace it" : "no"))],
    ["NVLinks", ...known(r?.nvlinks_active, (n) => (n < (r?.nvlinks_total ?? 0) ? "bad" : "ok"), (n) => `${n} of ${r?.nvlinks_total ?? "–"}`)],
    ["held down", ...known(r?.throttle_reasons, (why) => (why.length ? "look" : "ok"), (why) => why.join(", ") || "no")],
    ["the driver asks for", ...known(r?.recovery_action, (what) => (what && what !== "none" ? "bad" : "ok"), (what) => what || "nothing")],
  ];
}

export function GpuPage({ name }: { name: string }) {
  return (
    <Loaded of={cluster}>
      {(now) => {
        const found = findGpu(now, name);
        if (!found) return <><Head title={name} /><p class="empty panel">There is no such GPU.</p></>;
        const { node, gpu } = found;
        const own = (incidents.value.value?.incidents ?? []).filter((one) => one.node === node.name && one.gpu === gpu.index);
        return (
          <>
            <Head title={<>GPU {name} <State of={gpu.state} /></>}>
              <span class="actions">
                <button type="button" onClick={() => serve("DRAIN", node, gpu)}>drain</button>
                <button type="button" onClick={() => serve("ONLINE", node, gpu)}>online</button>
                <button type="button" class="danger" onClick={() => serve("RESET", node, gpu)}>reset</button>
                <button type="button" class="danger" onClick={() => serve("OFFLINE", node, gpu)}>offline</button>
              </span>
            </Head>
            {gpu.reason && <p class="note">{gpu.detail}: {gpu.reason}</p>}
            <div class="split">
              <Panel title="What it is">
                <Facts of={[["Model", modelOf(gpu.model)], ["Node", <a href={link(["nodes", node.name])}>{node.name}</a>], ["UUID", <code>{gpu.uuid}</code>], ["PCI", <code>{gpu.pci_bus_id}</code>], ["NUMA node", gpu.numa_node],
                  ["Memory", `${bytes(gpu.memory_bytes)}, ${bytes(gpu.memory_granted_bytes)} granted`], ["Shared as", gpu.mode], ["Serial number", gpu.readings?.serial], ["VBIOS", gpu.readings?.vbios]]} />
              </Panel>
              <Panel title="Is it well">
                <table>
                  <thead><tr><th scope="col">Check</th><th scope="col">Verdict</th><th scope="col">Reading</th></tr></thead>
                  <tbody>{checks(gpu).map(([what, verdict, text]) => <tr><th scope="row">{what}</th><td class={verdict === "bad" ? "bad" : ""}>{verdict}</td><td>{text}</td></tr>)}</tbody>
                </table>
              </Panel>
              <Panel title="Who has it">
                {gpu.holders.length === 0 ? <p class="empty">Nobody.</p> : (
                  <ul>{gpu.holders.map((one) => <li><a href={link(["jobs", one.job_id])}>{one.job_id}</a> {one.job_name} of {one.user}, rank {one.rank}: {one.instance || `${one.share / 10} %, ${bytes(one.memory_bytes)}`}</li>)}</ul>
                )}
              </Panel>
              <Panel title="What happened to it">
                {own.length === 0 ? <p class="empty">Nothing that is remembered.</p> : (
                  <ol class="steps">{own.map((one) => <li><span class="dim">{when(one.opened_at)}</span> <a href={link(["incidents", one.id])}>{one.id}</a> {one.cause} <State of={one.state} /></li>)}</ol>
                )}
              </Panel>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
