"""A registry of images on loopback: docker-registry of Debian, and hostile ones that a test makes up."""

import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
import warnings

from .slurm import free_ports
from .waiting import eventually

SETTINGS = """version: 0.1
log: {{level: info, accesslog: {{disabled: false}}}}
storage: {{filesystem: {{rootdirectory: {directory}/data}}, delete: {{enabled: true}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""


def _bcrypt(password):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import crypt  # of the C library; Python 3.13 has it no more
    return crypt.crypt(password, crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=1 << 4))


def missing():
    return [program for program in ("docker-registry", "skopeo") if shutil.which(program) is None]


class Registry:
    """Images are pushed into it from layouts; it knows what was asked of it."""

    def __init__(self, directory, user=None, password=None):
        """With a user: a private one."""
        self.directory = directory
        self._credentials = f"{user}:{password}" if user else None
        os.makedirs(directory)
        self.host = f"127.0.0.1:{free_ports(1)[0]}"
        self._process = None
        with open(f"{directory}/config.yml", "w", encoding="ascii") as file:
            file.write(SETTINGS.format(directory=directory, port=self.host.split(":")[1]))
            if user:
                file.write(f"auth: {{htpasswd: {{realm: test, path: {directory}/htpasswd}}}}\n")
        if user:
            with open(f"{directory}/htpasswd", "w", encoding="ascii") as file:
                file.write(f"{user}:{_bcrypt(password)}\n")

    def start(self):
        with open(f"{self.directory}/log", "ab") as log:
            self._process = subprocess.Popen(["docker-registry", "serve", f"{self.directory}/config.yml"], stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log, env={"PATH": os.environ["PATH"], "OTEL_TRACES_EXPORTER": "none"})
        eventually(self._answers, "the registry answers")
        return self

    def stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self):
        try:
            with urllib.request.urlopen(f"http://{self.host}/v2/", timeout=1) as reply:
                return reply.status == 200
        except urllib.error.HTTPError as error:
            return error.code == 401
        except OSError:
            return False

    def push(self, layout, tag, name):
        """`name`: "ana/train:v1"."""
        subprocess.run(["skopeo", "copy", "--quiet", "--insecure-policy", "--preserve-digests", "--dest-tls-verify=false",
                        *(["--dest-creds", self._credentials] if self._credentials else []), f"oci:{layout.path}:{tag}",
                        f"docker://{self.host}/{name}"], check=True, capture_output=True)

    def asked(self):
        """The paths that were asked for since the last call, in order."""
        with open(f"{self.directory}/log", encoding="utf-8", errors="replace") as file:
            file.seek(getattr(self, "_read", 0))
            lines = file.read()
            self._read = file.tell()
        return re.findall(r'"GET /v2/(\S+) HTTP', lines)


class LyingRegistry:
    """Serves what `answers` has: bytes, or a function that is given the handler, by path below /v2/."""

    def __init__(self, answers):
        answered = answers

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path = self.path.removeprefix("/v2/")
                answer = answered.get(path, None if path else b"{}")
                if callable(answer):
                    return answer(self)
                if answer is None:
                    return self.send_error(404)
                self.send_response(200)
                if b"schemaVersion" in answer:
                    self.send_header("Content-Type", json.loads(answer).get("mediaType", "application/json"))
                    self.send_header("Docker-Content-Digest", "sha256:" + hashlib.sha256(answer).hexdigest())
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                return self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
