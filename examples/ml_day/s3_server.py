#!/usr/bin/env python3
"""An S3 server for tests and demonstrations: it serves a directory on loopback, verifies signatures
and fails as a test wants it to.

Usage: S3_SECRET_KEY=... s3_server.py --root DIR --access-key KEY [--port 0] [--region us-east-1]
           [--tls-certificate FILE --tls-key FILE]
It prints "listening on http://127.0.0.1:PORT" and serves until SIGINT or SIGTERM.  Each directory
in DIR is a bucket; one server at a time uses DIR.

It is no place for data that matters: nothing is flushed to the disk, uploads in parts end with
the server, and while one is completed all else waits.  Buckets are in the path, not in the
name of the host.  There are no versions, tags, access lists or encryption; a request that needs one
is refused.
"""
import argparse
import base64
import contextlib
import dataclasses
import datetime
import email.utils
import hashlib
import hmac
import http.server
import io
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import sys
import threading
import time
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import quote, unquote, unquote_to_bytes
from xml.etree import ElementTree
from xml.sax.saxutils import escape

BODY_MAX = 5 << 30
XML_MAX = 1 << 20
HEADERS_MAX = 32 << 10
METADATA_MAX = 2 << 10
KEY_MAX = 1024  # bytes
PART_MIN = 5 << 20  # not of the last part
PARTS_MAX = 10_000
DRAINED_MAX = 32 << 20  # of a refused body: who is still sending does not read the answer
PIECE = 64 << 10
SKEW_MAX_S = 15 * 60
EXPIRES_MAX_S = 7 * 24 * 3600
IDLE_MAX_S = 60
LOG_MAX = 100_000

STATUS = {code: status for status, codes in {
    304: "NotModified", 307: "TemporaryRedirect", 400: """AuthorizationHeaderMalformed BadDigest
        EntityTooLarge EntityTooSmall IllegalLocationConstraintException IncompleteBody
        InvalidArgument InvalidBucketName InvalidDigest InvalidPart InvalidPartOrder InvalidRequest
        InvalidURI KeyTooLongError MalformedXML MetadataTooLarge RequestHeaderSectionTooLarge
        XAmzContentSHA256Mismatch""", 403: """AccessDenied InvalidAccessKeyId RequestTimeTooSkewed
        SignatureDoesNotMatch""", 404: "NoSuchBucket NoSuchKey NoSuchUpload",
    405: "MethodNotAllowed", 409: "BucketAlreadyOwnedByYou BucketNotEmpty",
    412: "PreconditionFailed", 416: "InvalidRange",
    500: "InternalError", 501: "NotImplemented", 503: "SlowDown"}.items() for code in codes.split()}


class S3Error(Exception):
    """An answer that refuses.  Its code is one of STATUS."""

    def __init__(self, code: str, message: str = "", headers: Mapping[str, str] | None = None):
        super().__init__(message)
        self.code, self.message, self.headers = code, message or code, dict(headers or {})


@contextlib.contextmanager
def refusing(error: type[Exception], code: str, message: str) -> Iterator[None]:
    """Answers with this refusal where such an error is raised."""
    try:
        yield
    except error:
        raise S3Error(code, message) from None


class Request:
    """A request as it came; names of headers are in lower case, bucket, key and query decoded."""

    def __init__(self, method: str, target: str, headers: list[tuple[str, str]]):
        self.method, self.target = method, target
        self.fields = [(name.lower(), value) for name, value in headers]
        path, _, query = target.partition("?")
        # A plus in the query is a blank, as in forms; in the path it is a plus.
        split = (pair.replace("+", " ").partition("=") for pair in query.split("&") if pair)
        self.pairs = [(unquote_to_bytes(name), unquote_to_bytes(value)) for name, _, value in split]
        self.path = unquote_to_bytes(path)
        bucket, _, key = self.path[1:].partition(b"/")
        with refusing(UnicodeDecodeError, "InvalidURI", "the target is not UTF-8"):
            self.query = {name.decode(): value.decode() for name, value in self.pairs}
            self.bucket, self.key = bucket.decode(), key.decode()
        if not path.startswith("/"):
            raise S3Error("InvalidURI", "the target does not begin with a slash")

    def header(self, name: str, default: str = "") -> str:
        """As signatures want it: equal names are joined, and blanks within a value are single."""
        values = [re.sub("[ \t]+", " ", value.strip(" \t"))
                  for field, value in self.fields if field == name]
        return ",".join(values) if values else default

    def canonical(self, signed: list[str], payload: str) -> bytes:
        """What the signature is over.  The path is encoded once, and its `..` are kept."""
        query = sorted((quote(name, safe=""), quote(value, safe=""))
                       for name, value in self.pairs if name != b"X-Amz-Signature")
        lines = [self.method, quote(self.path, safe="/"), "&".join(map("=".join, query)),
                 *(f"{name}:{self.header(name)}" for name in signed), "", ";".join(signed), payload]
        return "\n".join(lines).encode("latin-1")


