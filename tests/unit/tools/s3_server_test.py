"""examples/ml_day/s3_server.py: what it verifies, what it stores, and how it fails when a test wants it to.

Requests are signed here by a few lines of the test's own, and by AWS in its published examples.
"""

import base64
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "examples/ml_day"))
import s3_server  # noqa: E402
from s3_server import Fault, Request, S3Error, S3Server, verify  # noqa: E402

KEYS = {"AKIAIOSFODNN7EXAMPLE": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
AWS_TIME_S = 1369353600  # 2013-05-24T00:00:00Z
EMPTY = hashlib.sha256(b"").hexdigest()
ODD_KEYS = ["..", "../../x", "/abs", "a/", "a//b", "./.", " a b ", "a+b", "a%2Fb", "ü/日本", "~-_.",
            "a?b&c=d#e", "<&>\"'", "x" * 1024, "line\nbreak", "\x01"]


def aws_example(method, target, signature, payload=EMPTY, host="examplebucket.s3.amazonaws.com", **headers):
    """A request of S3's reference on signatures."""
    headers = {"host": host, "x-amz-content-sha256": payload, "x-amz-date": "20130524T000000Z",
               **{name.replace("_", "-"): value for name, value in headers.items()}}
    authorization = ("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                     f"SignedHeaders={';'.join(sorted(headers))},Signature={signature}")
    return Request(method, target, [*headers.items(), ("Authorization", authorization)])


def code_of(call, *arguments):
    try:
        call(*arguments)
    except S3Error as error:
        return error.code
    return "accepted"


class PublishedExamples(unittest.TestCase):
    def verify(self, request, now_s=AWS_TIME_S):
        return verify(request, KEYS, "us-east-1", now_s)

    def test_headers(self):
        welcome = hashlib.sha256(b"Welcome to Amazon S3.").hexdigest()
        for request in (
                aws_example("GET", "/test.txt", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", range="bytes=0-9"),
                aws_example("PUT", "/test$file.text", "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd", welcome,
                            date="Fri, 24 May 2013 00:00:00 GMT", x_amz_storage_class="REDUCED_REDUNDANCY"),
                aws_example("GET", "/?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
                aws_example("GET", "/?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")):
            self.assertEqual(code_of(self.verify, request), "accepted", request.target)
            # Each part that is signed, and the time.
            for name in {name for name, _ in request.fields} - {"authorization", "x-amz-date"}:
                changed = Request(request.method, request.target,
                                  [(field, value + "0" if field == name else value) for field, value in request.fields])
                self.assertEqual(code_of(self.verify, changed), "SignatureDoesNotMatch", name)
            for method, target in (("POST", request.target), (request.method, request.target + "x"), (request.method, "/.." + request.target)):
                self.assertEqual(code_of(self.verify, Request(method, target, request.fields)), "SignatureDoesNotMatch")
            for seconds, code in ((-901, "RequestTimeTooSkewed"), (-900, "accepted"), (900, "accepted"), (901, "RequestTimeTooSkewed")):
                self.assertEqual(code_of(self.verify, request, AWS_TIME_S + seconds), code)
            more = Request(request.method, request.target, [*request.fields, ("X-Amz-Acl", "public-read")])
            self.assertEqual(code_of(self.verify, more), "AccessDenied")

    def test_the_query(self):
        target = ("/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                  "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                  "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
        request = Request("GET", target, [("Host", "examplebucket.s3.amazonaws.com")])
        for seconds, code in ((-901, "AccessDenied"), (0, "accepted"), (86400, "accepted"), (86401, "AccessDenied")):
            self.assertEqual(code_of(self.verify, request, AWS_TIME_S + seconds), code)
        longer = Request("GET", target.replace("86400", "86401"), request.fields)
        self.assertEqual(code_of(self.verify, longer), "SignatureDoesNotMatch")
        self.assertEqual(code_of(self.verify, Request("GET", target, [*request.fields, ("authorization", "x")])), "InvalidArgument")

    def chunks(self, first=b"a"):
        signatures = ("ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
                      "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
                      "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9")
        datas = (first + b"a" * 65535, b"a" * 1024, b"")
        return b"".join(b"%x;chunk-signature=%s\r\n%s\r\n" % (len(data), signature.encode(), data)
                        for signature, data in zip(signatures, datas))

    def test_chunks(self):
        request = aws_example("PUT", "/examplebucket/chunkObject.txt", "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
                              "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "s3.amazonaws.com", content_encoding="aws-chunked", content_length="66824",
                              x_amz_decoded_content_length="66560", x_amz_storage_class="REDUCED_REDUNDANCY")
        signed = self.verify(request)

        def saved(body):
            with tempfile.TemporaryFile() as sent, tempfile.TemporaryFile() as sink:
                sent.write(body)
                sent.seek(0)
                return s3_server.save(request, signed, sent, sink, 1 << 20).size
        self.assertEqual(len(self.chunks()), 66824)
        self.assertEqual(saved(self.chunks()), 66560)
        self.assertEqual(code_of(saved, self.chunks(first=b"b")), "SignatureDoesNotMatch")
        self.assertEqual(code_of(saved, self.chunks()[:66000]), "IncompleteBody")

    def test_other_keys_and_regions(self):
        request = aws_example("GET", "/?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
        self.assertEqual(code_of(verify, request, {"other": "x"}, "us-east-1", AWS_TIME_S), "InvalidAccessKeyId")
        self.assertEqual(code_of(verify, request, dict.fromkeys(KEYS, "x"), "us-east-1", AWS_TIME_S), "SignatureDoesNotMatch")
        self.assertEqual(code_of(verify, request, KEYS, "eu-west-1", AWS_TIME_S), "AuthorizationHeaderMalformed")
        self.assertEqual(code_of(verify, Request("GET", "/", []), KEYS, "us-east-1", AWS_TIME_S), "AccessDenied")


class Reply:
    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body

    @property
    def xml(self):
        return ElementTree.fromstring(self.body)

    @property
    def code(self):
        return self.xml.findtext("Code")

    def texts(self, path):
        return [element.text for element in self.xml.findall(path)]


class Client:
    """Signs and sends, one connection per request."""

    def __init__(self, server, secret="secret"):
        self.server, self.secret = server, secret

    def signed(self, method, path, query, body, headers, now_s):
        date = datetime.datetime.fromtimestamp(now_s, datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        headers = {"host": f"127.0.0.1:{self.server.port}", "x-amz-date": date, "x-amz-content-sha256": hashlib.sha256(body).hexdigest(), **headers}
        scope, names = f"{date[:8]}/us-east-1/s3/aws4_request", sorted(headers)
        canonical = "\n".join([method, path, query, *(f"{name}:{headers[name]}" for name in names), "", ";".join(names), headers["x-amz-content-sha256"]])
        key = f"AWS4{self.secret}".encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        text = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signature = hmac.digest(key, text.encode(), "sha256").hex()
        return headers | {"Authorization": f"AWS4-HMAC-SHA256 Credential=key/{scope}, SignedHeaders={';'.join(names)}, Signature={signature}"}

    def __call__(self, method, key, body=b"", query=None, headers=None, sent=None, now_s=None, bucket="bucket"):
        """`sent`: in place of the body that was signed."""
        path = quote(f"/{bucket}/{key}" if key else f"/{bucket}", safe="/~")
        query = urlencode(sorted((query or {}).items()), quote_via=quote, safe="~")
        headers = self.signed(method, path, query, body, headers or {}, time.time() if now_s is None else now_s)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        try:
            connection.request(method, path + ("?" + query if query else ""), body if sent is None else sent, headers)
            response = connection.getresponse()
            return Reply(response, response.read())
        finally:
            connection.close()


class Served(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "root/bucket").mkdir(parents=True)
        self.server = S3Server(self.root / "root", {"key": "secret"}).start()
        self.addCleanup(self.server.stop)
        self.call = Client(self.server)

    def put(self, key, body=b"data", **headers):
        reply = self.call("PUT", key, body, headers={name.replace("_", "-"): value for name, value in headers.items()})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.headers["ETag"]

    def assert_refused(self, code, reply):
        self.assertEqual((reply.status, reply.code), (s3_server.STATUS[code], code), reply.body)


class Requests(Served):
    def test_a_wrong_secret(self):
        self.assert_refused("SignatureDoesNotMatch", Client(self.server, "other")("PUT", "a", b"data"))
        self.assert_refused("NoSuchKey", self.call("GET", "a"))

    def test_an_altered_body(self):
        self.assert_refused("XAmzContentSHA256Mismatch", self.call("PUT", "a", b"data", sent=b"dato"))
        self.assert_refused("NoSuchKey", self.call("GET", "a"))
        self.assertEqual(list((self.root / "root/.scratch").iterdir()), [])

    def test_a_replay_after_a_quarter_of_an_hour(self):
        self.put("a")
        now_s = time.time()
        self.assertEqual(self.call("GET", "a", now_s=now_s).status, 200)
        self.server.clock = lambda: now_s + 901
        self.assert_refused("RequestTimeTooSkewed", self.call("GET", "a", now_s=now_s))

    def test_digests_of_bodies(self):
        def of(digest):
            return base64.b64encode(digest).decode()
        sums = {"content-md5": of(hashlib.md5(b"123456789").digest()), "x-amz-checksum-sha256": of(hashlib.sha256(b"123456789").digest()),
                "x-amz-checksum-crc32": of(zlib.crc32(b"123456789").to_bytes(4, "big")),
                "x-amz-checksum-crc32c": of(bytes.fromhex("e3069283"))}
        for name, value in sums.items():
            self.put("a", b"123456789", **{name: value})
            if name != "content-md5":
                self.assertEqual(self.call("HEAD", "a", headers={"x-amz-checksum-mode": "ENABLED"}).headers[name], value)
            self.assert_refused("BadDigest", self.call("PUT", "b", b"12345678", headers={name: value}))
        self.assert_refused("InvalidDigest", self.call("PUT", "b", headers={"content-md5": "x"}))

    def test_a_trailer(self):
        headers = {"x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "x-amz-trailer": "x-amz-checksum-crc32c"}
        body = b"9\r\n123456789\r\n0\r\nx-amz-checksum-crc32c:4waSgw==\r\n\r\n"
        self.assertEqual(self.call("PUT", "a", body, headers=headers).status, 200)
        self.assertEqual(self.call("GET", "a").body, b"123456789")
        self.assert_refused("BadDigest", self.call("PUT", "a", body.replace(b"4w", b"5w"), headers=headers))

    def test_limits(self):
        self.put("x" * 1024)
        self.assert_refused("KeyTooLongError", self.call("PUT", "x" * 1025))
        self.assert_refused("MetadataTooLarge", self.call("PUT", "a", headers={"x-amz-meta-a": "x" * 2048}))
        self.assert_refused("EntityTooLarge", self.call("POST", "", b" " * (1 << 20) + b"x", {"delete": ""}, {"content-md5": "x"}))
        self.assert_refused("MalformedXML", self.call("POST", "", b"<!DOCTYPE a><a/>", {"delete": ""}, {"content-md5": base64.b64encode(hashlib.md5(b"<!DOCTYPE a><a/>").digest()).decode()}))
        self.assert_refused("NotImplemented", self.call("GET", "a", query={"acl": ""}))

    def test_bytes_that_are_no_request_of_s3(self):
        for request in (b"GET /bucket/%ff HTTP/1.1\r\n\r\n", b"PUT /bucket/a HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                        b"PUT /bucket/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                        b"PUT /bucket/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            connection.connect()
            connection.sock.sendall(request)
            answer = connection.sock.recv(100)
            connection.close()
            self.assertRegex(answer, rb"^HTTP/1.1 4\d\d ")


class Objects(Served):
    def test_an_object_keeps_its_bytes_and_headers(self):
        etag = self.put("a", b"data", content_type="text/x", x_amz_meta_mode="7")
        self.assertEqual(etag, f'"{hashlib.md5(b"data").hexdigest()}"')
        reply = self.call("GET", "a")
        self.assertEqual((reply.body, reply.headers["Content-Type"], reply.headers["x-amz-meta-mode"], reply.headers["ETag"]), (b"data", "text/x", "7", etag))
        head = self.call("HEAD", "a")
        self.assertEqual((head.status, head.body, head.headers["Content-Length"]), (200, b"", "4"))
        self.assertEqual(self.call("DELETE", "a").status, 204)
        self.assertEqual(self.call("DELETE", "a").status, 204)
        self.assert_refused("NoSuchKey", self.call("GET", "a"))
        self.assertEqual(self.call("HEAD", "a").status, 404)

    def test_ranges(self):
        self.put("a", b"0123456789")
        for asked, body in (("0-3", b"0123"), ("8-", b"89"), ("-3", b"789"), ("5-99", b"56789"), ("-99", b"0123456789")):
            reply = self.call("GET", "a", headers={"range": f"bytes={asked}"})
            self.assertEqual((reply.status, reply.body), (206, body))
        self.assertEqual(self.call("GET", "a", headers={"range": "bytes=2-4"}).headers["Content-Range"], "bytes 2-4/10")
        for asked in ("10-", "-0", "3-2"):
            self.assert_refused("InvalidRange", self.call("GET", "a", headers={"range": f"bytes={asked}"}))
        self.assertEqual(self.call("GET", "a", headers={"range": "lines=1-2"}).status, 200)

    def test_conditions_of_readers(self):
        etag = self.put("a")
        self.assertEqual(self.call("GET", "a", headers={"if-match": etag}).status, 200)
        self.assert_refused("PreconditionFailed", self.call("GET", "a", headers={"if-match": '"0"'}))
        self.assertEqual(self.call("GET", "a", headers={"if-none-match": etag}).status, 304)
        self.assertEqual(self.call("GET", "a", headers={"if-none-match": '"0"'}).status, 200)

    def test_odd_keys_stay_below_the_root(self):
        for number, key in enumerate(ODD_KEYS):
            self.put(key, str(number).encode())
        for number, key in enumerate(ODD_KEYS):
            self.assertEqual(self.call("GET", key).body, str(number).encode(), key)
        self.assertEqual([path.name for path in self.root.iterdir()], ["root"])
        self.assertEqual({path.name for path in (self.root / "root").iterdir()}, {"bucket", ".scratch"})
        listed = self.call("GET", "", query={"list-type": "2", "encoding-type": "url"})
        self.assertEqual(listed.texts("Contents/Key"), [quote(key) for key in sorted(ODD_KEYS)])
        # Another server on the directory has them, too.
        self.server.stop()
        self.server = S3Server(self.root / "root", {"key": "secret"}).start()
        self.addCleanup(self.server.stop)
        self.assertEqual([Client(self.server)("GET", key).body for key in ODD_KEYS], [str(n).encode() for n in range(len(ODD_KEYS))])

    def test_copies(self):
        self.put("ü +", b"data", x_amz_meta_a="1")
        copy = {"x-amz-copy-source": quote("/bucket/ü +")}
        self.assertEqual(self.call("PUT", "b", headers=copy).status, 200)
        self.assertEqual((self.call("GET", "b").body, self.call("GET", "b").headers["x-amz-meta-a"]), (b"data", "1"))
        self.call("PUT", "b", headers={**copy, "x-amz-metadata-directive": "REPLACE", "x-amz-meta-a": "2"})
        self.assertEqual(self.call("GET", "b").headers["x-amz-meta-a"], "2")
        self.assert_refused("PreconditionFailed", self.call("PUT", "b", headers={**copy, "x-amz-copy-source-if-match": "x"}))

    def test_several_are_deleted_at_once(self):
        for key in "abc":
            self.put(key)
        body = b"<Delete><Object><Key>a</Key></Object><Object><Key>c</Key></Object></Delete>"
        digest = base64.b64encode(hashlib.md5(body).digest()).decode()
        self.assertEqual(self.call("POST", "", body, {"delete": ""}, {"content-md5": digest}).texts("Deleted/Key"), ["a", "c"])
        self.assertEqual(self.call("GET", "").texts("Contents/Key"), ["b"])
        self.assert_refused("InvalidRequest", self.call("POST", "", body, {"delete": ""}))


class Buckets(Served):
    def test_they_come_and_go(self):
        self.assertEqual(self.call("PUT", "", bucket="new").status, 200)
        self.assert_refused("BucketAlreadyOwnedByYou", self.call("PUT", "", bucket="new"))
        self.assertEqual(self.call("GET", "", bucket="").texts("Buckets/Bucket/Name"), ["bucket", "new"])
        self.call("PUT", "a", bucket="new")
        self.assert_refused("BucketNotEmpty", self.call("DELETE", "", bucket="new"))
        self.call("DELETE", "a", bucket="new")
        self.assertEqual(self.call("DELETE", "", bucket="new").status, 204)
        self.assertEqual(self.call("HEAD", "", bucket="new").status, 404)
        self.assert_refused("NoSuchBucket", self.call("PUT", "a", bucket="new"))
        for name in ("..", ".scratch", "A", "ab"):
            self.assert_refused("InvalidBucketName", self.call("PUT", "", bucket=name))
        self.assertEqual(self.call("GET", "", query={"location": ""}).xml.tag, "LocationConstraint")

    def test_pages_of_listings(self):
        keys = sorted(f"{folder}/{number}" for folder in "abc" for number in range(4)) + ["d", "e"]
        for key in keys:
            self.put(key)
        for first, following, last in (({"list-type": "2"}, "continuation-token", "NextContinuationToken"), ({}, "marker", "NextMarker")):
            for delimiter in ("", "/"):
                query, seen = {**first, "max-keys": "2", "delimiter": delimiter}, []
                while True:
                    page = self.call("GET", "", query=query)
                    found = page.texts("CommonPrefixes/Prefix") + page.texts("Contents/Key")
                    self.assertLessEqual(len(found), 2)
                    seen += found
                    if page.texts("IsTruncated") == ["false"]:
                        break
                    query[following] = page.xml.findtext(last) or seen[-1]
                self.assertEqual(seen, ["a/", "b/", "c/", "d", "e"] if delimiter else keys)
        self.assertEqual(self.call("GET", "", query={"list-type": "2", "prefix": "b/", "start-after": "b/1"}).texts("Contents/Key"), ["b/2", "b/3"])
        self.assertEqual(self.call("GET", "", query={"max-keys": "0"}).texts("IsTruncated"), ["false"])
        for query in ({"max-keys": "x"}, {"list-type": "2", "continuation-token": "x"}):
            self.assert_refused("InvalidArgument", self.call("GET", "", query=query))


class Conditions(Served):
    def race(self, writers, headers, word):
        """The statuses of as many writers of one key.  Their bytes, and so their ETags, differ.  None sends them
        before the server, which looks at the key first, wants those of all."""
        ready, statuses = threading.Barrier(writers, timeout=30), {}

        def write(number):
            body = b"%s %02d" % (word, number)
            signed = self.call.signed("PUT", "/bucket/a", "", body, headers, time.time())
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            connection.request("PUT", "/bucket/a", headers={**signed, "Content-Length": str(len(body)), "Expect": "100-continue"})
            self.assertEqual(connection.sock.recv(25), b"HTTP/1.1 100 Continue\r\n\r\n")
            ready.wait()
            connection.sock.sendall(body)
            statuses[number] = connection.getresponse().status
            connection.close()
        threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return statuses

    def test_one_of_twenty_writers_wins(self):
        for word, headers in ((b"new", lambda: {"if-none-match": "*"}), (b"next", lambda: {"if-match": self.call("HEAD", "a").headers["ETag"]})):
            statuses = self.race(20, headers(), word)
            self.assertEqual(sorted(statuses.values()), [200] + 19 * [412])
            winner = next(number for number, status in statuses.items() if status == 200)
            self.assertEqual(self.call("GET", "a").body, b"%s %02d" % (word, winner))

    def test_what_writers_may_expect(self):
        self.assert_refused("NoSuchKey", self.call("PUT", "a", headers={"if-match": '"0"'}))
        etag = self.put("a", if_none_match="*")
        self.assert_refused("PreconditionFailed", self.call("PUT", "a", b"2", headers={"if-match": '"0"'}))
        self.put("a", b"2", if_match=etag)
        self.assert_refused("NotImplemented", self.call("PUT", "a", headers={"if-none-match": etag}))


class Parts(Served):
    def begin(self, key="a"):
        return self.call("POST", key, query={"uploads": ""}, headers={"x-amz-meta-a": "1"}).xml.findtext("UploadId")

    def part(self, upload, number, body):
        return self.call("PUT", "a", body, {"partNumber": str(number), "uploadId": upload})

    def complete(self, upload, *parts, **headers):
        body = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>" for number, etag in parts)
        return self.call("POST", "a", f"<CompleteMultipartUpload>{body}</CompleteMultipartUpload>".encode(), {"uploadId": upload},
                         {name.replace("_", "-"): value for name, value in headers.items()})

    def test_an_upload(self):
        upload, big = self.begin(), b"x" * (5 << 20)
        first, second = (self.part(upload, number, body).headers["ETag"] for number, body in ((1, big), (7, b"end")))
        self.assert_refused("NoSuchKey", self.call("GET", "a"))
        self.assertEqual(self.call("GET", "a", query={"uploadId": upload}).texts("Part/PartNumber"), ["1", "7"])
        self.assertEqual(self.call("GET", "a", query={"uploadId": upload, "max-parts": "1"}).texts("NextPartNumberMarker"), ["1"])
        done = self.complete(upload, (1, first), (7, second), if_none_match="*")
        digests = hashlib.md5(big).digest() + hashlib.md5(b"end").digest()
        self.assertEqual(done.texts("ETag"), [f'"{hashlib.md5(digests).hexdigest()}-2"'])
        reply = self.call("GET", "a")
        self.assertEqual((reply.body == big + b"end", reply.headers["x-amz-meta-a"]), (True, "1"))
        self.assertEqual(list((self.root / "root/.scratch").iterdir()), [])
        self.assert_refused("NoSuchUpload", self.part(upload, 1, b"x"))

    def test_refusals(self):
        upload = self.begin()
        etags = [self.part(upload, number, b"x").headers["ETag"] for number in (1, 2)]
        self.assert_refused("InvalidPart", self.complete(upload, (1, etags[0]), (3, etags[0])))
        self.assert_refused("InvalidPart", self.complete(upload, (1, '"0"')))
        self.assert_refused("InvalidPartOrder", self.complete(upload, (2, etags[1]), (1, etags[0])))
        self.assert_refused("EntityTooSmall", self.complete(upload, (1, etags[0]), (2, etags[1])))
        self.assert_refused("MalformedXML", self.complete(upload, ("x", etags[0])))
        self.assert_refused("InvalidArgument", self.part(upload, 10_001, b"x"))
        self.put("a")
        self.assert_refused("PreconditionFailed", self.complete(upload, (1, etags[0]), if_none_match="*"))
        self.assertEqual(self.call("DELETE", "a", query={"uploadId": upload}).status, 204)
        self.assert_refused("NoSuchUpload", self.complete(upload, (1, etags[0])))
        self.assert_refused("NoSuchUpload", self.call("GET", "b", query={"uploadId": self.begin()}))


class Faults(Served):
    def setUp(self):
        super().setUp()
        self.put("a", b"0123456789")

    def fail(self, **fault):
        self.server.fault = lambda request: Fault(**fault)

    def get(self, **arguments):
        return self.call("GET", "a", **arguments)

    def test_answers_instead_of_the_effect(self):
        self.fail(error="SlowDown", headers={"Retry-After": "3"})
        self.assertEqual((self.get().status, self.get().headers["Retry-After"]), (503, "3"))
        self.fail(error="TemporaryRedirect", headers={"Location": "http://127.0.0.1:1/"})
        self.assertEqual((self.get().status, self.get().headers["Location"]), (307, "http://127.0.0.1:1/"))

    def test_bodies(self):
        self.fail(garble_at=2)
        self.assertEqual(self.get().body, b"01\xcd3456789")
        self.fail(cut_after=4)
        with self.assertRaises(http.client.IncompleteRead) as raised:
            self.get()
        self.assertEqual(raised.exception.partial, b"0123")
        self.fail(headers={"Content-Length": "12"})
        self.assertRaises(http.client.IncompleteRead, self.get)
        self.fail(body=b"<ListBucketResult><Contents>")
        self.assertEqual(self.call("GET", "").body, b"<ListBucketResult><Contents>")
        self.fail(headers={"ETag": '"0"'}, delay_s=0.01)
        self.assertEqual(self.get().headers["ETag"], '"0"')

    def test_a_body_without_end(self):
        self.fail(endless=True)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        connection.request("GET", "/bucket/a", headers=self.call.signed("GET", "/bucket/a", "", b"", {}, time.time()))
        self.assertEqual(len(connection.getresponse().read(1 << 20)), 1 << 20)
        connection.close()
        self.assertGreaterEqual(self.server.bytes_sent, 1 << 20)

    def test_an_object_that_changes_between_two_reads(self):
        first = self.get(headers={"range": "bytes=0-4"})
        self.fail(replace=b"abcdefghij")
        second = self.get(headers={"range": "bytes=5-9"})
        self.assertEqual((first.body, second.body), (b"01234", b"fghij"))
        self.assertNotEqual(first.headers["ETag"], second.headers["ETag"])
        self.fail(replace=b"other")
        self.assert_refused("PreconditionFailed", self.get(headers={"if-match": second.headers["ETag"]}))

    def test_a_listing_that_lies(self):
        hostile = [("../x", 1), ("/abs", 1), ("k" * 5000, 1), ("b", -1)]
        self.fail(entries=hostile)
        listed = self.call("GET", "")
        self.assertEqual(list(zip(listed.texts("Contents/Key"), map(int, listed.texts("Contents/Size")))), [("a", 10), *hostile])

    def test_an_answer_that_is_lost(self):
        self.fail(lost=True)
        self.assertRaises(http.client.RemoteDisconnected, self.call, "PUT", "b", b"data")
        self.server.fault = None
        self.assertEqual(self.call("GET", "b").body, b"data")
        self.assertEqual(self.server.log[-2:], [("PUT", "/bucket/b", 0), ("GET", "/bucket/b", 200)])

    def test_only_some_requests(self):
        self.server.fault = lambda request: Fault(error="InternalError") if request.key == "b" and request.method == "PUT" else None
        self.assert_refused("InternalError", self.call("PUT", "b", b"data"))
        self.assertEqual(self.get().status, 200)


class Program(unittest.TestCase):
    def test_it_serves_until_it_is_stopped(self):
        with tempfile.TemporaryDirectory() as root:
            command = [sys.executable, "-B", str(ROOT / "examples/ml_day/s3_server.py"), "--root", root, "--access-key", "key"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ, S3_SECRET_KEY="secret")) as program:
                address = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", program.stdout.readline())
                client = Client(type("Address", (), {"port": int(address[1])}))
                self.assertEqual(client("PUT", "", bucket="new").status, 200)
                program.terminate()
                self.assertEqual((program.stdout.read(), program.wait()), ("", 0))
            unset = subprocess.run(command, stderr=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]})
            self.assertEqual(unset.returncode, 2)
            self.assertIn("S3_SECRET_KEY must be set", unset.stderr)


if __name__ == "__main__":
    unittest.main()
