// How much of all GPUs was granted, how much ran anything, how much of their memory was used, since this page is open.
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { cluster } from "../lib/live";

const KEPT = 720; // an hour, at one in five seconds
const points: [number[], (number | null)[], (number | null)[], (number | null)[]] = [[], [], [], []];

function sample(): void {
  const now = cluster.value.value;
  if (!now) return;
  const gpus = now.nodes.filter((node) => node.state === "UP").flatMap((node) => node.gpus);
  const mean = (of: (number | null)[]) => {
    const known = of.filter((one): one is number => one !== null);
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
  };
  points[0].push(cluster.at.value / 1000);
  points[1].push(mean(gpus.map((gpu) => gpu.share_granted / 10)));
  points[2].push(mean(gpus.map((gpu) => gpu.readings?.utilization_percent ?? null)));
  points[3].push(mean(gpus.map((gpu) => (gpu.readings?.memory_used_bytes == null || !gpu.memory_bytes ? null : (100 * gpu.readings.memory_used_bytes) / gpu.memory_bytes))));
  for (const one of points) if (one.length > KEPT) one.shift();
}

effect(() => {
  if (cluster.at.value) sample();
});

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// A minute at least: one point alone would be spread over years.
function lastTimes(): [number, number] {
  const last = points[0].at(-1) ?? Date.now() / 1000;
  return [Math.min(points[0][0] ?? last, last - 60), last];
}

export function History() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const axis = { stroke: colour("--dim"), grid: { stroke: colour("--line") }, ticks: { stroke: colour("--line") } };
    const line = (label: string, name: string) => ({ label, stroke: colour(name), width: 2, value: (_: uPlot, value: number | null) => (value === null ? "–" : `${value.toFixed(0)} %`) });
    const options: uPlot.Options = {
      width: box.current!.clientWidth, height: 190, scales: { y: { range: [0, 100] }, x: { range: lastTimes } }, axes: [axis, { ...axis, values: (_, values) => values.map((one) => `${one} %`) }],
      series: [{}, line("granted", "--used"), line("busy", "--free"), line("memory", "--waiting")],
    };
    const plot = new uPlot(options, points as uPlot.AlignedData, box.current!);
    const resize = new ResizeObserver(() => plot.setSize({ width: box.current!.clientWidth, height: 190 }));
    resize.observe(box.current!);
    const end = effect(() => {
      if (cluster.at.value) plot.setData(points as uPlot.AlignedData);
    });
    return () => {
      end();
      resize.disconnect();
      plot.destroy();
    };
  }, []);
  return <div ref={box} role="img" aria-label="Granted, busy and memory of all GPUs, since this page is open" />;
}
