// Percentages over time, since a page is open.
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Gpu } from "../lib/api";
import { cluster } from "../lib/live";

const KEPT = 720; // an hour, at one in five seconds

interface Line {
  label: string;
  colour: string; // a variable of app.css
}

export class Samples {
  readonly times: number[] = [];
  private readonly values: (number | null)[][];

  constructor(readonly lines: Line[]) {
    this.values = lines.map(() => []);
  }

  add(at_ms: number, values: (number | null)[]): void {
    this.times.push(at_ms / 1000);
    this.values.forEach((line, i) => line.push(values[i] ?? null));
    for (const one of [this.times, ...this.values]) if (one.length > KEPT) one.shift();
  }

  get data(): uPlot.AlignedData {
    return [this.times, ...this.values];
  }
}

// Of the known ones.
export function mean(of: (number | null)[]): number | null {
  const known = of.filter((one): one is number => one !== null);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
}

export const busyPercent = (gpu: Gpu) => gpu.readings?.utilization_percent ?? null;
export const memoryPercent = (gpu: Gpu) => (gpu.readings?.memory_used_bytes == null || !gpu.memory_bytes ? null : (100 * gpu.readings.memory_used_bytes) / gpu.memory_bytes);

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A minute at least: one point alone would be spread over years.
function lastTimes(times: number[]): [number, number] {
  const last = times.at(-1) ?? Date.now() / 1000;
  return [Math.min(times[0] ?? last, last - 60), last];
}

export function Plot({ of, label, height = 190 }: { of: Samples; label: string; height?: number }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const axis = { stroke: colour("--dim"), grid: { stroke: colour("--line") }, ticks: { stroke: colour("--line") } };
    const options: uPlot.Options = {
      width: box.current!.clientWidth, height, scales: { y: { range: [0, 100] }, x: { range: () => lastTimes(of.times) } },
      axes: [axis, { ...axis, size: 58, values: (_, values) => values.map((one) => `${one} %`) }],
      series: [{}, ...of.lines.map((line) => ({ label: line.label, stroke: colour(line.colour), width: 2, value: (_: uPlot, value: number | null) => (value === null ? "–" : `${value.toFixed(0)} %`) }))],
    };
    const plot = new uPlot(options, of.data, box.current!);
    const resize = new ResizeObserver(() => plot.setSize({ width: box.current!.clientWidth, height }));
    resize.observe(box.current!);
    const end = effect(() => {
      if (cluster.at.value) plot.setData(of.data);
    });
    return () => {
      end();
      resize.disconnect();
      plot.destroy();
    };
  }, [of]);
  return <div ref={box} role="img" aria-label={label} />;
}

// How much of all GPUs was granted, how much ran anything, how much of their memory was used.
const fleet = new Samples([{ label: "granted", colour: "--used" }, { label: "busy", colour: "--free" }, { label: "memory", colour: "--waiting" }]);
effect(() => {
  if (!cluster.at.value) return;
  const now = cluster.value.peek()!; // set just before
  const gpus = now.nodes.filter((node) => node.state === "UP").flatMap((node) => node.gpus);
  fleet.add(cluster.at.value, [mean(gpus.map((gpu) => gpu.share_granted / 10)), mean(gpus.map(busyPercent)), mean(gpus.map(memoryPercent))]);
});

export const History = () => <Plot of={fleet} label="Granted, busy and memory of all GPUs, since this page is open" />;
