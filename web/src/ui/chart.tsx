// Charts of percentages since a page was opened.
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type uPlot from "uplot";
import type { Gpu } from "../lib/api";
import { cluster } from "../lib/live";
import { when } from "../lib/text";
import { METRICS } from "./cell";
import { axis, colour, usePlot } from "./plot";

const KEPT = 720; // an hour, at one every five seconds

interface Line {
  label: string;
  colour: string; // a variable of app.css
}

export class Samples {
  readonly version = signal(0); // grows with each sample
  readonly times: number[] = [];
  private readonly values: (number | null)[][];

  constructor(readonly lines: Line[]) {
    this.values = lines.map(() => []);
  }

  add(at_ms: number, values: (number | null)[]): void {
    this.times.push(at_ms / 1000);
    this.values.forEach((line, i) => line.push(values[i] ?? null));
    for (const one of [this.times, ...this.values]) if (one.length > KEPT) one.shift();
    this.version.value = this.version.peek() + 1;
  }

  get data(): uPlot.AlignedData {
    return [this.times, ...this.values];
  }
}

// The mean of the known values.
export function mean(of: (number | null)[]): number | null {
  const known = of.filter((one): one is number => one !== null);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
}

// The mean of a metric of METRICS over some GPUs, in percent.
export function meanPercent(gpus: Gpu[], metric: string): number | null {
  const value = mean(gpus.map(METRICS[metric]!.of));
  return value === null ? null : 100 * value;
}

// At least a minute: a single point would be spread over years.
function lastTimes(times: number[]): [number, number] {
  const last = times.at(-1) ?? Date.now() / 1000;
  return [Math.min(times[0] ?? last, last - 60), last];
}

const whenSeconds = (seconds: number) => when(new Date(seconds * 1000).toISOString());

// Times of day; the date stands below the first one of each day.
function timeLabels(times: number[]): string[] {
  const texts = times.map(whenSeconds);
  return texts.map((text, i) => {
    const [day, time] = text.split(" ");
    return day === texts[i - 1]?.split(" ")[0] ? time! : `${time}\n${day}`;
  });
}

export function Plot({ of, label, height = 190 }: { of: Samples; label: string; height?: number }) {
  const options = () => ({
    scales: { y: { range: [0, 100] as uPlot.Range.MinMax }, x: { range: () => lastTimes(of.times) } },
    axes: [axis({ space: 80, values: (_, times) => timeLabels(times) }), axis({ size: 58, values: (_, values) => values.map((one) => `${one}%`) })],
    series: [{ value: (_: uPlot, time: number | null) => (time === null ? "–" : whenSeconds(time)) }, ...of.lines.map((line) => ({ label: line.label, stroke: colour(line.colour), width: 2, value: (_: uPlot, value: number | null) => (value === null ? "–" : `${value.toFixed(0)}%`) }))],
  });
  const { box, plot } = usePlot(options, () => of.data, height, of);
  useEffect(
    () =>
      effect(() => {
        if (of.version.value) plot.current?.setData(of.data);
      }),
    [of],
  );
  return <div ref={box} role="img" aria-label={label} />;
}

// Means over all GPUs: share granted, time busy, memory used.
const fleet = new Samples([{ label: "granted", colour: "--used" }, { label: "busy", colour: "--free" }, { label: "memory", colour: "--waiting" }]);
effect(() => {
  const now = cluster.at.value ? cluster.value.peek() : null; // was set just before
  if (!now) return;
  const gpus = now.nodes.filter((node) => node.state === "UP").flatMap((node) => node.gpus);
  fleet.add(cluster.at.value, ["granted", "busy", "memory"].map((metric) => meanPercent(gpus, metric)));
});

export const History = () => <Plot of={fleet} label="Granted, busy and memory of all GPUs, since this page was opened" />;
