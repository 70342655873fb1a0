// Data that all pages show.  The controller's events keep it up to date; readings are polled every few seconds.
import { effect, signal, type Signal } from "@preact/signals";
import { get, listen, Problem, type Cluster, type Fields, type Incidents, type JobPage, type Queues, type Reservations, type Self, type StateChange, type Usage } from "./api";
import { place } from "./route";
import { token } from "./session";

export class Resource<T> {
  readonly value: Signal<T | null> = signal<T | null>(null);
  readonly problem: Signal<Problem | null> = signal<Problem | null>(null);
  readonly at: Signal<number> = signal(0); // when it was received
  private loading = false;
  private again = false;
  private timer = 0;

  constructor(private readonly path: string, private readonly query: () => Fields = () => ({})) {}

  // One request at a time; calls during a request lead to one more request after it.
  async load(): Promise<void> {
    if (this.loading) {
      this.again = true;
      return;
    }
    this.loading = true;
    try {
      this.value.value = await get<T>(this.path, this.query());
      this.problem.value = null;
      this.at.value = Date.now();
    } catch (error) {
      this.problem.value = error instanceof Problem ? error : new Problem(0, "internal", String(error));
    }
    this.loading = false;
    if (this.again) {
      this.again = false;
      void this.load();
    }
  }

  // Several changes within a short time lead to one request.
  soon(): void {
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      void this.load();
    }, 300);
  }

  forget(): void {
    this.value.value = null;
    this.problem.value = null;
  }
}

export const self = new Resource<Self>("/api/v1/self");
export const cluster = new Resource<Cluster>("/api/v1/cluster", () => ({ readings: true }));
export const queues = new Resource<Queues>("/api/v1/queues");
export const reservations = new Resource<Reservations>("/api/v1/reservations");
export const incidents = new Resource<Incidents>("/api/v1/incidents", () => ({ all: true, limit: 500 }));
export const jobs = new Resource<JobPage>("/api/v1/jobs", () => ({ all: true, limit: 10_000, arrays_as_one: true, fields: JOB_FIELDS }));

// The days that the page's address names.
export const costQuery = () => ({ from: place.value.query.get("from") ?? "", until: place.value.query.get("until") ?? "", by: ["QUEUE", "USER"] });
export const costs = new Resource<Usage>("/api/v1/usage", costQuery);

const JOB_FIELDS =
  "total,next,jobs.id,jobs.state,jobs.detail,jobs.reason,jobs.user,jobs.queue,jobs.pool,jobs.submitted_at,jobs.started_at,jobs.ended_at,jobs.exit_code," +
  "jobs.attempt,jobs.places,jobs.wait_seconds,jobs.run_seconds,jobs.array_id,jobs.array_index,jobs.elements,jobs.spec.name,jobs.spec.gpus,jobs.spec.nodes,jobs.spec.priority,jobs.gpu_busy,jobs.use.gpu_hours";

export const changes = signal<StateChange[]>([]); // the newest changes, first
export const is_broken = signal(false);

const READINGS_MS = 5_000;
const KEPT = 200;

const ALL: Resource<unknown>[] = [jobs, cluster, queues, incidents, reservations];

function concerning(change: StateChange): Resource<unknown>[] {
  switch (change.kind) {
    case "job":
      return [jobs, cluster, queues];
    case "node":
      return [cluster];
    case "queue":
      return [queues];
    case "reservation":
      return [queues, reservations];
    case "incident":
      return [incidents, cluster];
    default: // some changes were missed
      return ALL;
  }
}

// Starts again with each token.
effect(() => {
  void token.value;
  for (const one of [self, ...ALL]) {
    one.forget();
    void one.load();
  }
  costs.forget(); // only the page of costs loads them
});
effect(() => {
  void token.value;
  const end = listen(
    "/api/v1/events",
    {},
    (event) => {
      const change = event.data as StateChange;
      changes.value = [change, ...changes.value].slice(0, KEPT);
      for (const one of concerning(change)) one.soon();
    },
    (problem) => {
      is_broken.value = problem !== undefined;
    },
    (is) => {
      if (is_broken.value && !is) for (const one of [self, ...ALL]) one.soon();
      is_broken.value = is;
    },
  );
  const timer = window.setInterval(() => {
    if (!document.hidden) cluster.soon();
  }, READINGS_MS);
  return () => {
    end();
    clearInterval(timer);
  };
});
