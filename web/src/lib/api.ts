// A client of the API, typed by docs/reference/openapi.json.
import type { components } from "./schema";
import { token } from "./session";

// Replies have every field; unknown values are null.
export type Full<T> = T extends (infer E)[] ? Full<E>[] : T extends object ? { [K in keyof T]-?: Full<Exclude<T[K], undefined>> } : T;
type Schemas = components["schemas"];
export type JobSpec = Schemas["JobSpec"];
export type Job = Omit<Full<Schemas["Job"]>, "spec"> & { spec: Full<JobSpec> };
export const isOver = (job: Pick<Job, "state">): boolean => ["COMPLETED", "FAILED", "CANCELLED"].includes(job.state);
export type JobReport = Full<Schemas["JobReport"]>;
// As the dashboard asks for them: without times and counts.
export type MetricPoint = Omit<Full<Schemas["MetricCurvePoint"]>, "at" | "count">;
export type MetricSeries = Omit<Full<Schemas["MetricSeries"]>, "points" | "last"> & { points: MetricPoint[]; last: MetricPoint };
export type JobPage = Omit<Full<Schemas["ListJobsReply"]>, "jobs"> & { jobs: Job[] };
// Each GPU in a reply has a verdict.
export type Gpu = Omit<Full<Schemas["Gpu"]>, "verdict"> & { verdict: NonNullable<Full<Schemas["Gpu"]>["verdict"]> };
export type Node = Omit<Full<Schemas["Node"]>, "gpus"> & { gpus: Gpu[] };
export type Cluster = Omit<Full<Schemas["Cluster"]>, "nodes"> & { nodes: Node[] };
export type Queue = Full<Schemas["Queue"]>;
export type Queues = Full<Schemas["ListQueuesReply"]>;
export type Incident = Full<Schemas["Incident"]>;
export type Incidents = Full<Schemas["ListIncidentsReply"]>;
export type Explanation = Full<Schemas["ExplainJobReply"]>;
export type MovePlans = Full<Schemas["MovePlans"]>;
export type Reservations = Full<Schemas["ListReservationsReply"]>;
export type Usage = Full<Schemas["Usage"]>;
export type UsageRow = Usage["rows"][number];
export type Settings = Full<Schemas["Settings"]>;
export type Self = Full<Schemas["WhoAmIReply"]>;
export type Roles = Full<Schemas["ListRolesReply"]>;
export type Tokens = Full<Schemas["ListTokensReply"]>;
export type Audit = Full<Schemas["ListAuditReply"]>;
export type StateChange = Full<Schemas["StateChange"]>;

// An error of the API, as in RFC 9457.
export class Problem extends Error {
  constructor(readonly status: number, readonly code: string, detail: string, readonly places: { pointer: string; detail: string }[] = []) {
    super(detail);
  }
}

export type Fields = Record<string, string | number | boolean | string[] | undefined>;

export function pathOf(path: string, query: Fields = {}): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) fields.append(name, String(one));
  }
  const text = fields.toString();
  return text ? `${path}?${text}` : path;
}

function headers(more: Record<string, string> = {}): Record<string, string> {
  return token.value ? { Authorization: `Bearer ${token.value}`, ...more } : more;
}

async function refusal(answer: Response): Promise<Problem> {
  try {
    const told = await answer.json();
    return new Problem(answer.status, told.code, told.detail, told.errors);
  } catch {
    return new Problem(answer.status, "internal", `HTTP status ${answer.status}`);
  }
}

// Names a change: one that is sent again with its key is made once.  crypto.randomUUID exists only over TLS and on loopback.
export const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export async function ask<T>(method: string, path: string, options: { query?: Fields; body?: unknown; key?: string; signal?: AbortSignal } = {}): Promise<T> {
  const more: Record<string, string> = {};
  if (options.body !== undefined) more["Content-Type"] = "application/json";
  if (options.key) more["Idempotency-Key"] = options.key;
  let answer: Response;
  try {
    answer = await fetch(pathOf(path, options.query), { method, headers: headers(more), body: options.body === undefined ? undefined : JSON.stringify(options.body), signal: options.signal });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, "unavailable", "the controller does not answer");
  }
  if (!answer.ok) throw await refusal(answer);
  return (await answer.json()) as T;
}

export const get = <T>(path: string, query?: Fields, signal?: AbortSignal) => ask<T>("GET", path, { query, signal });

export interface ServerEvent {
  id: string;
  kind: string;
  data: unknown;
}

// Server-sent events over fetch, because EventSource cannot send a token.  Reconnects after the last id that was received,
// until the caller ends it or the server sends "end".  `over` receives the problem if a retry cannot help.
export function listen(path: string, query: Fields, hear: (event: ServerEvent) => void, over: (problem?: Problem) => void, broken: (is: boolean) => void = () => {}): () => void {
  const abort = new AbortController();
  let last = "";
  const once = async (): Promise<"over" | "broken"> => {
    const answer = await fetch(pathOf(path, query), { headers: headers({ Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) }), signal: abort.signal });
    if (!answer.ok || !answer.body) throw await refusal(answer);
    broken(false);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let held = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return "broken";
      held += value;
      for (let end = held.indexOf("\n\n"); end >= 0; end = held.indexOf("\n\n")) {
        const event = parse(held.slice(0, end));
        held = held.slice(end + 2);
        if (event.kind === "end") return "over";
        last = event.id || last;
        if (event.kind) hear(event);
      }
    }
  };
  const run = async () => {
    for (let pause = 250; ; pause = Math.min(pause * 2, 5000)) {
      try {
        if ((await once()) === "over") return over();
        pause = 250;
      } catch (error) {
        if (abort.signal.aborted) return;
        if (error instanceof Problem && error.status !== 503) return over(error);
      }
      broken(true);
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (abort.signal.aborted) return;
    }
  };
  void run();
  return () => abort.abort();
}

function parse(text: string): ServerEvent {
  const event: ServerEvent = { id: "", kind: "", data: null };
  for (const line of text.split("\n")) {
    const at = line.indexOf(": ");
    if (at <= 0) continue;
    const value = line.slice(at + 2);
    if (line.startsWith("id")) event.id = value;
    else if (line.startsWith("event")) event.kind = value;
    else if (line.startsWith("data")) event.data = JSON.parse(value);
  }
  return event;
}
