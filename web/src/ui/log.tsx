// The live output of one rank.  Of a line that was overwritten (\r) only the final text is shown.
import { signal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { listen, type Problem } from "../lib/api";
import { Told } from "./basic";

const KEPT = 2_000_000; // characters

function collapse(text: string): string {
  return text.includes("\r") ? text.split("\n").map((line) => line.slice(line.replace(/\r$/, "").lastIndexOf("\r") + 1)).join("\n") : text;
}

interface Held {
  text: Signal<string>;
  problem: Signal<Problem | null>;
  is_over: Signal<boolean>;
}

export function Log({ job, rank, attempt }: { job: string; rank: number; attempt: number }) {
  const box = useRef<HTMLPreElement>(null);
  const [errors, setErrors] = useState(false);
  const [find, setFind] = useState("");
  const held = useMemo<Held>(() => ({ text: signal(""), problem: signal(null), is_over: signal(false) }), [job, rank, attempt, errors]);
  useEffect(() => {
    const decoder = new TextDecoder();
    return listen(
      `/api/v1/jobs/${encodeURIComponent(job)}/log`,
      { rank, attempt, errors, follow: true },
      (event) => {
        const bytes = Uint8Array.from(atob((event.data as { data: string }).data), (c) => c.charCodeAt(0));
        held.text.value = (held.text.value + decoder.decode(bytes, { stream: true })).slice(-KEPT);
      },
      (problem) => {
        held.problem.value = problem ?? null;
        held.is_over.value = true;
      },
    );
  }, [held]);
  const text = collapse(held.text.value);
  const lines = find ? text.split("\n").filter((line) => line.toLowerCase().includes(find.toLowerCase())).join("\n") : text;
  const is_at_end = useRef(true);
  useEffect(() => {
    if (box.current && is_at_end.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const toError = () => {
    const at = text.split("\n").findIndex((line) => /error|exception|traceback|fatal/i.test(line));
    if (at >= 0 && box.current) {
      is_at_end.current = false;
      box.current.scrollTop = (box.current.scrollHeight * at) / text.split("\n").length;
    }
  };
  return (
    <>
      <div class="filters">
        <label><input type="checkbox" checked={errors} onChange={(event) => setErrors(event.currentTarget.checked)} /> standard error</label>
        <label>Search <input type="search" value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label>
        <button type="button" onClick={toError}>first error</button>
        <span class="dim" role="status">{held.is_over.value ? "complete" : "following"}</span>
      </div>
      {held.problem.value && <Told problem={held.problem.value} />}
      <pre class="log" ref={box} tabIndex={0} aria-label={`Output of rank ${rank}`}
        onScroll={(event) => (is_at_end.current = event.currentTarget.scrollTop + event.currentTarget.clientHeight >= event.currentTarget.scrollHeight - 20)}>
        {lines || "No output yet."}
      </pre>
    </>
  );
}
