// The API, from the controller's own openapi.json.
import { useEffect, useState } from "preact/hooks";
import { Head, Panel } from "../ui/basic";

interface Described {
  info: { version: string; description: string };
  paths: Record<string, Record<string, { operationId: string; summary: string; description?: string; tags: string[]; parameters?: { name: string; in: string; description?: string }[] }>>;
}

export function Docs() {
  const [api, set] = useState<Described | null>(null);
  const [find, setFind] = useState("");
  useEffect(() => void fetch("/openapi.json").then((answer) => answer.json()).then(set), []);
  const operations = Object.entries(api?.paths ?? {}).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method: method.toUpperCase(), ...one })));
  const fits = operations.filter((one) => `${one.method} ${one.path} ${one.operationId} ${one.summary}`.toLowerCase().includes(find.toLowerCase()));
  return (
    <>
      <Head title="API"><a href="/openapi.json">openapi.json</a></Head>
      <div class="filters" role="search"><label>Search <input type="search" value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label></div>
      {[...new Set(fits.map((one) => one.tags[0] ?? ""))].map((tag) => (
        <Panel title={tag}>
          {fits.filter((one) => one.tags[0] === tag).map((one) => (
            <details>
              <summary><code>{one.method} {one.path}</code> {one.summary}</summary>
              <p>{one.description}</p>
              {(one.parameters ?? []).length > 0 && <ul>{one.parameters!.map((parameter) => <li><code>{parameter.name}</code> <span class="dim">({parameter.in})</span> {parameter.description}</li>)}</ul>}
            </details>
          ))}
        </Panel>
      ))}
    </>
  );
}