class Signed(NamedTuple):
    """A verified signature, from which those of a body's chunks continue."""
    payload: str
    key: bytes
    date: str
    scope: str
    signature: str

    def sign(self, what: str, *lines: str) -> str:
        text = "\n".join([what, self.date, self.scope, *lines])
        return hmac.new(self.key, text.encode(), "sha256").hexdigest()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def signing_key(secret: str, scope: str) -> bytes:
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def verify(request: Request, keys: Mapping[str, str], region: str, now_s: float) -> Signed:
    """Raises unless the headers or the query are signed with one of the keys, at about this time.
    `keys`: secrets by access key."""
    authorization, presigned = request.header("authorization"), "X-Amz-Algorithm" in request.query
    if presigned == bool(authorization):
        raise S3Error("InvalidArgument" if presigned else "AccessDenied", "sign it once")
    if presigned:
        fields = {name.removeprefix("X-Amz-"): value for name, value in request.query.items()}
        algorithm, date = fields["Algorithm"], fields.get("Date", "")
    else:
        algorithm, _, rest = authorization.partition(" ")
        parts = (field.strip().partition("=") for field in rest.split(","))
        fields, date = {name: value for name, _, value in parts}, request.header("x-amz-date")
    if algorithm != "AWS4-HMAC-SHA256":
        raise S3Error("InvalidRequest", "sign with AWS4-HMAC-SHA256")
    access_key, _, scope = fields.get("Credential", "").partition("/")
    with refusing(ValueError, "AccessDenied", "there is no date of the signature"):
        signed_at = datetime.datetime.strptime(date + "+0000", "%Y%m%dT%H%M%SZ%z").timestamp()
    if scope != f"{date[:8]}/{region}/s3/aws4_request":
        raise S3Error("AuthorizationHeaderMalformed", f"the scope is not the date, {region} and s3")
    if access_key not in keys:
        raise S3Error("InvalidAccessKeyId", "there is no such access key")
    names = fields.get("SignedHeaders", "").split(";")
    left_out = {name for name, _ in request.fields if name.startswith("x-amz-")} | {"host"}
    if left_out := left_out - set(names):
        raise S3Error("AccessDenied", f"not signed: {min(left_out)}")
    payload = request.header("x-amz-content-sha256", "UNSIGNED-PAYLOAD" if presigned else "")
    signature = fields.get("Signature", "")
    signed = Signed(payload, signing_key(keys[access_key], scope), date, scope, signature)
    computed = signed.sign(algorithm, sha256(request.canonical(names, payload)))
    if not hmac.compare_digest(computed.encode(), signature.encode()):
        raise S3Error("SignatureDoesNotMatch", "the signature is not of this request and secret")
    age_s, expires = now_s - signed_at, fields.get("Expires", "")
    if presigned:
        if not re.fullmatch("[0-9]{1,6}", expires) or not 1 <= int(expires) <= EXPIRES_MAX_S:
            raise S3Error("InvalidArgument", f"X-Amz-Expires: from 1 to {EXPIRES_MAX_S}")
        if not -SKEW_MAX_S <= age_s <= int(expires):
            raise S3Error("AccessDenied", "the request has expired, or is not valid yet")
    elif abs(age_s) > SKEW_MAX_S:
        raise S3Error("RequestTimeTooSkewed", "the request was signed at another time")
    return signed


class Crc32c:
    """A checksum that hashlib lacks, with the interface of hashlib."""
    _TABLE: list[int] = []

    def __init__(self) -> None:
        self._value = 0xFFFFFFFF
        for entry in range(len(self._TABLE), 256):
            for _ in range(8):
                entry = entry >> 1 ^ (0x82F63B78 if entry & 1 else 0)
            self._TABLE.append(entry)

    def update(self, data: bytes) -> None:
        for byte in data:
            self._value = self._value >> 8 ^ self._TABLE[(self._value ^ byte) & 255]

    def digest(self) -> bytes:
        return (self._value ^ 0xFFFFFFFF).to_bytes(4, "big")


class Crc32(Crc32c):
    def update(self, data: bytes) -> None:
        self._value = ~zlib.crc32(data, ~self._value & 0xFFFFFFFF) & 0xFFFFFFFF


CHECKSUMS: dict[str, Callable[[], Any]] = {
    "x-amz-checksum-sha256": hashlib.sha256, "x-amz-checksum-sha1": hashlib.sha1,
    "x-amz-checksum-crc32": Crc32, "x-amz-checksum-crc32c": Crc32c}


class Body(io.RawIOBase):
    """The bytes of one request on a connection: none of the next.  Without a length, they come in
    chunks of HTTP."""

    def __init__(self, file: BinaryIO, length: int | None, begin: Callable[[], None]):
        self._file, self._chunked, self.left, self._begin = file, length is None, length or 0, begin

    @property
    def ended(self) -> bool:
        return not self._chunked and self.left == 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        begin, self._begin = self._begin, lambda: None
        begin()
        if self._chunked and self.left == 0:
            self._begin_chunk()
        data = self._file.read(min(len(buffer), self.left))
        if not data and self.left:
            raise S3Error("IncompleteBody", "the connection ended within the body")
        self.left -= len(data)
        buffer[:len(data)] = data
        if self._chunked and self.left == 0:
            self._file.readline(3)
        return len(data)

    def _begin_chunk(self) -> None:
        size = re.fullmatch(rb"([0-9A-Fa-f]{1,12})\r\n", self._file.readline(100))
        if size is None:
            raise S3Error("IncompleteBody", "a chunk of HTTP does not begin with its size")
        self.left = int(size[1], 16)
        self._chunked = self.left > 0
        while not self._chunked and self._file.readline(HEADERS_MAX).strip():
            pass


