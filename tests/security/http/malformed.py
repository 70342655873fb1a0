"""Requests that are no HTTP/1.1, or that two readers could read differently, by what is wrong with them."""

LINE = b"GET /api/v1/self HTTP/1.1\r\n"
HOST = b"Host: localhost\r\n"
END = b"\r\n"
BEHIND = b"GET /behind HTTP/1.1\r\nHost: localhost\r\n\r\n"  # what a reader of another mind would take for a request of its own


def get(*fields):
    return LINE + HOST + b"".join(field + b"\r\n" for field in fields) + END


def post(fields, body):
    return b"POST /api/v1/jobs HTTP/1.1\r\n" + HOST + b"".join(field + b"\r\n" for field in fields) + END + body


def lengths():
    """Content-Length that is no number, or is more than one."""
    for value in (b"-1", b"+5", b"0x5", b"5 5", b"5;", b"5,5", b"5, 6", b"", b"five", b"\xb5", b"5.0", b"1e1", b"99999999999999999999", b"18446744073709551616", b"9223372036854775808",
                  b"00000000000000000000000000000000000000005x", b" ", b"5\x00", b"\x005", b"5\t6", b"5\x0b", b"(5)", b"'5'", b"\"5\""):
        yield b"length " + value, post([b"Content-Length: " + value], b"hello" + BEHIND)
    for first, second in ((b"5", b"6"), (b"0", b"5"), (b"5", b"-5"), (b"5", b"x"), (b"5", b"0")):
        yield b"lengths " + first + b" and " + second, post([b"Content-Length: " + first, b"Content-Length: " + second], b"hello" + BEHIND)
    for name in (b"Content-Length ", b"Content_Length\x00", b"Content-Length\t", b" Content-Length", b"\tContent-Length", b"Content-\x00Length", b"Content Length", b"C\xf6ntent-Length"):
        yield b"name " + name, post([name + b": 5"], b"hello" + BEHIND)


