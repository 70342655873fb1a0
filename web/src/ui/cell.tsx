// One GPU as a tile: the border shows its state, the fill the chosen metric.
import type { Gpu, Node } from "../lib/api";
import { link } from "../lib/route";

export type Metric = { name: string; of: (gpu: Gpu) => number | null; text: (value: number) => string };

const percent = (value: number) => `${Math.round(100 * value)}%`;

export const METRICS: Record<string, Metric> = {
  granted: { name: "granted", of: (gpu) => gpu.share_granted / 1000, text: percent },
  busy: { name: "busy", of: (gpu) => (gpu.readings?.utilization_percent == null ? null : gpu.readings.utilization_percent / 100), text: percent },
  memory: { name: "memory", of: (gpu) => (gpu.readings?.memory_used_bytes == null || !gpu.memory_bytes ? null : gpu.readings.memory_used_bytes / gpu.memory_bytes), text: percent },
  heat: { name: "temperature", of: (gpu) => (gpu.readings?.temperature_celsius == null ? null : gpu.readings.temperature_celsius / 100), text: (value) => `${Math.round(100 * value)}°` },
  power: { name: "power", of: (gpu) => (gpu.readings?.power_watts == null || !gpu.readings.power_limit_watts ? null : gpu.readings.power_watts / gpu.readings.power_limit_watts), text: percent },
};

export function Cell({ node, gpu, metric, is_dim = false, is_own = false }: { node: Node; gpu: Gpu; metric: Metric; is_dim?: boolean; is_own?: boolean }) {
  const value = metric.of(gpu);
  const who = gpu.holders.map((holder) => `${holder.job_id} of ${holder.user}`).join(", ");
  return (
    <a class={`cell is-${node.state === "UP" ? gpu.state : "OFFLINE"} ${is_dim ? "dim-it" : ""} ${is_own ? "own" : ""}`} href={link(["gpus", node.name, String(gpu.index)])}
      aria-label={`GPU ${gpu.index} of ${node.name}: ${gpu.state}, ${metric.name} ${value === null ? "unknown" : metric.text(value)}${who ? `, ${who}` : ""}`} title={`${gpu.state} ${gpu.verdict.level === "ok" ? gpu.reason : `${gpu.verdict.level} ${gpu.verdict.code}: ${gpu.verdict.why}`} ${who}`}>
      <i style={{ height: `${Math.min(100 * (value ?? 0), 100)}%` }} />
      <b>{gpu.index}</b>
      <small>{value === null ? "–" : metric.text(value)}</small>
    </a>
  );
}
