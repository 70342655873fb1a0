// Dark or light: the user's choice, and at first that of the browser.
import { effect, signal } from "@preact/signals";

export const theme = signal(localStorage.getItem("gpu-platform.theme") ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"));
effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
  localStorage.setItem("gpu-platform.theme", theme.value);
});

export const ThemeButton = () => (
  <button type="button" onClick={() => (theme.value = theme.value === "dark" ? "light" : "dark")}>{theme.value === "dark" ? "light" : "dark"}</button>
);
