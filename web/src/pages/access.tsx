// Roles, tokens and the audit.
import { useEffect, useState } from "preact/hooks";
import { get, type Audit, type Problem, type Roles, type Tokens } from "../lib/api";
import { self } from "../lib/live";
import { place, setFilter } from "../lib/route";
import { when } from "../lib/text";
import { Copy, Facts, Head, Loaded, Panel, Told } from "../ui/basic";
import { propose } from "../ui/action";
import { Table } from "../ui/table";

function useAnswer<T>(path: string, query: Record<string, string | number | boolean> = {}, again: unknown = 0): [T | null, Problem | null] {
  const [value, set] = useState<T | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => void get<T>(path, query).then((told) => { set(told); setProblem(null); }, setProblem), [path, JSON.stringify(query), again]);
  return [value, problem];
}

export function Access() {
  const [turn, setTurn] = useState(0);
  const [roles, rolesProblem] = useAnswer<Roles>("/api/v1/roles", {}, turn);
  const [tokens, tokensProblem] = useAnswer<Tokens>("/api/v1/tokens", {}, turn);
  const [secret, setSecret] = useState("");
  const [label, setLabel] = useState("");
  const create = () => propose({
    title: "Create a token", effect: <p>A program with this token acts as you, with the role user, for 30 days. The token is shown only once.</p>, command: ["tokens", "create", label || "token"],
    method: "POST", path: "/api/v1/tokens", body: { label: label || "token" }, then: (answer) => { setSecret((answer as { secret: string }).secret); setTurn((n) => n + 1); },
  });
  return (
    <>
      <Head title="Access" />
      <Panel title="Your access"><Loaded of={self}>{(me) => <Facts of={Object.entries(me).map(([name, value]) => [name.replaceAll("_", " "), typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "")])} />}</Loaded></Panel>
      <Panel title="Tokens">
        {tokensProblem && <Told problem={tokensProblem} />}
        <div class="filters"><label>Purpose <input value={label} onInput={(event) => setLabel(event.currentTarget.value)} /></label><button type="button" onClick={create}>create …</button></div>
        {secret && <><p class="note">Copy the token now; it is not shown again:</p><Copy label="token" text={secret} /></>}
        <Table label="Tokens" rows={tokens?.tokens ?? []} key_of={(one) => one.id} empty="You have no tokens." columns={[
          { name: "Token", show: (one) => one.id }, { name: "Purpose", show: (one) => one.label }, { name: "Expires", show: (one) => when(one.expires_at) },
          { name: "Actions", show: (one) => <button type="button" class="danger" onClick={() => propose({ title: `Revoke ${one.id}`, effect: <p>Requests with this token are refused from now on.</p>, command: ["tokens", "revoke", one.id], method: "DELETE", path: `/api/v1/tokens/${encodeURIComponent(one.id)}`, is_danger: true, then: () => setTurn((n) => n + 1) })}>revoke</button> },
        ]} />
      </Panel>
      <Panel title="Roles">
        {rolesProblem && <Told problem={rolesProblem} />}
        <Table label="Roles" rows={roles?.grants ?? []} key_of={(one) => `${one.subject} ${one.queue}`} empty="No roles are granted: everyone has the role user in all queues." columns={[
          { name: "Subject", show: (one) => (one.subject === "*" ? "everyone" : one.subject), sort: (one) => one.subject }, { name: "Queue", show: (one) => one.queue || "all queues", sort: (one) => one.queue }, { name: "Role", show: (one) => one.role, sort: (one) => one.role },
        ]} />
      </Panel>
    </>
  );
}

export function AuditPage() {
  const query = place.value.query;
  const [audit, problem] = useAnswer<Audit>("/api/v1/audit", { limit: 200, ...(query.get("user") ? { user: query.get("user")! } : {}) });
  return (
    <>
      <Head title="Audit" />
      <div class="filters" role="search"><label>User <input type="search" value={query.get("user") ?? ""} onChange={(event) => setFilter("user", event.currentTarget.value)} /></label></div>
      {problem && <Told problem={problem} />}
      <Table label="Audit" rows={audit?.entries ?? []} key_of={(one) => String(one.number)} empty="No entries." sorted_by="#" descending columns={[
        { name: "#", show: (one) => one.number, sort: (one) => one.number, number: true }, { name: "Time", show: (one) => when(one.at), sort: (one) => one.at }, { name: "User", show: (one) => one.user, sort: (one) => one.user },
        { name: "From", show: (one) => one.from }, { name: "Operation", show: (one) => one.operation, sort: (one) => one.operation }, { name: "Object", show: (one) => one.object },
      ]} />
      <p class="dim"><code>gpu-platform audit verify</code> checks that no entry was changed or removed.</p>
    </>
  );
}
