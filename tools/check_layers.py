#!/usr/bin/env python3
"""Checks that every include in src/ and experiments/ follows tools/layers.toml, and that every permission there is
used.  Prints each violation.

Usage: check_layers.py [ROOT].  Exit code 1 if a rule is violated.
"""
import pathlib
import re
import sys
import tomllib

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


# Included by their paths below src/, and experiments by their whole paths.
def sources(root):
    return sorted(path for place in ("src", "experiments") for path in (root / place).rglob("*") if path.suffix in (".cc", ".h"))


def directory_of(root, path):
    """As layers.toml and includes name it."""
    return str(path.relative_to(root / "src" if (root / "src") in path.parents else root).parent)


def is_ours(root, name):
    return (root / "src" / name).exists() or name.startswith("experiments/") and (root / name).exists()


def below(path, prefix):
    return path == prefix or path.startswith(prefix + "/")


def layer_of(path, layers):
    found = [layer for layer in layers if below(path, layer)]
    return max(found, key=len, default=None)


def allowed(target, layer, layers):
    return below(target, layer) or any(below(target, other) for other in layers[layer])


def used_permissions(root, path, layers):
    """Yields the (layer, permission) pairs that the includes of a file need."""
    layer = layer_of(directory_of(root, path), layers)
    for line in path.read_text().splitlines() if layer is not None else ():
        match = INCLUDE.match(line)
        if match and match.group(1) == '"':
            target = str(pathlib.PurePosixPath(match.group(2)).parent)
            yield from ((layer, other) for other in layers[layer] if below(target, other))


def check_permissions(root, files, layers):
    used = {pair for path in files for pair in used_permissions(root, path, layers)}
    for layer, others in layers.items():
        for other in others:
            if (layer, other) not in used:
                yield f"tools/layers.toml: {layer} includes nothing of {other}: remove the permission"


def check_file(root, path, rules):
    layers, outside, forbidden = rules["layers"], rules["outside"], rules["forbidden"]
    relative = path.relative_to(root)
    layer = layer_of(directory_of(root, path), layers)
    if layer is None:
        yield f"{relative}: belongs to no layer; add its directory to tools/layers.toml"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        kind, name = match.groups()
        where = f"{relative}:{number}"
        if kind == '"' and is_ours(root, name):
            target = str(pathlib.PurePosixPath(name).parent)
            if not allowed(target, layer, layers):
                yield f"{where}: {layer} may not include {name}"
        for prefix, owners in outside.items():
            if name.startswith(prefix) and not any(below(layer, owner) for owner in owners):
                yield f"{where}: only {', '.join(owners)} may include {name}"
        for header, places in forbidden.items():
            if f"<{name}>" == header and any(below(layer, place) for place in places):
                yield f"{where}: {layer} may not include {header}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    rules = tomllib.loads((root / "tools/layers.toml").read_text())
    files = sources(root)
    broken = [problem for path in files for problem in check_file(root, path, rules)]
    broken += check_permissions(root, files, rules["layers"])
    for problem in broken:
        print(problem)
    print(f"{len(files)} files, {len(broken)} violations")
    return 1 if broken or not files else 0


if __name__ == "__main__":
    sys.exit(main())
