#!/usr/bin/python3
"""The S3 server of tools/ as Debian's rclone, s3cmd and boto3 see it: three clients that share no code with it.

It needs neither root nor the program, whose path it takes as the other tests do.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "examples/ml_day"))
from s3_server import Fault, S3Server  # noqa: E402

SKIPPED = 77
KEY, SECRET = "key", "secret/+ of tests"
ODD_NAMES = ["a b", "a+b", "100%", "%2F", "ü日", "a&b=c?d#e", "~x!'()*", "x/y/z", "..x"]
# Files of these lengths are uploaded in one part, and in several.
PART = 5 << 20
BIG = 20 << 20


class Clients(unittest.TestCase):
    """Sets up a server with a bucket, and files to upload.  The environment has no settings of other clients."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="gp-test-")
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        (self.directory / "root/bucket").mkdir(parents=True)
        self.server = S3Server(self.directory / "root", {KEY: SECRET}).start()
        self.addCleanup(self.server.stop)
        self.small, self.big = self.directory / "small", self.directory / "big"
        self.small.write_bytes(b"small")
        self.big.write_bytes(os.urandom(1 << 20) * (BIG >> 20))

    def environment(self, **more):
        kept = {name: os.environ[name] for name in ("PATH",)}
        return {**kept, "HOME": str(self.directory), "LC_ALL": "C.UTF-8", **more}

    def asked(self, method, word=""):
        return [each for each in self.server.log if each.method == method and word in each.target]

    def assert_denied(self):
        self.assertTrue(self.server.log)
        self.assertEqual({each.status for each in self.server.log}, {403})