def read_chunks(file: BinaryIO, signed: Signed, trailers: dict[str, str]) -> Iterator[bytes]:
    """The data of a body in S3's own chunks.  Verifies their signatures, if they have any."""
    previous = signed.signature
    while True:
        head = re.fullmatch(rb"([0-9A-Fa-f]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?\r\n",
                            file.readline(200))
        if head is None:
            raise S3Error("InvalidRequest", "a chunk does not begin with its size")
        size, digest = int(head[1], 16), hashlib.sha256()
        for at in range(0, size, PIECE):
            data = file.read(min(size - at, PIECE))
            if len(data) < min(size - at, PIECE):
                raise S3Error("IncompleteBody", "the body ends within a chunk")
            digest.update(data)
            yield data
        if signed.payload == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD":
            expected = signed.sign("AWS4-HMAC-SHA256-PAYLOAD", previous, sha256(b""),
                                   digest.hexdigest())
            previous = (head[2] or b"").decode()
            if not hmac.compare_digest(previous, expected):
                raise S3Error("SignatureDoesNotMatch", "the signature of a chunk is wrong")
        if size == 0:
            break
        if file.read(2) != b"\r\n":
            raise S3Error("IncompleteBody", "a chunk is not as long as its size")
    while line := file.readline(HEADERS_MAX).strip().decode("latin-1"):
        name, _, value = line.partition(":")
        trailers[name.lower()] = value.strip()


class Content(NamedTuple):
    """What was written; `checksums` has those that came with it, by the names of their headers."""
    size: int
    md5: bytes
    checksums: dict[str, str]


def save(request: Request, signed: Signed, body: BinaryIO, sink: BinaryIO, limit: int) -> Content:
    """Writes the decoded body.  Raises if it differs from a digest or length that came with it."""
    trailers: dict[str, str] = {}
    announced, streaming = request.header("x-amz-trailer").lower(), "STREAMING-" in signed.payload
    sums = {name: make() for name, make in CHECKSUMS.items()
            if request.header(name) or name == announced}
    size, md5, sha = 0, hashlib.md5(), hashlib.sha256()
    if streaming and signed.payload not in ("STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                                            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"):
        raise S3Error("NotImplemented", "chunks of this kind are not supported")
    pieces = (read_chunks(body, signed, trailers) if streaming
              else iter(lambda: body.read(PIECE), b""))
    for data in pieces:
        size += len(data)
        if size > limit:
            raise S3Error("EntityTooLarge", f"at most {limit} bytes are allowed")
        for digest in (md5, sha, *sums.values()):
            digest.update(data)
        sink.write(data)
    if streaming and request.header("x-amz-decoded-content-length", str(size)) != str(size):
        raise S3Error("IncompleteBody", "the decoded body has another length")
    if not streaming and signed.payload not in ("UNSIGNED-PAYLOAD", sha.hexdigest()):
        raise S3Error("XAmzContentSHA256Mismatch", "the body is not the one that was signed")
    found = {name: base64.b64encode(each.digest()).decode() for name, each in sums.items()}
    for name, value in found.items():
        if value != (request.header(name) or trailers.get(name)):
            raise S3Error("BadDigest", f"{name} is not of this body")
    sent = request.header("content-md5")
    if sent and not re.fullmatch("[A-Za-z0-9+/]{22}==", sent):
        raise S3Error("InvalidDigest", "Content-MD5 is no digest")
    if sent and base64.b64decode(sent) != md5.digest():
        raise S3Error("BadDigest", "Content-MD5 is not of this body")
    return Content(size, md5.digest(), found)


@dataclasses.dataclass(frozen=True)
class Stored:
    """An object.  `file` is the name of its data; another version of it has another file."""
    key: str
    etag: str
    size: int
    modified_s: int
    headers: dict[str, str]
    file: str


@dataclasses.dataclass
class Upload:
    """An upload in parts, which are files with their ETags."""
    bucket: str
    key: str
    headers: dict[str, str]
    parts: dict[int, tuple[pathlib.Path, str, int]] = dataclasses.field(default_factory=dict)


