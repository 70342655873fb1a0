// Tries an operation of the API: its fields, the equivalent command, and the answer.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { bodyOf, compact, exampleOf, indented, isChange, typeOf, valueOf, type Operation, type Parameter } from "../lib/openapi";
import { send, type Answered, type Call } from "../lib/send";
import { quoted } from "../lib/text";
import { Copy } from "./basic";

type Values = Record<string, string>;

// A list is entered with commas, and sent as a field for each value.
const valuesOf = (parameter: Parameter, text: string): string[] => (parameter.schema.items ? text.split(",").map((one) => one.trim()) : [text]).filter((one) => one !== "");

function callOf(operation: Operation, values: Values, body: string | undefined): Call {
  const call: Call = { method: operation.method, path: operation.path, headers: {} };
  const query = new URLSearchParams();
  for (const one of operation.parameters ?? []) {
    const text = values[one.name] ?? "";
    if (one.in === "path") call.path = call.path.replace(`{${one.name}}`, encodeURIComponent(text));
    else if (one.in === "query") valuesOf(one, text).forEach((value) => query.append(one.name, value));
    else if (text) call.headers[one.name] = text;
  }
  if (query.size > 0) call.path += `?${query}`;
  if (body !== undefined) {
    call.headers["Content-Type"] = "application/json";
    call.body = body;
  }
  return call;
}

// The token is in a variable: it is never shown.
function commandOf(call: Call): string {
  const headers = Object.entries(call.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)} `);
  const body = call.body === undefined ? "" : `-d ${quoted(compact(call.body))} `;
  return `curl -X ${call.method} -H "Authorization: Bearer $TOKEN" ${headers.join("")}${body}${quoted(location.origin + call.path)}`;
}

function Entry({ of, value, set }: { of: Parameter; value: string; set: (text: string) => void }) {
  const id = useId();
  const schema = valueOf(of.schema);
  const choices = schema.type === "boolean" ? ["true", "false"] : schema.enum;
  const shared = { id, value, required: of.required, "aria-describedby": `${id}-hint` };
  return (
    <p class="entry">
      <label for={id}>{of.name}</label>
      {choices
        ? <select {...shared} onChange={(event) => set(event.currentTarget.value)}><option value="">–</option>{choices.map((one) => <option>{one}</option>)}</select>
        : <input {...shared} autocomplete="off" spellcheck={false} onInput={(event) => set(event.currentTarget.value)} />}
      <span id={`${id}-hint`} class="dim">{of.in}, {typeOf(of.schema)}{schema.items ? ", separated by commas" : ""}{of.description ? `: ${of.description}` : ""}</span>
    </p>
  );
}

function Answer({ of }: { of: Answered }) {
  return (
    <section aria-label="Answer">
      <p role="status"><strong class={of.is_ok ? "" : "bad"}>{of.status}</strong> <span class="dim">{of.is_over ? "" : "so far "}{of.ms < 10 ? of.ms.toFixed(1) : Math.round(of.ms)} ms</span></p>
      <ul class="legend headers">{of.headers.map(([name, value]) => <li><code>{name}: {value}</code></li>)}</ul>
      <pre class="log" tabIndex={0} aria-label="Body of the answer">{of.is_json ? indented(of.text) : of.text}</pre>
    </section>
  );
}

// Asks before a call that changes something.
function Confirm({ of, answer }: { of: Call; answer: (is_meant: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={() => answer(false)}>
      <h2 id={id}>Send this change?</h2>
      <p><code>{of.method} {of.path}</code></p>
      {of.body !== undefined && <pre class="log" tabIndex={0} aria-label="Body of the request">{of.body}</pre>}
      <p class="actions">
        <button type="button" class={of.method === "DELETE" ? "danger" : "main"} onClick={() => answer(true)}>Send the change</button>
        <button type="button" onClick={() => answer(false)}>Back</button>
      </p>
    </dialog>
  );
}

const faultOf = (body: string | undefined): string => {
  try {
    if (body !== undefined) JSON.parse(body);
    return "";
  } catch (error) {
    return `The body is not JSON: ${error instanceof Error ? error.message : error}`;
  }
};

export function Try({ operation }: { operation: Operation }) {
  const [values, setValues] = useState<Values>({});
  const [body, setBody] = useState(bodyOf(operation) ? exampleOf(operation) : undefined);
  const [asked, ask] = useState<Call | null>(null);
  const [answer, show] = useState<Answered | null>(null);
  const [problem, report] = useState("");
  const [running, setRunning] = useState<AbortController | null>(null);
  const id = useId();
  useEffect(() => () => running?.abort(), [running]);
  const call = callOf(operation, values, body);

  const run = async (meant: Call) => {
    const abort = new AbortController();
    setRunning(abort);
    show(null);
    await send(meant, show, abort.signal).catch((error) => abort.signal.aborted || report(`The controller does not answer: ${error}`));
    setRunning(null);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const fault = faultOf(body);
    report(fault);
    if (fault) return;
    if (isChange(operation)) ask(call);
    else void run(call);
  };
  return (
    <form class="try" onSubmit={submit}>
      {(operation.parameters ?? []).map((one) => <Entry key={one.name} of={one} value={values[one.name] ?? ""} set={(text) => setValues({ ...values, [one.name]: text })} />)}
      {body !== undefined && (
        <>
          <label for={id}>Body</label>
          <textarea id={id} class="spec" spellcheck={false} rows={Math.min(body.split("\n").length, 20)} value={body} onInput={(event) => setBody(event.currentTarget.value)} />
        </>
      )}
      <Copy label="command" text={commandOf(call)} />
      <p class="actions">
        <button type="submit" class="main" disabled={running !== null}>{isChange(operation) ? "Send …" : "Send"}</button>
        {running && <button type="button" onClick={() => running.abort()}>Stop</button>}
      </p>
      {problem && <p class="note problem" role="alert">{problem}</p>}
      {answer && <Answer of={answer} />}
      {asked && <Confirm of={asked} answer={(is_meant) => { ask(null); if (is_meant) void run(asked); }} />}
    </form>
  );
}
