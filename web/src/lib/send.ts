// Sends a call as it is, and reports its answer as it comes: streams have no end.
import { token } from "./session";

export interface Call {
  method: string;
  path: string; // with the query
  headers: Record<string, string>; // without the token
  body?: string;
}
export interface Answered {
  status: string; // "200 OK"
  is_ok: boolean;
  is_over: boolean;
  ms: number; // from sending to the last byte so far
  headers: [string, string][];
  is_json: boolean;
  text: string;
}

const SHOWN = ["content-type", "etag", "allow", "location", "retry-after", "www-authenticate"];
const LONGEST = 500_000; // of a text that a page shows

export async function send(call: Call, show: (answer: Answered) => void, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  const headers = { ...call.headers, ...(token.value ? { Authorization: `Bearer ${token.value}` } : {}) };
  const reply = await fetch(call.path, { method: call.method, headers, body: call.body, signal, cache: "no-store" });
  const answer: Answered = {
    status: `${reply.status} ${reply.statusText}`.trim(),
    is_ok: reply.ok,
    is_over: false,
    ms: performance.now() - begun,
    headers: SHOWN.flatMap((name): [string, string][] => (reply.headers.has(name) ? [[name, reply.headers.get(name)!]] : [])),
    is_json: /json/.test(reply.headers.get("content-type") ?? ""),
    text: "",
  };
  show({ ...answer });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part && !part.done && answer.text.length < LONGEST; part = await reader?.read()) {
    answer.text += part.value;
    answer.ms = performance.now() - begun;
    if (!answer.is_json) show({ ...answer });
  }
  if (answer.text.length >= LONGEST) {
    void reader?.cancel();
    answer.text = `${answer.text.slice(0, LONGEST)}\n… longer than this page shows`;
    answer.is_json = false;
  }
  show({ ...answer, is_over: true });
}
