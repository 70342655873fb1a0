// The current route: "#/jobs/job-7?state=RUNNING".  Filters are part of it, so that a link shows what its sender saw.
import { signal } from "@preact/signals";

export interface Place {
  path: string[];
  query: URLSearchParams;
}

function read(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) };
}

export const place = signal(read());
addEventListener("hashchange", () => {
  place.value = read();
  document.getElementById("content")?.focus();
});

export function link(path: string[], query: Record<string, string> = {}): string {
  const fields = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${fields ? `?${fields}` : ""}`;
}

export function go(path: string[], query: Record<string, string> = {}): void {
  location.hash = link(path, query);
}

// Changes a filter in place, without an entry in the browser's history for each letter.
export function setFilter(name: string, value: string): void {
  const query = new URLSearchParams(place.value.query);
  if (value) query.set(name, value);
  else query.delete(name);
  history.replaceState(null, "", link(place.value.path, Object.fromEntries(query)));
  place.value = read();
}
