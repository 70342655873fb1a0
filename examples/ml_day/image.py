"""An image with Python, made from files of this host and without any tool: an OCI layout of one layer."""
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import tarfile

# What a program does not need: Debian's packages, tests, compiled copies, tools for developers.
LEFT_OUT = re.compile(r"(dist-packages|site-packages|test|tests|__pycache__|config-.*|lib2to3|pydoc_data|idlelib|tkinter|turtledemo|ensurepip|distutils)$")
MANIFEST, CONFIG = (f"application/vnd.oci.image.{kind}.v1+json" for kind in ("manifest", "config"))
LAYER = "application/vnd.oci.image.layer.v1.tar"
ASK = "import json, os, sys, sysconfig; print(json.dumps([os.path.realpath(sys.executable), sysconfig.get_path('stdlib')]))"


def make_image(directory, tag, python, program, packages):
    """Writes the layout `directory`, whose image runs `python3 /app/<program>`; `packages`: directories that it can import.

    Returns the bytes of the layer.
    """
    layer = layer_of(python, program, packages)  # not compressed: it stays on this machine
    os.makedirs(f"{directory}/blobs/sha256")
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    config = {"architecture": machine, "os": "linux", "config": {"Env": ["PATH=/usr/bin"], "WorkingDir": "/app"},
              "rootfs": {"type": "layers", "diff_ids": [digest_of(layer)]}}
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": put(directory, CONFIG, json.dumps(config).encode()),
                "layers": [put(directory, LAYER, layer)]}
    entry = {**put(directory, MANIFEST, json.dumps(manifest).encode()), "annotations": {"org.opencontainers.image.ref.name": tag}}
    pathlib.Path(directory, "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}), encoding="ascii")
    pathlib.Path(directory, "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}', encoding="ascii")
    return len(layer)


def layer_of(python, program, packages):
    executable, library = json.loads(subprocess.run([python, "-I", "-c", ASK], check=True, capture_output=True, text=True).stdout)
    extensions = [str(path) for path in pathlib.Path(library, "lib-dynload").glob("*.so")]
    files = {executable, *libraries_of([executable, *extensions])}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file in sorted(files):
            archive.add(os.path.realpath(file), file.lstrip("/"), filter=of_root)
        archive.add(library, library.lstrip("/"), filter=of_root)
        if executable != "/usr/bin/python3":
            link = tarfile.TarInfo("usr/bin/python3")
            link.type, link.linkname = tarfile.SYMTYPE, executable
            archive.addfile(link)
        for path in (program, *packages):
            archive.add(path, f"app/{os.path.basename(path)}", filter=of_root)
    return buffer.getvalue()


def libraries_of(programs):
    said = subprocess.run(["ldd", *programs], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"(/\S+) \(0x", said))


def of_root(entry):
    """The entry as everybody may read it, or None where the image has no use for it."""
    if LEFT_OUT.match(os.path.basename(entry.name)):
        return None
    entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, "", ""
    entry.mode |= 0o555 if entry.isdir() else 0o444
    return entry


def digest_of(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def put(directory, media_type, content):
    """Stores a blob; its descriptor."""
    digest = digest_of(content)
    pathlib.Path(directory, "blobs", *digest.split(":")).write_bytes(content)
    return {"mediaType": media_type, "digest": digest, "size": len(content)}
