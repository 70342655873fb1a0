// One metric of a job over steps, beside the same metric of other jobs.
import { useEffect, useMemo } from "preact/hooks";
import uPlot from "uplot";
import type { MetricPoint, MetricSeries } from "../lib/api";
import { linesOf, RANKS_MAX, seriesOfRuns, type Line, type Run } from "../lib/metrics";
import { number, reading } from "../lib/text";
import { axis, colour, usePlot } from "./plot";

const HEIGHT = 190;
const WHOLE = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat(); // steps are whole numbers

const NOT_FINITE: Record<string, string> = { nan: "NaN", inf: "inf", "-inf": "-inf" };
const brief = (value: number) => reading(value, 4);
const textOf = (point: MetricPoint): string => (point.last === null ? (NOT_FINITE[point.not_finite] ?? "–") : brief(point.last));

// Labels of an axis tell its marks apart, however close they are.
function labels(marks: (number | null)[], between: number): string[] {
  const size = Math.max(...marks.map((one) => Math.abs(one ?? 0)));
  const digits = Math.max(1, Math.floor(Math.log10(size || 1)) - Math.floor(Math.log10(between)) + 2);
  return marks.map((one) => (one === null ? "" : reading(one, digits, size)));
}

// On a logarithmic axis each mark has a size of its own.
const labelsOfPowers = (marks: (number | null)[]) => marks.map((one) => (one === null ? "" : reading(one)));

// Wide enough for its longest label.
const widthOf = (_: uPlot, texts: string[] | null) => 22 + 7 * Math.max(3, ...(texts ?? []).map((one) => one.length));

const isBand = (lines: Line[]) => lines.length === 1; // of more lines, the bands would hide each other

// null: a gap.  Steps that only other lines have are no gap: join() leaves them undefined.
function dataOf(lines: Line[], is_log: boolean): uPlot.AlignedData {
  const drawn = (value: number | null) => (value !== null && (!is_log || value > 0) ? value : null);
  const columns = (line: Line): (number | null)[][] => [line.points.map((one) => drawn(one.last)), ...(isBand(lines) ? [line.points.map((one) => drawn(one.min)), line.points.map((one) => drawn(one.max))] : [])];
  return uPlot.join(lines.map((line) => [line.points.map((one) => one.step), ...columns(line)] as uPlot.AlignedData));
}

// Without a cursor the legend shows the last values.
function legendText(plot: uPlot, value: number | null | undefined, line: number, at: number | null): string {
  const shown = at === null ? [...plot.data[line]!].reverse().find((one) => one !== undefined) : value;
  return typeof shown === "number" ? reading(shown) : "–";
}

function optionsOf(lines: Line[], is_log: boolean): Omit<uPlot.Options, "width" | "height"> {
  const drawn = lines.map((line): uPlot.Series => ({ label: line.label, stroke: colour(line.colour), width: line.is_superseded ? 1 : 2, ...(line.is_superseded ? { dash: [4, 4] } : {}), value: legendText }));
  const bounds = isBand(lines) ? [{ class: "bound", points: { show: false } }, { class: "bound", points: { show: false } }] : [];
  return {
    scales: { x: { time: false, range: (_, least, greatest) => (least === greatest ? [least - 1, greatest + 1] : [least, greatest]) }, y: is_log ? { distr: 3 } : {} },
    axes: [
      axis({ size: 34, space: 55, incrs: WHOLE, values: (_, marks, __, ___, between) => labels(marks, between) }),
      axis({ size: widthOf, values: (_, marks, __, ___, between) => (is_log ? labelsOfPowers(marks) : labels(marks, between)) }),
    ],
    series: [{ label: "step", value: (_: uPlot, step: number | null) => (step === null ? "last" : number(step)) }, ...drawn, ...bounds],
    bands: isBand(lines) ? [{ series: [3, 2], fill: `${colour(lines[0]!.colour)}40` }] : [],
    legend: { markers: { dash: (_, line) => (lines[line - 1]?.is_superseded ? "dashed" : "solid") } },
    cursor: { sync: { key: "metrics" } },
  };
}

// The new values take the place of the old ones; what the user has zoomed to stays.
function update(plot: uPlot, data: uPlot.AlignedData): void {
  const steps = plot.data[0];
  const { min, max } = plot.scales["x"]!;
  const is_zoomed = steps.length > 1 && (min !== steps[0] || max !== steps.at(-1));
  plot.setData(data, !is_zoomed);
  if (is_zoomed) plot.redraw();
}

// "NaN since step 812"; after it has become a number again, where it was none.
function notFinite(series: MetricSeries): string | null {
  const last = series.last;
  if (series.not_finite_since !== null) return `${NOT_FINITE[last.not_finite] ?? "not finite"} since step ${number(series.not_finite_since)}`;
  const gap = series.points.filter((one) => one.last === null).at(-1);
  return gap ? `${textOf(gap)} at step ${number(gap.step)}` : null;
}

const extremes = (points: MetricPoint[]) => [Math.min(...points.map((one) => one.min ?? Infinity)), Math.max(...points.map((one) => one.max ?? -Infinity))].filter(isFinite);

export function MetricChart({ name, runs, is_log }: { name: string; runs: Run[]; is_log: boolean }) {
  const lines = useMemo(() => linesOf(name, runs), [name, runs]);
  const data = useMemo(() => dataOf(lines, is_log), [lines, is_log]);
  const { box, plot } = usePlot(() => optionsOf(lines, is_log), () => data, HEIGHT, JSON.stringify([is_log, lines.map(({ points, ...line }) => line)]));
  useEffect(() => {
    if (plot.current && plot.current.data !== data) update(plot.current, data);
  }, [data]);
  const curves = seriesOfRuns(name, runs);
  const own = curves[0]!.series;
  const [least, greatest] = extremes(curves.filter((one) => one.run === runs[0]).flatMap((one) => one.series.points));
  const notes = curves.slice(0, RANKS_MAX).flatMap(({ run, series }) => {
    const note = notFinite(series);
    return note ? [runs.length > 1 ? `${run.id}: ${note}` : curves.length > 1 ? `rank ${series.rank}: ${note}` : note] : [];
  });
  if (is_log && lines.some((line) => line.points.some((one) => one.last !== null && one.last <= 0))) notes.push("values of 0 and below are not drawn");
  const last = `last ${textOf(own.last)} at step ${number(own.last.step)}`;
  const others = curves.slice(1, RANKS_MAX).map(({ run, series }) => `${runs.length > 1 ? run.id : `rank ${series.rank}`}: last ${textOf(series.last)}`);
  return (
    <div class="curve">
      <h3>{name}</h3>
      <p class="dim"><span>{last}</span>{least !== undefined && <>, <span>least {brief(least)}</span>, <span>greatest {brief(greatest!)}</span></>}</p>
      {notes.length > 0 && <p class="note">{notes.join("; ")}</p>}
      <div ref={box} role="img" aria-label={[`${name}: ${last}`, ...others].join("; ")} />
    </div>
  );
}
