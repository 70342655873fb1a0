// Actions on jobs, nodes, GPUs and incidents, each with the effect that its dialog shows.
import type { Gpu, Incident, Job, Node } from "./api";
import { cluster, incidents, jobs } from "./live";
import { propose, type Action, type Field } from "../ui/action";
import { counted, milliseconds } from "./text";

const gpusOf = (job: Job): number => (job.spec.gpus?.count ?? 1) * (job.spec.nodes ?? 1);
const reload = () => [jobs, cluster, incidents].forEach((one) => one.soon());

export function stopJob(job: Job, force: boolean): void {
  const runs = job.state === "RUNNING";
  propose({
    title: force ? `Kill ${job.id}` : `Cancel ${job.id}`,
    effect: runs ? (
      <p>
        {force ? "The job's processes are killed immediately; unsaved work is lost." : "The job's processes receive SIGTERM and are killed after the grace period."} {counted(gpusOf(job), "GPU")} on {job.places.join(", ") || "their nodes"} {gpusOf(job) === 1 ? "becomes" : "become"} free.
      </p>
    ) : (
      <p>The job leaves the queue. It has no running processes.</p>
    ),
    command: ["jobs", force ? "kill" : "cancel", job.id],
    method: "POST",
    path: `/api/v1/jobs/${encodeURIComponent(job.id)}:stop`,
    body: { force },
    is_danger: true,
    then: reload,
  });
}

export function holdJob(job: Job, hold: boolean): void {
  propose({
    title: hold ? `Hold ${job.id}` : `Release ${job.id}`,
    effect: <p>{hold ? "The job keeps its place in the queue and does not start until it is released." : "The job waits in the queue again."}</p>,
    command: ["jobs", hold ? "hold" : "release", job.id],
    method: "POST",
    path: `/api/v1/jobs/${encodeURIComponent(job.id)}:${hold ? "hold" : "release"}`,
    body: {},
    then: reload,
  });
}

type Service = "DRAIN" | "OFFLINE" | "ONLINE" | "RESET";

const EFFECTS: Record<Service, string> = {
  DRAIN: "Running jobs continue; no new job starts there.",
  OFFLINE: "No new job starts there until an operator brings it back online.",
  ONLINE: "It is tested, and takes jobs again if it passes.",
  RESET: "It is reset and tested as soon as no job uses it.",
};

function Holders({ gpus }: { gpus: Gpu[] }) {
  const held = [...new Set(gpus.flatMap((gpu) => gpu.holders.map((holder) => `${holder.job_id} (${holder.user})`)))];
  return held.length === 0 ? <p>Not in use.</p> : <p>In use by {held.slice(0, 8).join(", ")}{held.length > 8 ? ` and ${held.length - 8} more` : ""}.</p>;
}

const REASON: Field = { name: "reason", label: "Reason", hint: "Shown with your name while it is out of service." };
const DEADLINE: Field = {
  name: "deadline",
  label: "Deadline",
  hint: "For example 2h: jobs that still run then are stopped with their grace period and queued again. Empty: jobs run to their end.",
  fault: (text) => (milliseconds(text) === null ? "Enter a duration such as 90s, 15m, 2h or 1d12h." : ""),
};

// Other operators must see why something is out of service.
const fieldsOf = (what: Service): Field[] => (what === "ONLINE" ? [] : [{ ...REASON, is_required: what !== "RESET" }, ...(what === "DRAIN" ? [DEADLINE] : [])]);

function filledIn(command: string[], body: Record<string, unknown>, values: Record<string, string>): Pick<Action, "command" | "body"> {
  const reason = values["reason"]?.trim();
  const deadline = values["deadline"]?.trim();
  const deadline_ms = deadline ? milliseconds(deadline) : null;
  return {
    command: [...command, ...(reason ? ["--reason", reason] : []), ...(deadline_ms ? ["--deadline", `${deadline}`] : [])],
    body: { ...body, ...(reason ? { reason } : {}), ...(deadline_ms ? { deadline_ms } : {}) },
  };
}

export function serve(what: Service, node: Node, gpu: Gpu | null): void {
  const name = gpu ? `${node.name}/${gpu.index}` : node.name;
  const body = { ...(gpu ? { gpu: name } : { node: name }), action: what };
  const command = [what.toLowerCase(), gpu ? "--gpu-id" : "--node", name];
  propose({
    title: `${what[0]}${what.slice(1).toLowerCase()} ${name}`,
    effect: (
      <>
        <p>{EFFECTS[what]}</p>
        <Holders gpus={gpu ? [gpu] : node.gpus} />
      </>
    ),
    command,
    method: "POST",
    path: "/api/v1/cluster:service",
    body,
    fields: fieldsOf(what),
    filled: (values) => filledIn(command, body, values),
    is_danger: what === "OFFLINE" || what === "RESET",
    then: reload,
  });
}

export function changeIncident(incident: Incident, action: "ACKNOWLEDGE" | "CLOSE"): void {
  propose({
    title: action === "CLOSE" ? `Close ${incident.id}` : `Acknowledge ${incident.id}`,
    effect: <p>{action === "CLOSE" ? "The incident is closed. Its GPU does not change: bring it online separately." : "An operator handles the incident: its alerts are silenced."}</p>,
    command: ["incidents", action === "CLOSE" ? "close" : "ack", incident.id],
    method: "POST",
    path: `/api/v1/incidents/${encodeURIComponent(incident.id)}:change`,
    body: { action },
    then: reload,
  });
}