class Store:
    """Buckets as directories.  An object is a file of data and a JSON file that is named after the
    key's hash, so that no key leaves the root; to rename the latter is to publish.  Any thread."""

    def __init__(self, root: str | os.PathLike[str]):
        self.root, self.lock = pathlib.Path(root), threading.RLock()
        self.buckets: dict[str, dict[str, Stored]] = {}
        self.uploads: dict[str, Upload] = {}
        (self.root / ".scratch").mkdir(parents=True, exist_ok=True)
        for file in (self.root / ".scratch").iterdir():
            file.unlink()
        for place in self.root.iterdir():
            if place.is_dir() and place.name != ".scratch":
                objects = [Stored(**json.loads(file.read_bytes())) for file in place.glob("*.json")]
                self.buckets[place.name] = {stored.key: stored for stored in objects}

    def bucket(self, name: str) -> dict[str, Stored]:
        with self.lock:
            if name not in self.buckets:
                raise S3Error("NoSuchBucket", "there is no such bucket")
            return self.buckets[name]

    def get(self, bucket: str, key: str) -> Stored:
        with self.lock:
            if key not in self.bucket(bucket):
                raise S3Error("NoSuchKey", "there is no such key")
            return self.buckets[bucket][key]

    def open(self, bucket: str, key: str) -> tuple[Stored, BinaryIO]:
        """The file stays readable when the object is replaced."""
        with self.lock:
            stored = self.get(bucket, key)
            return stored, open(self.root / bucket / stored.file, "rb")

    def upload(self, upload_id: str, bucket: str, key: str) -> Upload:
        upload = self.uploads.get(upload_id)
        if upload is None or (upload.bucket, upload.key) != (bucket, key):
            raise S3Error("NoSuchUpload", "there is no such upload")
        return upload

    @contextlib.contextmanager
    def scratch(self) -> Iterator[tuple[pathlib.Path, BinaryIO]]:
        """A file to write, which is removed unless it was renamed."""
        path = self.root / ".scratch" / uuid.uuid4().hex
        try:
            with open(path, "xb") as file:
                yield path, file
        finally:
            path.unlink(missing_ok=True)

    def check(self, bucket: str, key: str, request: Request) -> None:
        """Whether the state of the key is what the writer expects."""
        if_match, if_none = request.header("if-match"), request.header("if-none-match")
        present = self.bucket(bucket).get(key)
        if if_none not in ("", "*"):
            raise S3Error("NotImplemented", "writers may only expect that there is no object")
        if if_match and present is None:
            raise S3Error("NoSuchKey", "there is no such key")
        if (if_none and present) or (if_match and present and not matches(if_match, present.etag)):
            raise S3Error("PreconditionFailed", "the object is not as expected")

    def publish(self, bucket: str, stored: Stored, data: pathlib.Path, request: Request) -> None:
        """The object becomes visible at once, if it still may."""
        with self.lock, self.scratch() as (path, side):
            self.check(bucket, stored.key, request)
            side.write(json.dumps(dataclasses.asdict(stored)).encode())
            side.close()
            data.rename(self.root / bucket / stored.file)
            path.rename(self.root / bucket / f"{sha256(stored.key.encode())}.json")
            before, self.buckets[bucket][stored.key] = self.buckets[bucket].get(stored.key), stored
            if before:
                (self.root / bucket / before.file).unlink()

    def remove(self, bucket: str, key: str) -> None:
        """Not an error without the object."""
        with self.lock:
            if stored := self.bucket(bucket).pop(key, None):
                (self.root / bucket / f"{sha256(key.encode())}.json").unlink()
                (self.root / bucket / stored.file).unlink()


def matches(condition: str, etag: str) -> bool:
    return "*" == condition or etag in [one.strip().strip('"') for one in condition.split(",")]


Tree = Any  # text, a number, or a list of pairs of a name and a tree


def xml(name: str, content: Tree) -> str:
    if isinstance(content, list):
        return f"<{name}>{''.join(xml(*child) for child in content)}</{name}>"
    # No character may be lost on the way, although XML has no way to write some.
    text = re.sub("[\0-\x1f]", lambda match: f"&#{ord(match[0])};", escape(str(content)))
    return f"<{name}>{text}</{name}>"


