// The page /docs: the API without the rest of the dashboard, with the same session.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, type Self } from "./lib/api";
import { logIn, logOut, token } from "./lib/session";
import { Docs } from "./pages/docs";
import { ThemeButton } from "./ui/theme";

function Session() {
  const [secret, set] = useState("");
  const [user, setUser] = useState("");
  const given = token.value;
  useEffect(() => {
    setUser("");
    if (given) get<Self>("/api/v1/self").then((self) => setUser(`as ${self.user}`), (problem) => setUser(problem.message));
  }, [given]);
  if (given) return <><span role="status">{user}</span> <button type="button" onClick={logOut}>log out</button></>;
  return (
    <form class="actions" onSubmit={(event) => { event.preventDefault(); logIn(secret.trim()); set(""); }}>
      <label>Token <input type="password" autocomplete="off" value={secret} onInput={(event) => set(event.currentTarget.value)} /></label>
      <button type="submit">Use it</button>
    </form>
  );
}

function App() {
  return (
    <>
      <header class="head"><a href="/">Dashboard</a><span class="grow" /><Session /><ThemeButton /></header>
      <main><Docs /></main>
    </>
  );
}

const root = document.getElementById("api")!;
root.replaceChildren(); // the list for browsers without scripts
render(<App />, root);