class Rclone(Clients):
    def rclone(self, *words, secret=SECRET):
        settings = {"TYPE": "s3", "PROVIDER": "Other", "ENDPOINT": self.server.address, "REGION": "us-east-1",
                    "ACCESS_KEY_ID": KEY, "SECRET_ACCESS_KEY": secret}
        return subprocess.run(
            ["rclone", "--retries", "1", "--low-level-retries", "3", "--s3-chunk-size", f"{PART >> 20}M", "--s3-upload-cutoff", f"{PART >> 20}M", *words],
            env=self.environment(RCLONE_CONFIG="/dev/null", **{f"RCLONE_CONFIG_S_{name}": value for name, value in settings.items()}),
            capture_output=True, timeout=120, check=False)

    def ok(self, *words):
        done = self.rclone(*words)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def test_put_get_list_and_delete(self):
        for name in ODD_NAMES:
            self.ok("copyto", str(self.small), f"s:bucket/{name}")
            self.assertEqual(self.ok("cat", f"s:bucket/{name}"), b"small")
        self.assertEqual(sorted(self.ok("lsf", "-R", "--files-only", "s:bucket").decode().splitlines()), sorted(ODD_NAMES))
        self.ok("moveto", "s:bucket/a b", "s:bucket/moved +")
        self.assertEqual(self.ok("cat", "s:bucket/moved +"), b"small")
        self.ok("delete", "s:bucket")
        self.assertEqual(self.ok("lsf", "-R", "--files-only", "s:bucket"), b"")

    def test_parts(self):
        self.ok("copyto", str(self.big), "s:bucket/big")
        self.assertEqual(len(self.asked("PUT", "partNumber")), BIG // PART)
        self.ok("check", "--download", "--include", "big", str(self.directory), "s:bucket")
        self.ok("copyto", "s:bucket/big", str(self.directory / "back"))
        self.assertEqual((self.directory / "back").read_bytes(), self.big.read_bytes())

    def test_buckets(self):
        self.ok("mkdir", "s:other")
        self.assertEqual(self.ok("lsf", "s:"), b"bucket/\nother/\n")
        self.ok("rmdir", "s:other")

    def test_a_wrong_secret(self):
        self.assertNotEqual(self.rclone("lsf", "s:bucket", secret="other").returncode, 0)
        self.assertNotEqual(self.rclone("copyto", str(self.small), "s:bucket/a", secret="other").returncode, 0)
        self.assert_denied()

    def test_a_garbled_byte_is_noticed(self):
        self.ok("copyto", str(self.small), "s:bucket/a")
        self.server.fault = lambda request: Fault(garble_at=1) if request.method == "GET" and request.key else None
        self.assertIn(b"corrupted", self.rclone("copyto", "s:bucket/a", str(self.directory / "back")).stderr)


class S3cmd(Clients):
    def s3cmd(self, *words, secret=SECRET):
        host = self.server.address.removeprefix("http://")
        settings = {"access_key": KEY, "secret_key": secret, "host_base": host, "host_bucket": host, "bucket_location": "us-east-1",
                    "use_https": "False", "multipart_chunk_size_mb": PART >> 20, "max_retries": 1}
        file = self.directory / "s3cfg"
        file.write_text("[default]\n" + "".join(f"{name} = {value}\n" for name, value in settings.items()), encoding="utf-8")
        file.chmod(0o600)
        return subprocess.run(["s3cmd", "-c", str(file), "--no-progress", *words], env=self.environment(), capture_output=True, timeout=120, check=False)

    def ok(self, *words):
        done = self.s3cmd(*words)
        self.assertEqual(done.returncode, 0, done.stderr.decode() + done.stdout.decode())
        return done.stdout

    def test_put_get_list_and_delete(self):
        back = str(self.directory / "back")
        for name in ODD_NAMES:
            self.ok("put", str(self.small), f"s3://bucket/{name}")
            self.ok("get", "--force", f"s3://bucket/{name}", back)
            self.assertEqual(pathlib.Path(back).read_bytes(), b"small")
        listed = self.ok("ls", "--recursive", "s3://bucket").decode()
        self.assertEqual([line.partition("s3://bucket/")[2] for line in listed.splitlines()], sorted(ODD_NAMES))
        self.ok("cp", "s3://bucket/a b", "s3://bucket/copy +")
        self.ok("del", "s3://bucket/a b")
        self.assertNotIn("/a b\n", self.ok("ls", "s3://bucket").decode())
        self.ok("del", "--recursive", "--force", "s3://bucket")
        self.assertEqual(self.ok("ls", "--recursive", "s3://bucket"), b"")
        self.assertTrue(self.asked("POST", "?delete"))

    def test_parts(self):
        back = self.directory / "back"
        self.ok("put", str(self.big), "s3://bucket/big")
        self.assertEqual(len(self.asked("PUT", "partNumber")), BIG // PART)
        self.ok("get", "s3://bucket/big", str(back))
        self.assertEqual(back.read_bytes(), self.big.read_bytes())

    def test_buckets(self):
        self.ok("mb", "s3://other")
        self.assertIn(b"s3://other\n", self.ok("ls"))
        self.ok("rb", "s3://other")

    def test_a_wrong_secret(self):
        self.assertNotEqual(self.s3cmd("ls", "s3://bucket", secret="other").returncode, 0)
        self.assertNotEqual(self.s3cmd("put", str(self.small), "s3://bucket/a", secret="other").returncode, 0)
        self.assert_denied()


class Boto3(Clients):
    def client(self, secret=SECRET, server=None, verify=None):
        import boto3  # pylint: disable=import-outside-toplevel
        from botocore.config import Config  # pylint: disable=import-outside-toplevel
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            del os.environ[name]
        os.environ |= {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}
        client = boto3.client("s3", endpoint_url=(server or self.server).address, aws_access_key_id=KEY, aws_secret_access_key=secret,
                              region_name="us-east-1", verify=verify,
                              config=Config(s3={"addressing_style": "path"}, signature_version="s3v4", retries={"max_attempts": 1}))
        self.addCleanup(client.close)
        return client

    @contextlib.contextmanager
    def refused(self, *codes):
        from botocore.exceptions import ClientError  # pylint: disable=import-outside-toplevel
        with self.assertRaises(ClientError) as raised:
            yield
        self.assertIn(raised.exception.response["Error"]["Code"], codes)

    def test_put_get_list_and_delete(self):
        client, names = self.client(), [*ODD_NAMES, "..", "../up", "/abs", "a//b", "a/", " ", "line\nbreak"]
        for name in names:
            client.put_object(Bucket="bucket", Key=name, Body=b"small", Metadata={"a": "1"}, ContentType="text/x")
            reply = client.get_object(Bucket="bucket", Key=name)
            self.assertEqual((reply["Body"].read(), reply["Metadata"], reply["ContentType"]), (b"small", {"a": "1"}, "text/x"))
            client.copy_object(Bucket="bucket", Key="copy", CopySource={"Bucket": "bucket", "Key": name})
        client.delete_object(Bucket="bucket", Key="copy")
        for operation in ("list_objects", "list_objects_v2"):
            pages = client.get_paginator(operation).paginate(Bucket="bucket", PaginationConfig={"PageSize": 3})
            self.assertEqual([each["Key"] for page in pages for each in page["Contents"]], sorted(names))
        client.delete_objects(Bucket="bucket", Delete={"Objects": [{"Key": name} for name in names]})
        self.assertEqual(client.list_objects_v2(Bucket="bucket")["KeyCount"], 0)
        with self.refused("NoSuchKey"):
            client.get_object(Bucket="bucket", Key="a b")

    def test_parts(self):
        from boto3.s3.transfer import TransferConfig  # pylint: disable=import-outside-toplevel
        client, config = self.client(), TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=4)
        client.upload_file(str(self.big), "bucket", "big", Config=config)
        self.assertEqual(len(self.asked("PUT", "partNumber")), BIG // PART)
        client.download_file("bucket", "big", str(self.directory / "back"), Config=config)
        self.assertEqual((self.directory / "back").read_bytes(), self.big.read_bytes())
        self.assertTrue(client.head_object(Bucket="bucket", Key="big")["ETag"].endswith(f'-{BIG // PART}"'))
        upload = client.create_multipart_upload(Bucket="bucket", Key="b")["UploadId"]
        client.upload_part(Bucket="bucket", Key="b", UploadId=upload, PartNumber=1, Body=b"x")
        self.assertEqual(len(client.list_parts(Bucket="bucket", Key="b", UploadId=upload)["Parts"]), 1)
        client.abort_multipart_upload(Bucket="bucket", Key="b", UploadId=upload)

    def test_conditions(self):
        client = self.client()

        def put(body, **expected):
            """Debian's boto3 knows no conditions of writers: they are added to what it then signs."""
            known = client.meta.service_model.operation_model("PutObject").input_shape.members
            names = {"IfNoneMatch": "If-None-Match", "IfMatch": "If-Match"}

            def add(request, **_):
                for name in set(expected) - set(known):
                    request.headers[names[name]] = expected[name]
            client.meta.events.register("before-sign.s3.PutObject", add, "conditions")
            try:
                arguments = {name: value for name, value in expected.items() if name in known}
                return client.put_object(Bucket="bucket", Key="a", Body=body, **arguments)["ETag"]
            finally:
                client.meta.events.unregister("before-sign.s3.PutObject", unique_id="conditions")
        etag = put(b"1", IfNoneMatch="*")
        with self.refused("PreconditionFailed"):
            put(b"2", IfNoneMatch="*")
        put(b"3", IfMatch=etag)
        with self.refused("PreconditionFailed"):
            put(b"4", IfMatch=etag)
        self.assertEqual(client.get_object(Bucket="bucket", Key="a")["Body"].read(), b"3")

    def test_checksums(self):
        client = self.client()
        for algorithm in ("SHA256", "SHA1", "CRC32"):
            client.put_object(Bucket="bucket", Key="a", Body=b"small", ChecksumAlgorithm=algorithm)
            self.assertIn(f"Checksum{algorithm}", client.head_object(Bucket="bucket", Key="a", ChecksumMode="ENABLED"))
        with self.refused("BadDigest"):
            client.put_object(Bucket="bucket", Key="a", Body=b"small", ChecksumCRC32="AAAAAA==")

    def test_a_presigned_address(self):
        client = self.client()
        client.put_object(Bucket="bucket", Key="a b+ü", Body=b"small")
        address = client.generate_presigned_url("get_object", Params={"Bucket": "bucket", "Key": "a b+ü"}, ExpiresIn=60)
        with urllib.request.urlopen(address, timeout=30) as reply:
            self.assertEqual(reply.read(), b"small")
        address = client.generate_presigned_url("put_object", Params={"Bucket": "bucket", "Key": "b"}, ExpiresIn=60)
        with urllib.request.urlopen(urllib.request.Request(address, b"by address", method="PUT"), timeout=30) as reply:
            self.assertEqual(reply.status, 200)
        self.assertEqual(client.get_object(Bucket="bucket", Key="b")["Body"].read(), b"by address")

    def test_tls(self):
        """Over TLS boto3 sends bodies without their digests, or with checksums that follow them."""
        certificate, key = self.directory / "certificate", self.directory / "certificate.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
        server = S3Server(self.directory / "with_tls", {KEY: SECRET}, tls=(str(certificate), str(key))).start()
        self.addCleanup(server.stop)
        client = self.client(server=server, verify=str(certificate))
        client.create_bucket(Bucket="bucket")
        for arguments in ({}, {"ChecksumAlgorithm": "CRC32"}):
            client.upload_file(str(self.big), "bucket", "big", ExtraArgs=arguments)
            self.assertEqual(client.get_object(Bucket="bucket", Key="big")["Body"].read(), self.big.read_bytes())

    def test_a_wrong_secret(self):
        client = self.client(secret="other")
        with self.refused("SignatureDoesNotMatch"):
            client.put_object(Bucket="bucket", Key="a", Body=b"small")
        with self.refused("403"):
            client.head_bucket(Bucket="bucket")
        self.assert_denied()


def missing():
    found = [program for program in ("rclone", "s3cmd", "openssl") if shutil.which(program) is None]
    try:
        import boto3  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        found.append("boto3")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", help="is not used here")
    _, rest = parser.parse_known_args()
    if missing():
        sys.stderr.write(f"SKIPPED: not installed: {', '.join(missing())} (tools/setup-debian --with-tests)\n")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
