// Numbers, durations and times as text.
const UNITS: [string, number][] = [["d", 86_400], ["h", 3_600], ["m", 60], ["s", 1]];

// "3m12s", as the command line prints it: the two largest units at most.
export function span(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !isFinite(seconds)) return "–";
  const whole = Math.floor(seconds);
  const first = UNITS.findIndex(([, size]) => whole >= size);
  if (first < 0) return "0s";
  const [unit, size] = UNITS[first]!;
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((whole % size) / next[1]) : 0;
  return `${Math.floor(whole / size)}${unit}${next && rest ? `${rest}${next[0]}` : ""}`;
}

export function bytes(count: number | null | undefined): string {
  if (count === null || count === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (count >= 1024 && at < units.length - 1) {
    count /= 1024;
    ++at;
  }
  return `${count < 10 && at > 0 ? count.toFixed(1) : Math.round(count)} ${units[at]}`;
}

const two = (value: number): string => String(value).padStart(2, "0");

// Local time: "2026-11-26 02:13:05".
export function when(text: string | null | undefined): string {
  if (!text) return "–";
  const at = new Date(text);
  if (isNaN(at.getTime())) return text;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

// Without seconds, for narrow columns.
export const whenShort = (text: string | null | undefined): string => when(text).replace(/:\d\d$/, "");

export const number = (value: number | null | undefined, digits = 0): string => (value === null || value === undefined ? "–" : value.toLocaleString(undefined, { maximumFractionDigits: digits }));
// "1 GPU", "2 GPUs"
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
export const percent = (part: number, whole: number): string => (whole > 0 ? `${Math.round((100 * part) / whole)}%` : "–");

// A measured value with a few digits: "0.31416", "1,250,000", "3.2e-5".  `size` decides between the two forms; the labels of
// an axis share one, so that they share the form.
export function reading(value: number, digits = 5, size = Math.abs(value)): string {
  if (value === 0 || (size >= 1e-4 && size < 1e7)) return value.toLocaleString(undefined, { maximumSignificantDigits: Math.min(21, Math.max(digits, Math.ceil(Math.log10(size || 1)))) });
  return value.toExponential(Math.min(20, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e");
}

// A word of a shell command, quoted where necessary.
export const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
export const money = (value: number | null | undefined, currency: string): string =>
  value === null || value === undefined ? "–" : `${value.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ${currency}`;

// "90s", "15m", "1d12h", as the command line accepts it; null: not a duration, or zero.
export function milliseconds(text: string): number | null {
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return null;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smhd])/g)];
  const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * (units[unit ?? ""] ?? 0), 0);
  return sum >= 1 ? Math.round(sum) : null;
}
