// Small components that all pages share.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Problem } from "../lib/api";
import type { Resource } from "../lib/live";

export const State = ({ of, title }: { of: string; title?: string }) => (
  <span class={`state is-${of}`} title={title}>
    {of}
  </span>
);

export const Panel = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="panel">
    <h2>{title}</h2>
    {children}
  </section>
);

export const Head = ({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) => (
  <div class="head">
    <h1>{title}</h1>
    <span class="grow" />
    {children}
  </div>
);

export const Facts = ({ of }: { of: [string, ComponentChildren][] }) => (
  <dl class="facts">
    {of.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value === null || value === undefined || value === "" ? "–" : value}</dd>
      </>
    ))}
  </dl>
);

export const Told = ({ problem }: { problem: Problem }) => (
  <div class="note problem" role="alert">
    {problem.message}
    {problem.places.length > 0 && (
      <ul>
        {problem.places.map((one) => (
          <li>
            <code>{one.pointer}</code> {one.detail}
          </li>
        ))}
      </ul>
    )}
  </div>
);

// The loaded value, or the problem that prevents it.
export function Loaded<T>({ of, children }: { of: Resource<T>; children: (value: T) => ComponentChildren }) {
  const value = of.value.value;
  const problem = of.problem.value;
  return (
    <>
      {problem && <Told problem={problem} />}
      {value !== null ? children(value) : !problem && <p class="empty">Loading …</p>}
    </>
  );
}

export interface Part {
  name: string;
  kind: string; // a class of app.css
  value: number;
  shown?: string; // instead of the value
}

export function Bar({ parts, label }: { parts: Part[]; label: string }) {
  const all = parts.reduce((sum, part) => sum + part.value, 0);
  const text = parts.map((part) => `${part.name} ${part.shown ?? part.value}`).join(", ");
  return (
    <>
      <div class="bar" role="img" aria-label={`${label}: ${text}`}>
        {parts
          .filter((part) => part.value > 0)
          .map((part) => (
            <span class={part.kind} style={{ width: `${(100 * part.value) / (all || 1)}%` }} title={`${part.name} ${part.shown ?? part.value}`} />
          ))}
      </div>
      <ul class="legend">
        {parts.map((part) => (
          <li>
            <span class={`key ${part.kind}`} />
            {part.name} <strong>{part.shown ?? part.value}</strong>
          </li>
        ))}
      </ul>
    </>
  );
}

// Copies the text that an element shows.  Without TLS a page has no clipboard and copies what is selected.
async function copied(shown: HTMLElement, text: string): Promise<boolean> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  getSelection()?.selectAllChildren(shown);
  return document.execCommand("copy");
}

export function Copy({ text, label }: { text: string; label: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [said, say] = useState("");
  const copy = async () => {
    say(shown.current && (await copied(shown.current, text)) ? "copied" : "not copied: select it");
    setTimeout(() => say(""), 1500);
  };
  return (
    <div class="copy">
      <pre ref={shown} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" onClick={copy}>
        {said || `copy ${label}`}
      </button>
    </div>
  );
}
