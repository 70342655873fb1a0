#!/usr/bin/python3
"""A large object is fetched over a connection that breaks again and again: its bytes are equal, and few come twice."""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/ml_day"))
from s3_server import Fault, S3Server  # noqa: E402

KEY, SECRET, MIB = "key", "secret", 1 << 20
AGAIN_MAX = 0.05  # of the bytes


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--cuts", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gp-cuts-", dir="/var/tmp") as place:
        server = S3Server(f"{place}/s3", {KEY: SECRET}).start()
        try:
            return fetch(options, server, place)
        finally:
            server.stop()


def put(server, options, place):
    import boto3
    from botocore.config import Config
    client = boto3.client("s3", endpoint_url=server.address, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET,
                          config=Config(s3={"addressing_style": "path"}))
    client.create_bucket(Bucket="data")
    digest = hashlib.sha256()
    with open(f"{place}/source", "wb") as file:
        for _ in range(options.mib):
            piece = os.urandom(MIB)
            digest.update(piece)
            file.write(piece)
    client.upload_file(f"{place}/source", "data", "large.bin")
    os.unlink(f"{place}/source")
    return digest.hexdigest()


def fetch(options, server, place):
    digest = put(server, options, place)
    size = options.mib * MIB
    cuts_left = options.cuts

    # Each answer breaks off after an equal part, so that the cuts are spread over the object.
    def cut(request):
        nonlocal cuts_left
        if request.method != "GET" or request.key != "large.bin" or cuts_left == 0:
            return None
        cuts_left -= 1
        return Fault(cut_after=size // (options.cuts + 1))
    server.fault = cut
    os.makedirs(f"{place}/tree")
    task = {"kind": "fetch", "url": "s3://data/large.bin", "directory": f"{place}/tree", "include": [], "sha256": "",
            "credentials": json.dumps({"access_key": KEY, "secret_key": SECRET, "endpoint": server.address}), "bytes_max": size,
            "create_only": False, "listing": "", "is_fixed": False, "staying": [], "allowed_addresses": ["127.0.0.0/8"], "authorities": "",
            "objects_at_once": 4, "stall_ms": 120_000}
    sent, begin = server.bytes_sent, time.monotonic()
    done = subprocess.run([options.binary, "__transfer"], input=json.dumps(task), capture_output=True, text=True, timeout=1_800)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        print(done.stdout[-2_000:], done.stderr[-2_000:])
        return 1
    found = hashlib.sha256()
    with open(f"{place}/tree/large.bin", "rb") as file:
        for piece in iter(lambda: file.read(MIB), b""):
            found.update(piece)
    again = (server.bytes_sent - sent) / size - 1
    print(f"{options.mib} MiB with {options.cuts - cuts_left} cuts: {seconds:.1f} s, {options.mib / seconds:.0f} MiB/s, {100 * again:.2f} % sent again")
    is_right = found.hexdigest() == digest and again <= AGAIN_MAX and cuts_left == 0
    print("the bytes are equal" if found.hexdigest() == digest else "the bytes differ")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
