"""OCI image layouts for tests, written without any tool: also those that no tool would write."""

import gzip
import hashlib
import io
import json
import os
import tarfile

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
TAG = "org.opencontainers.image.ref.name"


def digest_of(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def member(name, content=b"", **fields):
    """An entry of an archive, as tarfile has it."""
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    for field, value in fields.items():
        setattr(entry, field, value)
    return entry, content


def directory(name, mode=0o755, **fields):
    return member(name, type=tarfile.DIRTYPE, mode=mode, **fields)


def link(name, target):
    return member(name, type=tarfile.SYMTYPE, linkname=target)


def hard_link(name, target):
    return member(name, type=tarfile.LNKTYPE, linkname=target)


def archive(members):
    """The bytes of a tar archive with these entries, or with the files below a directory."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        if isinstance(members, str):
            tar.add(members, ".")
        else:
            for entry, content in members:
                tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


class Layout:
    """A layout in a directory, to which images are added."""

    def __init__(self, path):
        self.path = path
        os.makedirs(f"{path}/blobs/sha256")
        self.manifests = []
        with open(f"{path}/oci-layout", "w", encoding="ascii") as file:
            file.write('{"imageLayoutVersion": "1.0.0"}')

    def blob_path(self, digest):
        return f"{self.path}/blobs/sha256/{digest.split(':')[1]}"

    def add_blob(self, content):
        digest = digest_of(content)
        with open(self.blob_path(digest), "wb") as file:
            file.write(content)
        return {"digest": digest, "size": len(content)}

    def add_json(self, document, media_type):
        return {"mediaType": media_type, **self.add_blob(json.dumps(document).encode())}

    def add_layer(self, members, compress=gzip.compress, media_type=LAYER):
        """Its descriptor and the digest of its archive; `members`: as archive() takes them, or the archive itself."""
        plain = members if isinstance(members, bytes) else archive(members)
        return {"mediaType": media_type, **self.add_blob(compress(plain))}, digest_of(plain)

    def add_image(self, layers, tag=None, config=None, changes=None):
        """Its digest; `layers`: as add_layer returns them; `changes`: to the manifest."""
        settings = {"architecture": "amd64", "os": "linux", "config": config or {},
                    "rootfs": {"type": "layers", "diff_ids": [diff_id for _, diff_id in layers]}}
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": self.add_json(settings, CONFIG),
                    "layers": [layer for layer, _ in layers], **(changes or {})}
        return self.add_manifest(self.add_json(manifest, MANIFEST), tag)

    def add_manifest(self, descriptor, tag=None):
        self.manifests = [one for one in self.manifests if tag is None or one.get("annotations", {}).get(TAG) != tag]
        self.manifests.append({**descriptor, **({"annotations": {TAG: tag}} if tag else {})})
        with open(f"{self.path}/index.json", "w", encoding="ascii") as file:
            json.dump({"schemaVersion": 2, "manifests": self.manifests}, file)
        return descriptor["digest"]


def docker_archive(images):
    """What `docker save` writes; of each image its tags, layers (as archive() takes them) and settings."""
    members, manifest = [], []
    for tags, layers, config in images:
        plain = [archive(layer) for layer in layers]
        settings = json.dumps({"architecture": "amd64", "os": "linux", "config": config,
                               "rootfs": {"type": "layers", "diff_ids": [digest_of(layer) for layer in plain]}}).encode()
        name = digest_of(settings).split(":")[1] + ".json"
        paths = [digest_of(layer).split(":")[1] + "/layer.tar" for layer in plain]
        members += [member(name, settings), *(member(path, layer) for path, layer in zip(paths, plain))]
        manifest.append({"Config": name, "RepoTags": tags, "Layers": paths})
    return archive([*members, member("manifest.json", json.dumps(manifest).encode())])