def codings():
    """Transfer-Encoding that is not the one there is, or beside a length."""
    for value in (b"chunked, identity", b"identity", b"gzip", b"gzip, chunked, identity", b"chunked, chunked", b"xchunked", b"chunkedx", b"chunk", b"chunked\x00", b"\x0bchunked", b"chunked;q=1",
                  b"\"chunked\"", b"", b",", b"cow", b"chunked, cow", b"compress", b"deflate", b"chunked\r\n gzip", b"\xe2\x80\x8bchunked"):
        yield b"coding " + value, post([b"Transfer-Encoding: " + value], b"0\r\n\r\n" + BEHIND)
    for fields in ([b"Content-Length: 5", b"Transfer-Encoding: chunked"], [b"Transfer-Encoding: chunked", b"Content-Length: 5"], [b"Transfer-Encoding: chunked", b"Content-Length: 0"],
                   [b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"], [b"Transfer-Encoding: identity", b"Transfer-Encoding: chunked"],
                   [b"Transfer-encoding: cow", b"Transfer-Encoding: chunked"], [b"Content-Length: 30", b"Transfer-Encoding: chunked"]):
        yield b"framed twice " + b" | ".join(fields), post(fields, b"0\r\n\r\n" + BEHIND)
    for name in (b"Transfer-Encoding ", b"Transfer-Encoding\t", b" Transfer-Encoding", b"Transfer\x00-Encoding", b"Transfer Encoding", b"Transfer-Encoding\x0b"):
        yield b"name " + name, post([name + b": chunked", b"Content-Length: 5"], b"0\r\n\r\n" + BEHIND)


def folds():
    """A line that is part of the one before, to some."""
    for line in (b" Content-Length: 41", b"\tContent-Length: 41", b" Transfer-Encoding: chunked", b" x", b"\t"):
        yield b"fold " + line, post([b"X: b", line], BEHIND)
    for name in (b"Content-Length:\r\n 5", b"Transfer-Encoding:\r\n chunked", b"Content-Length: 5\r\n 0", b"Host: a\r\n b"):
        yield b"fold " + name, post([b"X: b", name], b"hello" + BEHIND)


def chunks():
    """Chunks whose size or end is wrong, or says more than a size."""
    for body in (b"1;a=b\r\nx\r\n0\r\n\r\n", b"5;a=\"\nAAAA\"\r\n0\r\n\r\n", b"1;\nx\r\nx\r\n0\r\n\r\n", b"1 ;a\r\nx\r\n0\r\n\r\n", b"0;a\r\n\r\n"):
        yield b"extension " + body[:20], post([b"Transfer-Encoding: chunked"], body + BEHIND)
    yield b"no host but behind the body", b"POST /api/v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: a\r\n\r\n" + BEHIND
    for body in (b"ffffffffffffffffff\r\n", b"-1\r\nx\r\n0\r\n\r\n", b"+1\r\nx\r\n0\r\n\r\n", b"0x1\r\nx\r\n0\r\n\r\n", b"g\r\nx\r\n0\r\n\r\n", b"\r\nx\r\n0\r\n\r\n", b"1 1\r\nx\r\n0\r\n\r\n",
                 b"1\r\nxy\r\n0\r\n\r\n", b"2\r\nx\r\n0\r\n\r\n\r\n", b"1\nx\n0\n\n", b"1\r\nx\n0\r\n\r\n", b"1\r\nx0\r\n\r\n", b"8000000000000000\r\nx", b"ffffffffffffffff\r\nx", b"1\x00\r\nx\r\n0\r\n\r\n",
                 b"1\r\nx\r\n\xff\r\n\r\n", b"zz\r\n", b"1,1\r\nx\r\n0\r\n\r\n", b"1\r\r\nx\r\n0\r\n\r\n", b"'1'\r\nx\r\n0\r\n\r\n", b"1" * 40 + b"\r\nx"):
        yield b"chunk " + body[:20], post([b"Transfer-Encoding: chunked"], body + BEHIND)


def lines():
    """First lines that are none."""
    for line in (b"GET", b"GET /", b"GET  / HTTP/1.1", b"GET / HTTP/1.1 ", b" GET / HTTP/1.1", b"GET / HTTP/9.9", b"GET / HTTP/2.0", b"GET / HTTP/1.11", b"GET / HTTP/11", b"GET / http/1.1", b"GET / HTTP/1", b"GET / HTTP/.1",
                 b"GET / HTTP/1.", b"GET / FTP/1.1", b"GET / HTTP 1.1", b"GET / HTTP/a.b", b"GET /\tHTTP/1.1", b"GET\t/ HTTP/1.1", b"GET / HTTP/1.1\x00", b"G\x00T / HTTP/1.1", b"G\xc3\x84T / HTTP/1.1", b"GE(T / HTTP/1.1",
                 b"GE\"T / HTTP/1.1", b"/ HTTP/1.1", b"HTTP/1.1 200 OK", b"GET /a b HTTP/1.1", b"GET /\x00 HTTP/1.1", b"GET /\x7f HTTP/1.1", b"GET /\x01 HTTP/1.1", b"GET \x0b/ HTTP/1.1", b"GET / HTTP/1.1\x0b", b"PRI * HTTP/2.0",
                 b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", b"\x05\x01\x00", b"SSH-2.0-x", b"{}", b"GET / HTTP/-1.1", b"GET / HTTP/1.-1", b"GET / HTTPS/1.1", b"GET / XHTTP/1.1", b"<html>", b"\xef\xbb\xbfGET / HTTP/1.1"):
        yield b"line " + line, line + b"\r\n" + HOST + END + BEHIND


def fields():
    """Fields that are none."""
    for field in (b"Nothing", b": nothing", b" : nothing", b"X\x00: y", b"X: y\x00z", b"X: y\x01z", b"X: y\x7fz", b"X Y: z", b"X\xe4: y", b"X(: y", b"X/: y", b"X@: y", b"X[: y", b"X\": y", b" Folded: x", b"\tFolded: x", b"X: a\rb", b"X: a\r\r\nY: b",
                  b"X :y", b"X\t: y", b"\x00", b"\xff: \xff", b"=: x\x0c\x08", b"X: \x1b[2J", b"{}: x", b"X;: y", b"X,: y", b"X<: y", b"X>: y", b"X?: y", b"X=: y", b"X\\: y", b"X]: y", b"X}: y"):
        yield b"field " + field, get(field) + BEHIND


def hosts():
    """A host that is missing, or could be another one."""
    yield b"no host", LINE + END + BEHIND
    for first, second in ((b"a", b"b"), (b"a", b"a"), (b"", b"a"), (b"localhost", b"localhost:8080")):
        yield b"hosts " + first + b" and " + second, LINE + b"Host: " + first + b"\r\nHost: " + second + b"\r\n" + END + BEHIND
    for value in (b"a b", b"a,b", b"a/b", b"user@a", b"<a>", b"a\tb", b"a;b", b"a?b", b"a#b", b"http://a", b"\"a\"", b"a\\b", b"(a)", b"\xe4", b"a" * 300, b"a\x00b", b"{a}", b"a|b", b"a^b", b"`a`", b"a\x7fb"):
        yield b"host " + value[:20], LINE + b"Host: " + value + b"\r\n" + END + BEHIND


def ends():
    """Ends of lines that are none, so that readers differ in where a request ends."""
    for name, data in ((b"only CR", LINE.replace(b"\r\n", b"\r") + b"Host: localhost\r\r"), (b"NUL at the end", LINE + HOST + b"\x00\r\n"), (b"CR in the line", b"GET /api\r/v1/self HTTP/1.1\r\n" + HOST + END),
                       (b"CR behind the version", b"GET / HTTP/1.1\r\r\n" + HOST + END), (b"LF CR", b"GET / HTTP/1.1\n\r" + HOST + END), (b"two CR before the end", LINE + HOST + b"\r\r\n")):
        yield b"end " + name, data + BEHIND


def sizes():
    """More than anybody needs."""
    yield b"a field of 1 MB", get(b"X: " + b"a" * 1_000_000)
    yield b"a name of 1 MB", get(b"X" * 1_000_000 + b": a")
    yield b"10,000 fields", get(*(b"X-%d: a" % n for n in range(10_000)))
    yield b"a target of 1 MB", b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n" + HOST + END
    yield b"a method of 1 MB", b"G" * 1_000_000 + b" / HTTP/1.1\r\n" + HOST + END
    yield b"a version of 1 MB", b"GET / HTTP/1." + b"1" * 1_000_000 + b"\r\n" + HOST + END
    yield b"a length of 100 GB", post([b"Content-Length: 99999999999"], b"")
    yield b"a chunk of 2 GB", post([b"Transfer-Encoding: chunked"], b"7fffffff\r\n")
    yield b"an extension of a chunk of 1 MB", post([b"Transfer-Encoding: chunked"], b"1;" + b"a" * 1_000_000 + b"\r\nx\r\n0\r\n\r\n")
    yield b"a trailer of 1 MB", post([b"Transfer-Encoding: chunked"], b"0\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n")
    yield b"empty lines for ever", b"\r\n" * 500_000
    yield b"a line without an end", b"A" * 1_000_000


def cases():
    for group in (lengths, codings, folds, chunks, lines, fields, hosts, ends, sizes):
        yield from group()
