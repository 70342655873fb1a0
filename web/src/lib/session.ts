// The user's token, kept while this tab is open.  A link may carry it after the #, which browsers send to no server.
import { signal } from "@preact/signals";

const KEY = "gpu-platform.token";

function fromLink(): string | null {
  const match = /^#token=([\w-]+)$/.exec(location.hash);
  if (!match) return null;
  history.replaceState(null, "", location.pathname);
  return match[1]!;
}

export const token = signal(fromLink() ?? sessionStorage.getItem(KEY) ?? "");
if (token.value) sessionStorage.setItem(KEY, token.value);

export function logIn(secret: string): void {
  sessionStorage.setItem(KEY, secret);
  token.value = secret;
}

// A link opened in a tab that already shows the page: it may carry the token of another user.
addEventListener("hashchange", () => {
  const secret = fromLink();
  if (secret === null) return;
  sessionStorage.setItem(KEY, secret);
  location.reload();
});

export function logOut(): void {
  sessionStorage.removeItem(KEY);
  token.value = "";
}
