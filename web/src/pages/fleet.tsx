// All nodes and their GPUs.
import type { Gpu, Node } from "../lib/api";
import { cluster } from "../lib/live";
import { count, modelOf, partsOf, stateOf, useOf } from "../lib/capacity";
import { link, place, setFilter } from "../lib/route";
import { Bar, Head, Loaded, State } from "../ui/basic";
import { Cell, METRICS } from "../ui/cell";
import { Table } from "../ui/table";

// How many GPUs of a node are free.
const freeOn = (node: Node) => node.gpus.filter((gpu) => useOf(node, gpu) === "free").length;

export function Fleet() {
  const query = place.value.query;
  const metric = METRICS[query.get("show") ?? "granted"] ?? METRICS["granted"]!;
  const block = Number(query.get("free") ?? 0);
  const pool = query.get("pool") ?? "";
  const as_table = query.get("as") === "table";
  return (
    <>
      <Head title="Fleet" />
      <Loaded of={cluster}>
        {(now) => {
          const nodes = now.nodes.filter((node) => !pool || node.pool === pool);
          return (
            <>
              <Bar label="GPUs" parts={partsOf(count(nodes))} />
              <div class="filters">
                <label>Show <select value={query.get("show") ?? "granted"} onChange={(event) => setFilter("show", event.currentTarget.value)}>{Object.entries(METRICS).map(([key, one]) => <option value={key}>{one.name}</option>)}</select></label>
                <label>Pool <select value={pool} onChange={(event) => setFilter("pool", event.currentTarget.value)}><option value="">all</option>{[...new Set(now.nodes.map((node) => node.pool))].map((name) => <option>{name}</option>)}</select></label>
                <label>Minimum free GPUs per node <input type="number" min="0" max="64" value={block || ""} onInput={(event) => setFilter("free", event.currentTarget.value)} /></label>
                <label><input type="checkbox" checked={as_table} onChange={(event) => setFilter("as", event.currentTarget.checked ? "table" : "")} /> as a table</label>
              </div>
              {nodes.length === 0 && <p class="empty panel">No node has joined. <code>gpu-platform doctor</code> on the node finds the cause; <code>gpu-platform serve --simulate dgx-h100:2</code> simulates two nodes.</p>}
              {as_table ? (
                <Table label="GPUs" empty="No GPUs." rows={nodes.flatMap((node) => node.gpus.map((gpu) => ({ node, gpu })))} key_of={(row) => `${row.node.name}/${row.gpu.index}`} columns={[
                  { name: "GPU", show: ({ node, gpu }) => <a href={link(["gpus", node.name, String(gpu.index)])}>{node.name}/{gpu.index}</a>, sort: ({ node, gpu }) => `${node.name}/${String(gpu.index).padStart(3, "0")}` },
                  { name: "Model", show: ({ gpu }) => modelOf(gpu.model), sort: ({ gpu }) => gpu.model },
                  { name: "State", show: ({ gpu }) => <State of={gpu.state} title={gpu.reason} />, sort: ({ gpu }) => gpu.state },
                  ...Object.values(METRICS).map((one) => ({ name: one.name, number: true, show: ({ gpu }: { gpu: Gpu }) => { const value = one.of(gpu); return value === null ? "–" : one.text(value); }, sort: ({ gpu }: { gpu: Gpu }) => one.of(gpu) ?? -1 })),
                  { name: "Held by", show: ({ gpu }) => gpu.holders.map((holder) => `${holder.job_id} (${holder.user})`).join(", ") },
                ]} />
              ) : (
                <div class="fleet">
                  {nodes.map((node) => (
                    <section class="node" aria-label={node.name}>
                      <a href={link(["nodes", node.name])}><strong>{node.name}</strong></a> <State of={stateOf(node)} title={node.reason} />
                      <div class="dim">{node.gpus[0] ? modelOf(node.gpus[0].model) : "no GPU"} · {node.pool}</div>
                      <div class="cells">{node.gpus.map((gpu) => <Cell node={node} gpu={gpu} metric={metric} is_dim={block > 0 && freeOn(node) < block} />)}</div>
                    </section>
                  ))}
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
