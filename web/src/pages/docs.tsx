// The API, from the controller's own openapi.json: each operation can be read and tried.
import { useEffect, useRef, useState } from "preact/hooks";
import { bodyOf, nameOf, operationsOf, typeOf, valueOf, type Described, type Operation, type Schema } from "../lib/openapi";
import { Head, Panel } from "../ui/basic";
import { Try } from "../ui/try";

// The fields of an object.  Those of objects in it are described where a reader opens them: some objects contain their own kind.
function Fields({ of, api }: { of: Schema; api: Described }) {
  return <ul class="fields">{Object.entries(of.properties ?? {}).map(([name, field]) => <Field name={name} of={field} api={api} />)}</ul>;
}

function Field({ name, of, api }: { name: string; of: Schema; api: Described }) {
  const [is_open, open] = useState(false);
  const value = valueOf(of);
  const inner = api.components.schemas[nameOf(value.items ?? value)];
  const text = <><code>{name}</code> <span class="dim">({typeOf(of)})</span> {of.description}</>;
  if (!inner?.properties) return <li>{text}</li>;
  return <li><details onToggle={(event) => open(event.currentTarget.open)}><summary>{text}</summary>{is_open && <Fields of={inner} api={api} />}</details></li>;
}

function OperationDetails({ operation, api }: { operation: Operation; api: Described }) {
  const details = useRef<HTMLDetailsElement>(null);
  const is_meant = location.hash === `#${operation.operationId}`;
  const [is_open, open] = useState(is_meant);
  useEffect(() => { if (is_meant) details.current?.scrollIntoView(); }, []);
  const body = bodyOf(operation);
  return (
    <details ref={details} id={operation.operationId} open={is_open} onToggle={(event) => event.target === details.current && open(details.current!.open)}>
      <summary><code>{operation.method} {operation.path}</code> {operation.summary}</summary>
      {is_open && (
        <>
          <p>{operation.description}</p>
          {body && <details><summary>Fields of the body</summary><Fields of={body} api={api} /></details>}
          <Try operation={operation} />
        </>
      )}
    </details>
  );
}

export function Docs() {
  const [api, set] = useState<Described | null>(null);
  const [find, setFind] = useState("");
  useEffect(() => void fetch("/openapi.json").then((answer) => answer.json()).then(set), []);
  const operations = api ? operationsOf(api) : [];
  const fits = operations.filter((one) => `${one.method} ${one.path} ${one.operationId} ${one.summary}`.toLowerCase().includes(find.toLowerCase()));
  return (
    <>
      <Head title="API"><a href="/openapi.json">openapi.json</a></Head>
      <div class="filters" role="search"><label>Search <input type="search" value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label></div>
      {[...new Set(fits.map((one) => one.tags[0] ?? ""))].map((tag) => (
        <Panel key={tag} title={tag}>{fits.filter((one) => one.tags[0] === tag).map((one) => <OperationDetails key={one.operationId} operation={one} api={api!} />)}</Panel>
      ))}
    </>
  );
}
