// Who looks: the token, for as long as this tab is open.  A link may bring it behind the #, where no server sees it.
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

export function logOut(): void {
  sessionStorage.removeItem(KEY);
  token.value = "";
}
