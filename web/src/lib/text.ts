// Numbers and times as people read them.
export function span(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !isFinite(seconds)) return "–";
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${Math.floor(seconds % 60)}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3600)}h`;
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

export function when(text: string | null | undefined, form?: Intl.DateTimeFormatOptions): string {
  if (!text) return "–";
  const at = new Date(text);
  return isNaN(at.getTime()) ? text : at.toLocaleString(undefined, form);
}

// For lists, where a column is narrow: the whole is in a title.
export const whenShort = (text: string | null | undefined): string => when(text, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

export const number = (value: number | null | undefined, digits = 0): string => (value === null || value === undefined ? "–" : value.toLocaleString(undefined, { maximumFractionDigits: digits }));
// "1 GPU", "2 GPUs"
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
export const percent = (part: number, whole: number): string => (whole > 0 ? `${Math.round((100 * part) / whole)} %` : "–");

// For a shell: quoted where it has to be.
export const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
export const money = (value: number | null | undefined, currency: string): string =>
  value === null || value === undefined ? "–" : `${value.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ${currency}`;

// "90s", "15m", "1d12h", as the command line takes it; null: it is none, or nothing.
export function milliseconds(text: string): number | null {
  const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return null;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smhd])/g)];
  const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * (units[unit ?? ""] ?? 0), 0);
  return sum >= 1 ? Math.round(sum) : null;
}
