// What all charts share: colours of the theme, axes, a plot that fits its box.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "./theme";

// The value of a variable of app.css.
export const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const axis = (more: uPlot.Axis): uPlot.Axis => ({ stroke: colour("--dim"), grid: { stroke: colour("--line") }, ticks: { stroke: colour("--line") }, ...more });

// A plot in `box`, made once for each value of `key` and of the theme, as a plot keeps the options it began with.
export function usePlot(options: () => Omit<uPlot.Options, "width" | "height">, data: () => uPlot.AlignedData, height: number, key: unknown) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const place = box.current!;
    const made = new uPlot({ ...options(), width: place.clientWidth, height }, data(), place);
    const resize = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height }));
    resize.observe(place);
    plot.current = made;
    return () => {
      resize.disconnect();
      made.destroy();
    };
  }, [key, height, theme.value]);
  return { box, plot };
}
