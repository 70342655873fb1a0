// One node: details, jobs, topology, actions.
import type { Node } from "../lib/api";
import { serve } from "../lib/actions";
import { cluster } from "../lib/live";
import { modelOf, stateOf } from "../lib/capacity";
import { link } from "../lib/route";
import { bytes, span } from "../lib/text";
import { Facts, Head, Loaded, Panel, State } from "../ui/basic";

// Sockets with their NUMA nodes, and NUMA nodes with their GPUs.
function Tree({ node }: { node: Node }) {
  const packages = [...new Set(node.numa_nodes.map((numa) => numa.package))].sort((a, b) => a - b);
  return (
    <ul class="tree">
      {packages.map((socket) => (
        <li>
          socket {socket}
          <ul>
            {node.numa_nodes.filter((numa) => numa.package === socket).map((numa) => (
              <li>
                NUMA node {numa.id}: cores {numa.cpus || "–"}, {bytes(numa.memory_bytes)}; granted {numa.cpus_granted || "no cores"}, {bytes(numa.memory_granted_bytes)}
                <ul>
                  {node.gpus.filter((gpu) => gpu.numa_node === numa.id).map((gpu) => (
                    <li><a href={link(["gpus", node.name, String(gpu.index)])}>GPU {gpu.index}</a> {modelOf(gpu.model)} <State of={gpu.state} title={gpu.reason} /> <span class="mono dim">{gpu.pci_bus_id}</span></li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

// The number of NVLinks between each pair of GPUs.
function Links({ node }: { node: Node }) {
  if (node.links.length === 0) return <p class="empty">No NVLink: the GPUs communicate over PCIe.</p>;
  const links = new Map(node.links.flatMap((one) => [[`${one.gpu_a}-${one.gpu_b}`, one.nvlinks], [`${one.gpu_b}-${one.gpu_a}`, one.nvlinks]]));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="NVLinks">
      <table>
        <thead><tr><th scope="col">GPU</th>{node.gpus.map((gpu) => <th scope="col" class="num">{gpu.index}</th>)}</tr></thead>
        <tbody>{node.gpus.map((a) => <tr><th scope="row">{a.index}</th>{node.gpus.map((b) => <td class="num">{a.index === b.index ? "·" : (links.get(`${a.index}-${b.index}`) ?? "PCIe")}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

export function NodePage({ name }: { name: string }) {
  return (
    <Loaded of={cluster}>
      {(now) => {
        const node = now.nodes.find((one) => one.name === name);
        if (!node) return <><Head title={name} /><p class="empty panel">Node not found.</p></>;
        const holders = [...new Map(node.gpus.flatMap((gpu) => gpu.holders).map((one) => [one.job_id, one])).values()];
        return (
          <>
            <Head title={<>{node.name} <State of={stateOf(node)} /></>}>
              <span class="actions">
                <button type="button" onClick={() => serve("DRAIN", node, null)}>drain</button>
                <button type="button" onClick={() => serve("ONLINE", node, null)}>online</button>
                <button type="button" class="danger" onClick={() => serve("OFFLINE", node, null)}>offline</button>
              </span>
            </Head>
            {node.reason && <p class="note">{node.reason}</p>}
            <div class="split">
              <Panel title="Details">
                <Facts of={[["Pool", node.pool], ["Driver", node.driver_version], ["Simulated", node.simulated ? "yes" : "no"], ["Last report", `${span(node.seconds_since_report)} ago`],
                  ["Labels", Object.entries(node.labels).map(([key, value]) => `${key}=${value}`).join(", ")], ["Features", node.features.join(", ")]]} />
              </Panel>
              <Panel title="Jobs">
                {holders.length === 0 ? <p class="empty">None.</p> : <ul>{holders.map((one) => <li><a href={link(["jobs", one.job_id])}>{one.job_id}</a> {one.job_name} of {one.user}</li>)}</ul>}
              </Panel>
            </div>
            <Panel title="Topology"><Tree node={node} /></Panel>
            <Panel title="NVLinks"><Links node={node} /></Panel>
          </>
        );
      }}
    </Loaded>
  );
}
