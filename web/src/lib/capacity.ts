// Counts the GPUs of some nodes by what they do.
import type { Cluster, Gpu, Node } from "./api";

export interface Capacity {
  all: number;
  used: number; // a job holds it, or a part of it
  free: number;
  waiting: number; // being reset or tested
  failed: number;
  draining: number; // in use, takes no new work
  off: number; // out of service, or on a lost node
}

export type Use = Exclude<keyof Capacity, "all">;

export function useOf(node: Node, gpu: Gpu): Use {
  if (node.state !== "UP") return "off";
  switch (gpu.state) {
    case "ALLOCATED":
    case "IN_USE":
      return gpu.draining || node.draining ? "draining" : "used";
    case "AVAILABLE":
      return gpu.draining || node.draining ? "off" : "free";
    case "RESETTING":
      return "waiting";
    case "DEGRADED":
      return "failed";
    default:
      return "off";
  }
}

export function count(nodes: Node[]): Capacity {
  const counted: Capacity = { all: 0, used: 0, free: 0, waiting: 0, failed: 0, draining: 0, off: 0 };
  for (const node of nodes) {
    for (const gpu of node.gpus) {
      counted.all++;
      counted[useOf(node, gpu)]++;
    }
  }
  return counted;
}

export const partsOf = (of: Capacity) => [
  { name: "in use", kind: "used", value: of.used },
  { name: "in use, draining", kind: "draining", value: of.draining },
  { name: "free", kind: "free", value: of.free },
  { name: "resetting", kind: "waiting", value: of.waiting },
  { name: "failed", kind: "failed", value: of.failed },
  { name: "out of service", kind: "off", value: of.off },
];

// "node/3".
export function findGpu(cluster: Cluster, name: string): { node: Node; gpu: Gpu } | null {
  const at = name.lastIndexOf("/");
  const node = cluster.nodes.find((one) => one.name === name.slice(0, at));
  const gpu = node?.gpus.find((one) => one.index === Number(name.slice(at + 1)));
  return node && gpu ? { node, gpu } : null;
}

// A draining node is up, and its jobs continue.
export const stateOf = (node: Node): string => (node.state === "UP" && node.draining ? "DRAINING" : node.state);

export const modelOf = (model: string): string => model.replace(/^NVIDIA /, "");
