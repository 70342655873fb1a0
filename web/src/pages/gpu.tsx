// One GPU: details, health, allocation, incidents.
import type { Gpu } from "../lib/api";
import { serve } from "../lib/actions";
import { cluster, incidents } from "../lib/live";
import { findGpu, modelOf } from "../lib/capacity";
import { link } from "../lib/route";
import { bytes, number, span, when } from "../lib/text";
import { Facts, Head, Loaded, Panel, State } from "../ui/basic";

type Check = { what: string; result: string; reading: string; meaning: string };

// The results are the controller's findings, so that every interface shows the same verdict.
function checks(gpu: Gpu): Check[] {
  const r = gpu.readings;
  const check = (what: string, codes: string[], value: unknown, reading: string): Check => {
    const finding = gpu.verdict.findings.find((one) => codes.includes(one.code));
    const known = value !== null && value !== undefined;
    const is_soft = finding && (finding.follows === "no-linked-work" || finding.follows === "no-new-work");
    return { what, result: finding ? (is_soft ? "WARN" : "FAIL") : known ? "ok" : "unknown", reading: known ? reading : "–", meaning: finding?.text ?? "" };
  };
  const age = r ? `${r.stale ? "stale, " : ""}${span(r.age_seconds ?? 0)} old` : "";
  return [
    check("readings", ["unread"], r ? r.age_seconds : null, age),
    check("responds", ["lost"], r && !r.stale ? true : null, "yes"),
    check("temperature", ["critical-heat", "hot", "warm"], r?.temperature_celsius, `${r?.temperature_celsius} °C, slowdown at ${r?.temperature_slowdown_celsius ?? "–"} °C`),
    check("power", [], r?.power_watts, `${r?.power_watts} W of ${r?.power_limit_watts ?? "–"} W`),
    check("corrected memory errors", [], r?.ecc_corrected, number(r?.ecc_corrected ?? 0)),
    check("uncorrected memory errors", ["ecc-uncorrected"], r?.ecc_uncorrected, number(r?.ecc_uncorrected ?? 0)),
    check("pending row remaps", ["row-remap-pending"], r?.row_remap_pending, r?.row_remap_pending ? "yes: reset the GPU" : "no"),
    check("failed row remaps", ["row-remap-failed"], r?.row_remap_failed, r?.row_remap_failed ? "yes: replace the GPU" : "no"),
    check("NVLinks", ["nvlink-down"], r?.nvlinks_total, `${r?.nvlinks_active} of ${r?.nvlinks_total} active`),
    check("recovery action", ["recovery-action"], r?.recovery_action, r?.recovery_action || "none"),
    ...gpu.verdict.xids.map((one) => ({ what: `XID ${one.xid}`, result: gpu.verdict.code === `xid-${one.xid}` ? gpu.verdict.level : "WARN", reading: when(one.at), meaning: "reported by the driver" })),
  ];
}

export function GpuPage({ name }: { name: string }) {
  return (
    <Loaded of={cluster}>
      {(now) => {
        const found = findGpu(now, name);
        if (!found) return <><Head title={name} /><p class="empty panel">GPU not found.</p></>;
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
              <Panel title="Details">
                <Facts of={[["Model", modelOf(gpu.model)], ["Node", <a href={link(["nodes", node.name])}>{node.name}</a>], ["UUID", <code>{gpu.uuid}</code>], ["PCI", <code>{gpu.pci_bus_id}</code>], ["NUMA node", gpu.numa_node],
                  ["Memory", `${bytes(gpu.memory_bytes)}, ${bytes(gpu.memory_granted_bytes)} granted`], ["Sharing mode", gpu.mode], ["Compute capability", gpu.readings?.compute_capability],
                  ["MIG profiles", gpu.readings?.mig_profiles?.join(" ")], ["Serial number", gpu.readings?.serial], ["VBIOS", gpu.readings?.vbios]]} />
              </Panel>
              <Panel title="Health">
                <p><State of={gpu.verdict.level} /> {gpu.verdict.level !== "ok" && <>{gpu.verdict.code}{gpu.verdict.why && `: ${gpu.verdict.why}`}</>}</p>
                {gpu.verdict.follows && <p>{gpu.verdict.follows}</p>}
                <table>
                  <thead><tr><th scope="col">Check</th><th scope="col">Result</th><th scope="col">Reading</th></tr></thead>
                  <tbody>{checks(gpu).map((one) => <tr title={one.meaning}><th scope="row">{one.what}</th><td class={one.result === "FAIL" ? "bad" : ""}>{one.result}</td><td>{one.reading}</td></tr>)}</tbody>
                </table>
              </Panel>
              <Panel title="Allocation">
                {gpu.holders.length === 0 ? <p class="empty">Not allocated.</p> : (
                  <ul>{gpu.holders.map((one) => <li><a href={link(["jobs", one.job_id])}>{one.job_id}</a> {one.job_name} of {one.user}, rank {one.rank}: {one.instance || `${one.share / 10}%, ${bytes(one.memory_bytes)}`}</li>)}</ul>
                )}
              </Panel>
              <Panel title="Timeline">
                {own.length === 0 ? <p class="empty">No incidents.</p> : (
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
