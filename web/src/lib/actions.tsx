// What may be done with jobs and GPUs, and what follows from it.
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
        {force ? "Its processes are killed at once; what they have not saved is lost." : "Its processes are told to end, and killed when their grace is over."} {counted(gpusOf(job), "GPU")} on {job.places.join(", ") || "their nodes"} {gpusOf(job) === 1 ? "becomes" : "become"} free.
      </p>
    ) : (
      <p>It leaves the queue. Nothing of it runs.</p>
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
    effect: <p>{hold ? "It keeps its place in the queue, and does not start until it is released." : "It waits for its turn again."}</p>,
    command: ["jobs", hold ? "hold" : "release", job.id],
    method: "POST",
    path: `/api/v1/jobs/${encodeURIComponent(job.id)}:${hold ? "hold" : "release"}`,
    body: {},
    then: reload,
  });
}

type Service = "DRAIN" | "OFFLINE" | "ONLINE" | "RESET";

const EFFECTS: Record<Service, string> = {
  DRAIN: "What runs goes on; nothing new starts there.",
  OFFLINE: "Nothing new starts there until a person brings it back.",
  ONLINE: "It is tested, and takes jobs again if it is sound.",
  RESET: "Once nobody uses it, it is reset and then tested.",
};

function Holders({ gpus }: { gpus: Gpu[] }) {
  const held = [...new Set(gpus.flatMap((gpu) => gpu.holders.map((holder) => `${holder.job_id} (${holder.user})`)))];
  return held.length === 0 ? <p>Nobody uses it now.</p> : <p>In use by {held.slice(0, 8).join(", ")}{held.length > 8 ? ` and ${held.length - 8} more` : ""}.</p>;
}

const REASON: Field = { name: "reason", label: "Reason", hint: "Shown with it and your name, as long as it is out of service." };
const DEADLINE: Field = {
  name: "deadline",
  label: "Deadline",
  hint: "Such as 2h: jobs still running then are stopped, with their grace, and queued again. Empty: they run to their end.",
  fault: (text) => (milliseconds(text) === null ? "Write 90s, 15m, 2h or 1d12h." : ""),
};

// Somebody else will ask why it is out.
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
    effect: <p>{action === "CLOSE" ? "It is over. Its GPU stays as it is: bring it online by itself." : "Somebody looks after it: alerts about it are silent."}</p>,
    command: ["incidents", action === "CLOSE" ? "close" : "ack", incident.id],
    method: "POST",
    path: `/api/v1/incidents/${encodeURIComponent(incident.id)}:change`,
    body: { action },
    then: reload,
  });
}
