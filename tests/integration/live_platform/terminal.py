"""`watch` in a terminal of its own."""

import os
import subprocess

from .waiting import eventually


class Terminal:
    """`watch` in a terminal of its own: a tmux with a socket of its own."""

    def __init__(self, cluster, width, height, locale="C.UTF-8", mask=str, before=()):
        """`mask`: what it makes of a screen is compared.  `before`: words before the program."""
        self.mask = mask
        self.size = f"{width}x{height}"
        self.socket = os.path.join(cluster.directory, f"{self.size}.sock")
        settings = os.path.join(cluster.directory, "tmux.conf")
        with open(settings, "w", encoding="utf-8") as file:
            file.write("set -g status off\nset -g escape-time 0\n")
        self.environment = {**os.environ, "LC_ALL": locale, "SHELL": "/bin/sh",
                            "GPU_PLATFORM_SERVER": cluster.run_directory}
        self.environment.pop("TMUX", None)
        self.tmux("-f", settings, "new-session", "-d", "-x", width, "-y", height,
                  *before, cluster.binary, "watch", "--interval", "1s")

    def tmux(self, *words, check=True):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *map(str, words)], text=True,
                              env=self.environment, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0 or not check, f"tmux {words}: {done.stderr}"
        return done.stdout

    def press(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def settled(self, sign):
        """The masked screen, once `sign` is there and two looks see the same."""
        last = [None]

        def same():
            before, last[0] = last[0], self.mask(self.screen())
            return sign in last[0] and before == last[0]
        eventually(same, lambda: f"{sign!r} is drawn:\n{last[0]}", interval=0.05)
        return last[0]

    def close(self):
        self.tmux("kill-server", check=False)

    def resize(self, width, height):
        self.size = f"{width}x{height}"
        self.tmux("resize-window", "-x", width, "-y", height)
