// The frame of all pages: navigation, user, connection state.
import { computed, signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import "./app.css";
import { cluster, incidents, is_broken, jobs, self } from "./lib/live";
import { go, link, place } from "./lib/route";
import { logIn, logOut, token } from "./lib/session";
import { span } from "./lib/text";
import { Access, AuditPage } from "./pages/access";
import { Costs } from "./pages/costs";
import { Docs } from "./pages/docs";
import { Fleet } from "./pages/fleet";
import { GpuPage } from "./pages/gpu";
import { IncidentPage, Incidents } from "./pages/incidents";
import { JobPage } from "./pages/job";
import { Jobs } from "./pages/jobs";
import { NodePage } from "./pages/node";
import { Overview } from "./pages/overview";
import { Queues } from "./pages/queues";
import { Scheduler } from "./pages/scheduler";
import { SettingsPage } from "./pages/settings";
import { Submit } from "./pages/submit";
import { ActionDialog, done } from "./ui/action";
import { ThemeButton } from "./ui/theme";

const SECTIONS: [string, [string, string][]][] = [
  ["Work", [["", "Overview"], ["jobs", "Jobs"], ["submit", "Submit"], ["queues", "Queues"], ["costs", "Costs"]]],
  ["Machines", [["fleet", "Fleet"], ["incidents", "Incidents"], ["scheduler", "Scheduler"]]],
  ["Administration", [["access", "Access"], ["audit", "Audit"], ["settings", "Settings"], ["docs", "API"]]],
];

function Page() {
  const [first = "", second, third] = place.value.path;
  switch (first) {
    case "": return <Overview />;
    case "jobs": return second ? <JobPage key={second} id={second} /> : <Jobs />;
    case "submit": return <Submit />;
    case "queues": return <Queues />;
    case "costs": return <Costs />;
    case "fleet": return <Fleet />;
    case "nodes": return second ? <NodePage name={second} /> : <Fleet />;
    case "gpus": return second && third ? <GpuPage name={`${second}/${third}`} /> : <Fleet />;
    case "incidents": return second ? <IncidentPage id={second} /> : <Incidents />;
    case "scheduler": return <Scheduler />;
    case "access": return <Access />;
    case "audit": return <AuditPage />;
    case "settings": return <SettingsPage />;
    case "docs": return <Docs />;
    default: return <p class="empty panel">Page not found. <a href="#/">Go to the overview</a></p>;
  }
}

const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 1000);
const age = computed(() => (cluster.at.value ? Math.max(0, (now.value - cluster.at.value) / 1000) : null));

function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [find, setFind] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "k") {
        event.preventDefault();
        setFind("");
        setAt(0);
        dialog.current?.showModal();
      }
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  const targets: [string, string, string[]][] = [
    ...SECTIONS.flatMap(([, pages]) => pages.map(([path, name]): [string, string, string[]] => [name, "page", path ? [path] : []])),
    ...(cluster.value.value?.nodes ?? []).map((node): [string, string, string[]] => [node.name, "node", ["nodes", node.name]]),
    ...(cluster.value.value?.nodes ?? []).flatMap((node) => node.gpus.map((gpu): [string, string, string[]] => [`${node.name}/${gpu.index}`, "GPU", ["gpus", node.name, String(gpu.index)]])),
    ...(jobs.value.value?.jobs ?? []).map((job): [string, string, string[]] => [`${job.id} ${job.spec.name} ${job.user}`, "job", ["jobs", job.id]]),
  ];
  const found = targets.filter(([name]) => name.toLowerCase().includes(find.toLowerCase())).slice(0, 30);
  const take = (path: string[]) => { dialog.current?.close(); go(path); };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter" && found[at]) take(found[at]![2]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to">
      <input type="search" aria-label="Job, node, GPU, user or page" placeholder="job, node, GPU, user, page" value={find} onInput={(event) => { setFind(event.currentTarget.value); setAt(0); }} onKeyDown={onKey} role="combobox" aria-expanded="true" aria-controls="found" aria-activedescendant={`found-${at}`} />
      <ul id="found" role="listbox" aria-label="Found">
        {found.map(([name, kind, path], i) => <li id={`found-${i}`} role="option" aria-selected={i === at} onClick={() => take(path)}><span>{name}</span> <span class="dim">{kind}</span></li>)}
      </ul>
    </dialog>
  );
}

function LogIn() {
  const [secret, set] = useState("");
  return (
    <main id="content" tabIndex={-1} class="login">
      <h1>gpu-platform</h1>
      <p>Log in with a token. <code>gpu-platform tokens create dashboard</code> creates one, on the controller's machine or wherever you are logged in.</p>
      <form onSubmit={(event) => { event.preventDefault(); logIn(secret.trim()); }}>
        <label>Token <input type="password" autocomplete="off" value={secret} onInput={(event) => set(event.currentTarget.value)} /></label> <button type="submit" class="main">Log in</button>
      </form>
      {token.value && <p class="note problem" role="alert">{self.problem.value?.message}</p>}
    </main>
  );
}

function App() {
  if (self.problem.value?.status === 401) return <LogIn />;
  const here = place.value.path[0] ?? "";
  const open = (incidents.value.value?.incidents ?? []).filter((one) => one.state === "OPEN").length;
  return (
    <div class="frame">
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById("content")?.focus(); }}>Skip to content</a>
      <nav class="side" aria-label="Pages">
        <div class="name">gpu-platform</div>
        {SECTIONS.map(([section, pages]) => (
          <>
            <h2>{section}</h2>
            {pages.map(([path, name]) => (
              <a href={link(path ? [path] : [])} aria-current={here === path || (path === "fleet" && (here === "nodes" || here === "gpus")) ? "page" : undefined}>
                {name}{path === "incidents" && open > 0 && <strong class="bad">{open}</strong>}
              </a>
            ))}
          </>
        ))}
      </nav>
      <header class="top">
        <span><span class={`dot ${is_broken.value ? "broken" : ""}`} /> <span role="status">{is_broken.value ? "the controller does not answer" : age.value === null ? "" : `updated ${span(age.value)} ago`}</span></span>
        <span class="grow" />
        <span class="dim">Ctrl-K: go to</span>
        <ThemeButton />
        <span>{self.value.value?.user}</span>
        {token.value && <button type="button" onClick={logOut}>log out</button>}
      </header>
      <main id="content" tabIndex={-1}><Page /></main>
      <ActionDialog />
      <Palette />
      <div class="skip" role="status" aria-live="polite">{done.value}</div>
    </div>
  );
}

render(<App />, document.getElementById("app")!);
