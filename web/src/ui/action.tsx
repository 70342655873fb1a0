// A dialog that shows an action before it is carried out: its effect, and the equivalent command and API call.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ask, newKey, Problem } from "../lib/api";
import { quoted } from "../lib/text";
import { Copy, Told } from "./basic";

// An input of an action.
export interface Field {
  name: string;
  label: string;
  hint: string;
  is_required?: boolean;
  fault?: (text: string) => string; // what is wrong with a text that is not empty; empty: nothing
}

export interface Action {
  title: string;
  effect: ComponentChildren;
  command: string[]; // the words after "gpu-platform"
  method: string;
  path: string;
  body?: unknown;
  is_danger?: boolean;
  fields?: Field[];
  filled?: (values: Record<string, string>) => Pick<Action, "command" | "body">; // both, with the values of the fields
  then?: (answer: unknown) => void;
}

const open = signal<Action | null>(null);
const values = signal<Record<string, string>>({});
const is_busy = signal(false);
const problem = signal<Problem | null>(null);
export const done = signal(""); // announced to screen readers
let sent = { call: "", key: "" }; // the last change that this dialog sent

export function propose(action: Action): void {
  problem.value = null;
  values.value = {};
  sent = { call: "", key: "" };
  open.value = action;
}

export const commandOf = (action: Pick<Action, "command">): string => ["gpu-platform", ...action.command.map(quoted)].join(" ");

export function callOf(action: Pick<Action, "method" | "path" | "body">): string {
  const body = action.body === undefined ? "" : ` --json ${quoted(JSON.stringify(action.body))}`;
  return `curl -X ${action.method} -H "Authorization: Bearer $GPU_PLATFORM_TOKEN"${body} ${quoted(location.origin + action.path)}`;
}

// The same change sent again, because its answer was lost, keeps its key; a corrected one is another change.
function keyOf(action: Action): string {
  const call = JSON.stringify([action.method, action.path, action.body]);
  if (call !== sent.call) sent = { call, key: newKey() };
  return sent.key;
}

async function run(action: Action): Promise<void> {
  is_busy.value = true;
  problem.value = null;
  try {
    const answer = await ask<unknown>(action.method, action.path, { body: action.body, key: keyOf(action) });
    open.value = null;
    done.value = `${action.title}: done`;
    action.then?.(answer);
  } catch (error) {
    problem.value = error instanceof Problem ? error : new Problem(0, "internal", String(error));
  }
  is_busy.value = false;
}

function Entry({ of }: { of: Field }) {
  const enter = (input: HTMLInputElement) => {
    const text = input.value.trim();
    input.setCustomValidity(text === "" ? (of.is_required ? "Enter a value." : "") : (of.fault?.(text) ?? ""));
    values.value = { ...values.value, [of.name]: input.value };
  };
  const id = `action-${of.name}`;
  return (
    <p class="entry">
      <label for={id}>{of.label}</label>
      <input id={id} required={of.is_required} maxLength={150} value={values.value[of.name] ?? ""} onInput={(event) => enter(event.currentTarget)} aria-describedby={`${id}-hint`} />
      <span id={`${id}-hint`} class="dim">{of.hint}</span>
    </p>
  );
}

export function ActionDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const proposed = open.value;
  useEffect(() => {
    if (proposed) dialog.current?.showModal();
    else dialog.current?.close();
  }, [proposed]);
  const action = proposed && { ...proposed, ...proposed.filled?.(values.value) };
  return (
    <dialog ref={dialog} onClose={() => (open.value = null)} aria-labelledby="action-title">
      {action && (
        <form
          method="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            void run(action);
          }}
        >
          <h2 id="action-title">{action.title}</h2>
          <div>{action.effect}</div>
          {action.fields?.map((field) => <Entry key={field.name} of={field} />)}
          {problem.value && <Told problem={problem.value} />}
          <p class="dim">Equivalent command and API call:</p>
          <Copy label="command" text={commandOf(action)} />
          <p />
          <Copy label="call" text={callOf(action)} />
          <p class="actions">
            <button type="submit" class={action.is_danger ? "danger" : "main"} disabled={is_busy.value}>
              {action.title}
            </button>
            <button type="button" onClick={() => (open.value = null)}>
              Back
            </button>
          </p>
        </form>
      )}
    </dialog>
  );
}