def when(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


@dataclasses.dataclass
class Answer:
    """What is sent: `body`, or `length` bytes of `file`, which is where they begin."""
    status: int = 200
    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    body: bytes = b""
    file: BinaryIO | None = None
    length: int = 0

    def pieces(self) -> Iterator[bytes]:
        if self.file is None:
            yield self.body
        left = self.length if self.file else 0
        while self.file and left:
            data = self.file.read(min(PIECE, left))
            left -= len(data)
            yield data


def document(name: str, content: Tree, status: int = 200) -> Answer:
    body = '<?xml version="1.0" encoding="UTF-8"?>\n' + xml(name, content)
    return Answer(status, {"content-type": "application/xml"}, body.encode())


@dataclasses.dataclass
class Fault:
    """What goes wrong with one request.  The fields may be combined."""
    delay_s: float = 0
    error: str = ""  # a code of STATUS; instead of the effect
    headers: dict[str, str] = dataclasses.field(default_factory=dict)  # more, or replaced ones
    replace: bytes | None = None  # before, the object gets this content and another ETag
    entries: list[tuple[str, int]] = dataclasses.field(default_factory=list)  # more in a listing
    body: bytes | None = None  # in place of the right one
    lost: bool = False  # the request has its effect, and no answer
    cut_after: int | None = None  # bytes of the body, then the connection ends
    garble_at: int | None = None  # a byte of the body that is inverted
    endless: bool = False  # the body is repeated until the client leaves


class Operation:
    """Carries out one verified request."""

    def __init__(self, server: "S3Server", request: Request, signed: Signed, body: BinaryIO,
                 fault: Fault, opened: contextlib.ExitStack):
        """`opened` closes files when the answer is sent."""
        self.server, self.store, self.request, self.fault = server, server.store, request, fault
        self.opened = opened
        self.signed, self.body, self.query = signed, body, request.query
        self.bucket, self.key = request.bucket, request.key

    def run(self) -> Answer:
        place = "object" if self.key else "bucket" if self.bucket else "service"
        part = next((name for name in SUBRESOURCES if name in self.query), "")
        operation = OPERATIONS.get((self.request.method, place, part))
        if operation is None:
            raise S3Error("NotImplemented" if part else "MethodNotAllowed", "not supported here")
        if len(self.key.encode()) > KEY_MAX:
            raise S3Error("KeyTooLongError", f"at most {KEY_MAX} bytes are allowed")
        if self.bucket and operation is not Operation.create_bucket:
            self.store.bucket(self.bucket)
        return operation(self)

    def elements(self) -> ElementTree.Element:
        """The body as XML, with names that have no namespaces."""
        sink = io.BytesIO()
        content = save(self.request, self.signed, self.body, sink, XML_MAX)
        if b"<!" in sink.getvalue():
            raise S3Error("MalformedXML", "the body has declarations")
        with refusing(ElementTree.ParseError, "MalformedXML", "the body is no XML"):
            root = ElementTree.fromstring(sink.getvalue() if content.size else "<Empty/>")
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        return root

    def number(self, name: str, default: int, most: int) -> int:
        text = self.query.get(name, str(default))
        if not re.fullmatch("[0-9]{1,9}", text):
            raise S3Error("InvalidArgument", f"{name} is no number")
        return min(int(text), most)

    def kept_headers(self) -> dict[str, str]:
        kept = {name: self.request.header(name) for name, _ in self.request.fields
                if name in KEPT or name.startswith("x-amz-meta-")}
        if sum(len(n) + len(v) for n, v in kept.items() if n.startswith("x-amz-")) > METADATA_MAX:
            raise S3Error("MetadataTooLarge", f"at most {METADATA_MAX} bytes are allowed")
        coding = kept.pop("content-encoding", "").replace("aws-chunked", "").strip(", ")
        return kept | ({"content-encoding": coding} if coding else {})

    # Buckets.

    def list_buckets(self) -> Answer:
        with self.store.lock:
            names = sorted(self.store.buckets)
        buckets = [("Bucket", [("Name", name), ("CreationDate", when(0))]) for name in names]
        return document("ListAllMyBucketsResult", [
            ("Owner", [("ID", "owner"), ("DisplayName", "owner")]), ("Buckets", buckets)])

    def head_bucket(self) -> Answer:
        return Answer(headers={"x-amz-bucket-region": self.server.region})

    def create_bucket(self) -> Answer:
        region = self.elements().findtext("LocationConstraint", self.server.region)
        if region != self.server.region:
            raise S3Error("IllegalLocationConstraintException", "this is another region")
        if not re.fullmatch("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", self.bucket):
            raise S3Error("InvalidBucketName", "3 to 63 small letters, digits, dots and hyphens")
        with self.store.lock:
            if self.bucket in self.store.buckets:
                raise S3Error("BucketAlreadyOwnedByYou", "the bucket exists")
            (self.store.root / self.bucket).mkdir()
            self.store.buckets[self.bucket] = {}
        return Answer(headers={"Location": f"/{self.bucket}"})

    def delete_bucket(self) -> Answer:
        with self.store.lock:
            if self.store.bucket(self.bucket):
                raise S3Error("BucketNotEmpty", "the bucket has objects")
            with refusing(OSError, "BucketNotEmpty", "the directory has other files"):
                (self.store.root / self.bucket).rmdir()
            del self.store.buckets[self.bucket]
        return Answer(204)

    def location(self) -> Answer:
        region = self.server.region
        return document("LocationConstraint", "" if region == "us-east-1" else region)

    def list_objects(self) -> Answer:
        query, v2 = self.query, self.query.get("list-type") == "2"
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        most, token = self.number("max-keys", 1000, 1000), query.get("continuation-token")
        after = query.get("start-after" if v2 else "marker", "")
        if v2 and token:
            with refusing(ValueError, "InvalidArgument", "the token is not of this server"):
                after = base64.urlsafe_b64decode(token).decode()
        with self.store.lock:
            objects = dict(self.store.bucket(self.bucket))
        found: list[Stored] = []
        groups: list[str] = []
        last, truncated = after, False
        for key in sorted(key for key in objects if key.startswith(prefix) and key > after):
            end = key.find(delimiter, len(prefix)) if delimiter else -1
            group = key[:end + len(delimiter)] if end >= 0 else ""
            if group and group == last:
                continue
            if len(found) + len(groups) >= most:
                truncated = most > 0
                break
            last = group or key
            if group:
                groups.append(group)
            else:
                found.append(objects[key])
        found += [Stored(key, "0" * 32, size, 0, {}, "") for key, size in self.fault.entries]
        url = query.get("encoding-type") == "url"

        def name(text: str) -> str:
            return quote(text, safe="/") if url else text
        tree = [("Name", self.bucket), ("Prefix", name(prefix)), ("MaxKeys", most),
                ("Delimiter", name(delimiter)), ("IsTruncated", str(truncated).lower())]
        if v2:
            tree += [("KeyCount", len(found) + len(groups)),
                     ("StartAfter", name(query.get("start-after", "")))]
        else:
            tree += [("Marker", name(after))]
        if truncated and v2:
            following = base64.urlsafe_b64encode(last.encode()).decode()
            tree += [("NextContinuationToken", following)]
        elif truncated and delimiter:
            tree += [("NextMarker", name(last))]
        tree += [("EncodingType", "url")] if url else []
        tree += [("Contents", [
            ("Key", name(each.key)), ("LastModified", when(each.modified_s)),
            ("ETag", f'"{each.etag}"'), ("Size", each.size), ("StorageClass", "STANDARD")])
            for each in found]
        tree += [("CommonPrefixes", [("Prefix", name(group))]) for group in groups]
        return document("ListBucketResult", tree)

    def delete_objects(self) -> Answer:
        if not any(map(self.request.header, ["content-md5", *CHECKSUMS])):
            raise S3Error("InvalidRequest", "Content-MD5 or a checksum is missing")
        root = self.elements()
        keys = [each.findtext("Key", "") for each in root.findall("Object")]
        if not 1 <= len(keys) <= 1000:
            raise S3Error("MalformedXML", "from 1 to 1000 keys are expected")
        for key in keys:
            self.store.remove(self.bucket, key)
        quiet = root.findtext("Quiet", "").lower() == "true"
        return document("DeleteResult", [] if quiet else [
            ("Deleted", [("Key", key)]) for key in keys])

    # Objects.

    def get_object(self) -> Answer:
        if self.fault.replace is not None:
            self.keep(io.BytesIO(self.fault.replace), self.store.get(self.bucket, self.key).headers)
        stored, file = self.store.open(self.bucket, self.key)
        self.opened.callback(file.close)
        headers = {"Last-Modified": email.utils.formatdate(stored.modified_s, usegmt=True),
                   "ETag": f'"{stored.etag}"', "Accept-Ranges": "bytes",
                   "content-type": "binary/octet-stream"}
        headers |= {name: value for name, value in stored.headers.items() if name not in CHECKSUMS}
        answer = Answer(200, headers, file=file, length=stored.size)
        header = self.request.header
        if not matches(header("if-match", "*"), stored.etag):
            raise S3Error("PreconditionFailed", "the object has another ETag")
        if header("if-none-match") and matches(header("if-none-match"), stored.etag):
            raise S3Error("NotModified", headers=headers)
        asked = re.fullmatch("bytes=([0-9]{0,18})-([0-9]{0,18})", header("range"))
        if asked and any(asked.groups()):
            first, end = byte_range(asked[1], asked[2], stored.size)
            file.seek(first)
            headers["Content-Range"] = f"bytes {first}-{end - 1}/{stored.size}"
            answer.status, answer.length = 206, end - first
        elif header("x-amz-checksum-mode").upper() == "ENABLED":
            headers |= stored.headers
        return answer

    def keep(self, source: BinaryIO, headers: dict[str, str]) -> Stored:
        """Stores what the server itself has read."""
        body = Request("PUT", self.request.target, [])
        with self.store.scratch() as (path, file):
            content = save(body, Signed("UNSIGNED-PAYLOAD", b"", "", "", ""), source, file,
                           BODY_MAX)
            file.close()
            return self.publish(path, content.md5.hex(), content.size, headers, body)

    def publish(self, path: pathlib.Path, etag: str, size: int, headers: dict[str, str],
                request: Request) -> Stored:
        stored = Stored(self.key, etag, size, int(time.time()), headers, uuid.uuid4().hex)
        self.store.publish(self.bucket, stored, path, request)
        return stored

    def put_object(self) -> Answer:
        if self.request.header("x-amz-copy-source"):
            return self.copy_object()
        headers = self.kept_headers()
        self.store.check(self.bucket, self.key, self.request)  # before a long body is sent
        with self.store.scratch() as (path, file):
            content = save(self.request, self.signed, self.body, file, BODY_MAX)
            file.close()
            stored = self.publish(path, content.md5.hex(), content.size,
                                  headers | content.checksums, self.request)
        return Answer(headers={"ETag": f'"{stored.etag}"', **content.checksums})

    def source(self) -> tuple[Stored, BinaryIO]:
        path = unquote(self.request.header("x-amz-copy-source"))
        bucket, _, key = path.removeprefix("/").partition("/")
        stored, file = self.store.open(bucket, key)
        self.opened.callback(file.close)
        if not matches(self.request.header("x-amz-copy-source-if-match", "*"), stored.etag):
            raise S3Error("PreconditionFailed", "the source has another ETag")
        return stored, file

    def copy_object(self) -> Answer:
        stored, file = self.source()
        replaced = self.request.header("x-amz-metadata-directive").upper() == "REPLACE"
        stored = self.keep(file, self.kept_headers() if replaced else stored.headers)
        return document("CopyObjectResult", [
            ("LastModified", when(stored.modified_s)), ("ETag", f'"{stored.etag}"')])

    def delete_object(self) -> Answer:
        self.store.remove(self.bucket, self.key)
        return Answer(204)

    # Uploads in parts.

    def upload(self) -> Upload:
        return self.store.upload(self.query["uploadId"], self.bucket, self.key)

    def create_upload(self) -> Answer:
        upload_id = uuid.uuid4().hex
        self.store.uploads[upload_id] = Upload(self.bucket, self.key, self.kept_headers())
        return document("InitiateMultipartUploadResult", [
            ("Bucket", self.bucket), ("Key", self.key), ("UploadId", upload_id)])

    def upload_part(self) -> Answer:
        upload, number = self.upload(), self.number("partNumber", 0, PARTS_MAX + 1)
        if not 1 <= number <= PARTS_MAX:
            raise S3Error("InvalidArgument", f"partNumber: from 1 to {PARTS_MAX}")
        if self.request.header("x-amz-copy-source"):
            raise S3Error("NotImplemented", "parts cannot be copied")
        with self.store.scratch() as (path, file):
            content = save(self.request, self.signed, self.body, file, BODY_MAX)
            with self.store.lock:
                self.upload()  # may have ended in the meantime
                kept = path.rename(path.with_suffix(".part"))
                before = upload.parts.get(number)
                upload.parts[number] = kept, content.md5.hex(), content.size
                if before:
                    before[0].unlink()
        return Answer(headers={"ETag": f'"{content.md5.hex()}"', **content.checksums})

    def list_parts(self) -> Answer:
        marker, most = self.number("part-number-marker", 0, PARTS_MAX), \
            self.number("max-parts", 1000, 1000)
        with self.store.lock:
            parts = sorted(part for part in self.upload().parts.items() if part[0] > marker)
        tree: Tree = [("Part", [("PartNumber", number), ("ETag", f'"{etag}"'), ("Size", size),
                                ("LastModified", when(time.time()))])
                      for number, (_, etag, size) in parts[:most]]
        following = [("NextPartNumberMarker", parts[most - 1][0])] if 0 < most < len(parts) else []
        return document("ListPartsResult", [
            ("Bucket", self.bucket), ("Key", self.key), ("UploadId", self.query["uploadId"]),
            ("MaxParts", most), ("IsTruncated", str(bool(following)).lower()), *following, *tree])

    def complete_upload(self) -> Answer:
        with refusing(ValueError, "MalformedXML", "a number is none"):
            parts = [(int(part.findtext("PartNumber", "")), part.findtext("ETag", "").strip('"'))
                     for part in self.elements().findall("Part")]
        numbers = [number for number, _ in parts]
        with self.store.lock, self.store.scratch() as (path, file):
            upload = self.upload()
            if not parts or any(upload.parts.get(number, ("", ""))[1] != etag
                                for number, etag in parts):
                raise S3Error("InvalidPart", "a part is missing, or has another ETag")
            if numbers != sorted(set(numbers)):
                raise S3Error("InvalidPartOrder", "the parts are not in order")
            if any(upload.parts[number][2] < self.server.part_min for number in numbers[:-1]):
                raise S3Error("EntityTooSmall", "only the last part may be short")
            self.store.check(self.bucket, self.key, self.request)
            for number in numbers:
                with open(upload.parts[number][0], "rb") as part:
                    while data := part.read(PIECE):
                        file.write(data)
            size = file.tell()
            file.close()
            digest = hashlib.md5(b"".join(bytes.fromhex(etag) for _, etag in parts)).hexdigest()
            stored = self.publish(path, f"{digest}-{len(parts)}", size, upload.headers,
                                  self.request)
            self.abort_upload()
        return document("CompleteMultipartUploadResult", [
            ("Location", f"{self.server.address}/{quote(self.bucket)}/{quote(self.key)}"),
            ("Bucket", self.bucket), ("Key", self.key), ("ETag", f'"{stored.etag}"')])

    def abort_upload(self) -> Answer:
        with self.store.lock:
            for path, _, _ in self.upload().parts.values():
                path.unlink()
            del self.store.uploads[self.query["uploadId"]]
        return Answer(204)


def byte_range(first: str, last: str, size: int) -> tuple[int, int]:
    """Of an object of this size: the first byte, and the one after the last."""
    begin = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if begin >= size or begin >= end:
        raise S3Error("InvalidRange", "the object has no such bytes",
                      {"Content-Range": f"bytes */{size}"})
    return begin, end


# By method, what the path names, and the part of it that the query names.
OPERATIONS: dict[tuple[str, str, str], Callable[[Operation], Answer]] = {
    ("GET", "service", ""): Operation.list_buckets,
    ("HEAD", "bucket", ""): Operation.head_bucket,
    ("PUT", "bucket", ""): Operation.create_bucket,
    ("DELETE", "bucket", ""): Operation.delete_bucket,
    ("GET", "bucket", "location"): Operation.location,
    ("GET", "bucket", ""): Operation.list_objects,
    ("POST", "bucket", "delete"): Operation.delete_objects,
    ("GET", "object", ""): Operation.get_object,
    ("HEAD", "object", ""): Operation.get_object,
    ("PUT", "object", ""): Operation.put_object,
    ("DELETE", "object", ""): Operation.delete_object,
    ("POST", "object", "uploads"): Operation.create_upload,
    ("PUT", "object", "uploadId"): Operation.upload_part,
    ("GET", "object", "uploadId"): Operation.list_parts,
    ("POST", "object", "uploadId"): Operation.complete_upload,
    ("DELETE", "object", "uploadId"): Operation.abort_upload}
SUBRESOURCES = """uploadId uploads delete location accelerate acl attributes cors encryption
    legal-hold lifecycle logging notification object-lock ownershipControls partNumber policy
    policyStatus publicAccessBlock replication requestPayment restore retention select tagging
    torrent versionId versioning versions website""".split()
KEPT = ("content-type", "content-encoding", "content-disposition", "content-language",
        "cache-control", "expires")


class Logged(NamedTuple):
    """A request that was answered.  Status 0: the answer was withheld."""
    method: str
    target: str
    status: int


class Connection(http.server.BaseHTTPRequestHandler):
    """One connection of a client, in a thread of its own."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_MAX_S
    server: "Listener"

    def handle_expect_100(self) -> bool:
        return True  # sent as soon as somebody reads the body, which a refusal does not

    def answer_request(self) -> None:
        with contextlib.ExitStack() as opened:
            self.send_answer(*self.answer(opened))

    def answer(self, opened: contextlib.ExitStack) -> tuple[Answer, Fault]:
        server, fault = self.server.owner, Fault()
        expects = self.headers.get("expect", "").lower() == "100-continue"
        body = Body(self.rfile, 0, lambda: None)
        try:
            # Not self.path: in that one, slashes at the beginning are fewer.
            target = self.requestline.split()[1]
            request = Request(self.command, target, self.headers.items())
            if sum(len(name) + len(value) for name, value in request.fields) > HEADERS_MAX:
                raise S3Error("RequestHeaderSectionTooLarge", f"at most {HEADERS_MAX} bytes")
            length = request.header("content-length")
            coding = request.header("transfer-encoding").lower()
            if not re.fullmatch("[0-9]{0,15}", length) or coding not in ("", "chunked") or (
                    coding and length):
                self.close_connection = True
                raise S3Error("InvalidRequest", "the length of the body is not clear")
            body = Body(self.rfile, None if coding else int(length or 0),
                        self.send_continue if expects else lambda: None)
            signed = verify(request, server.keys, server.region, server.clock())
            if body.left > BODY_MAX + BODY_MAX // 8:  # with what chunks add
                raise S3Error("EntityTooLarge", f"at most {BODY_MAX} bytes are allowed")
            if hook := server.fault:
                fault = hook(request) or fault
            time.sleep(fault.delay_s)
            if fault.error:
                raise S3Error(fault.error)
            reader = io.BufferedReader(body, PIECE)
            answer = Operation(server, request, signed, reader, fault, opened).run()
        except S3Error as error:
            answer = document("Error", [("Code", error.code), ("Message", error.message)],
                              STATUS[error.code])
            answer.headers |= error.headers
        self.finish_body(body, expects)
        return answer, fault

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer_request

    def send_continue(self) -> None:
        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def finish_body(self, body: Body, expects: bool) -> None:
        """Leaves the connection at the next request, or marks it as one that has none."""
        drained = 0
        with contextlib.suppress(S3Error):
            while not (body.ended or expects or drained >= DRAINED_MAX):
                drained += len(body.read(PIECE) or b"")
        self.close_connection |= not body.ended

    def send_answer(self, answer: Answer, fault: Fault) -> None:
        server = self.server.owner
        if fault.body is not None:
            answer = dataclasses.replace(answer, body=fault.body, file=None)
        length = answer.length if answer.file else len(answer.body)
        headers = {"x-amz-request-id": uuid.uuid4().hex, "Content-Length": str(length),
                   **answer.headers, **fault.headers}
        if answer.status in (204, 304):
            del headers["Content-Length"]
        if fault.endless and "Content-Length" not in fault.headers:
            del headers["Content-Length"]
        if fault != Fault() or self.close_connection:
            headers["Connection"], self.close_connection = "close", True
        server.note(Logged(self.command, self.requestline.split()[1],
                           0 if fault.lost else answer.status))
        if fault.lost:
            return
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and answer.status not in (204, 304):
            for piece in spoiled(answer, fault):
                server.count(len(piece))
                self.wfile.write(piece)

    def log_message(self, *_: Any) -> None:
        """The server keeps a log of its own."""


def spoiled(answer: Answer, fault: Fault) -> Iterator[bytes]:
    """The body as the fault lets it pass."""
    at, last = 0, b"."
    for piece in answer.pieces():
        if fault.garble_at is not None and at <= fault.garble_at < at + len(piece):
            changed = bytearray(piece)
            changed[fault.garble_at - at] ^= 0xFF
            piece = bytes(changed)
        if fault.cut_after is not None and at + len(piece) >= fault.cut_after:
            yield piece[:fault.cut_after - at]
            return
        at, last = at + len(piece), piece or last
        yield piece
    while fault.endless:
        yield last


class Listener(http.server.ThreadingHTTPServer):
    """Accepts connections, and ends those that are open when it is closed."""
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, owner: "S3Server", port: int, tls: ssl.SSLContext | None):
        self.owner, self._tls = owner, tls
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), Connection)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        if self._tls:  # with the handshake in the thread of the connection
            connection = self._tls.wrap_socket(connection, server_side=True,
                                               do_handshake_on_connect=False)
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # of a client that left
            super().handle_error(request, client_address)


class S3Server:
    """Serves in threads of its own between start() and stop(), and again at the same port.

    `keys` are secrets by access key, `tls` the files of a certificate and its key.  Tests may
    exchange `clock`, the seconds since 1970, and `fault`, which is asked about each verified
    request, from many threads."""

    def __init__(self, root: str | os.PathLike[str], keys: Mapping[str, str],
                 region: str = "us-east-1", port: int = 0, tls: tuple[str, str] | None = None):
        self.store, self.keys, self.region, self.port = Store(root), dict(keys), region, port
        self.clock: Callable[[], float] = time.time
        self.fault: Callable[[Request], Fault | None] | None = None
        self.part_min = PART_MIN
        self.log: list[Logged] = []
        self.bytes_sent = 0  # of bodies
        self._context: ssl.SSLContext | None = None
        self._listener: Listener | None = None
        self._lock = threading.Lock()
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*tls)

    @property
    def address(self) -> str:
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}"

    def start(self) -> "S3Server":
        self._listener = Listener(self, self.port, self._context)
        self.port = self._listener.server_port
        threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self) -> None:
        if self._listener:
            self._listener.shutdown()
            self._listener.server_close()
            self._listener.end_connections()
            self._listener = None

    def note(self, logged: Logged) -> None:
        with self._lock:
            del self.log[:-LOG_MAX]
            self.log.append(logged)

    def count(self, sent: int) -> None:
        with self._lock:
            self.bytes_sent += sent


def main() -> None:
    parser = argparse.ArgumentParser(description="An S3 server for tests and demonstrations.")
    parser.add_argument("--root", required=True, help="a directory, whose directories are buckets")
    parser.add_argument("--access-key", required=True, help="its secret is in S3_SECRET_KEY")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--tls-certificate", metavar="FILE")
    parser.add_argument("--tls-key", metavar="FILE")
    options = parser.parse_args()
    secret = os.environ.get("S3_SECRET_KEY", "")
    if not secret or bool(options.tls_certificate) != bool(options.tls_key):
        parser.error("S3_SECRET_KEY must be set, and of the files of TLS both or none be given")
    tls = (options.tls_certificate, options.tls_key) if options.tls_key else None
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    server = S3Server(options.root, {options.access_key: secret}, options.region, options.port, tls)
    server.start()
    print(f"listening on {server.address}", flush=True)
    signal.sigwait({signal.SIGINT, signal.SIGTERM})
    server.stop()


if __name__ == "__main__":
    main()
