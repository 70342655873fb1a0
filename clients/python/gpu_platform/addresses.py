"""The addresses of a cluster's controllers, and the connections to them."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import urllib.parse
from typing import Optional

from .errors import InvalidArgument

SERVERS_MAX = 16

_LOCAL = ("localhost", "127.0.0.1", "::1")
# With other addresses left: a process that is suspended accepts connections, and says nothing.
_CONNECT_S = 3.0
# The name that the certificate of every controller has, and no other one of its authority.
_CONTROLLER_NAME = "controller.gpu-platform"
_WRONG_NAME = (62, 64)  # of OpenSSL: another host, another IP address
_SILENCE = (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 10_000))


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class _RelayedConnection(http.client.HTTPSConnection):
    """To a controller that may pass it on to another one, whose certificate has other names of hosts."""

    def __init__(self, host: str, port: Optional[int], timeout: float, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=timeout, context=context)
        self._tls = context

    def connect(self) -> None:
        try:
            super().connect()
        except ssl.SSLCertVerificationError as error:
            if error.verify_code not in _WRONG_NAME:
                raise
            self.close()
            http.client.HTTPConnection.connect(self)
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=_CONTROLLER_NAME)


class Servers:
    """The places of `server`: a run directory, a URL, or URLs with commas between them.

    Callers stay with one while it answers, and leave it for the next when nobody answers there.
    """

    def __init__(self, server: str, token: Optional[str], authority: Optional[str]) -> None:
        self._directory = server
        self._urls = [_url(one.strip(), token) for one in server.split(",")] if "://" in server else []
        if len(self._urls) > SERVERS_MAX:
            raise InvalidArgument(f"server: at most {SERVERS_MAX} addresses, not {len(self._urls)}", "invalid-argument")
        self._own_names = authority is not None
        self._tls = _make_tls(authority) if any(url.scheme == "https" for url in self._urls) else None
        self._present = 0

    def __len__(self) -> int:
        return max(len(self._urls), 1)

    @property
    def present(self) -> int:
        return self._present

    def leave(self, place: int) -> None:
        """Goes on to the next one, unless another thread did."""
        if self._present == place:
            self._present = (place + 1) % len(self)

    def open(self, place: int, timeout: float) -> http.client.HTTPConnection:
        """A connection; with several addresses one that is made already."""
        if not self._urls:
            return _UnixConnection(os.path.join(self._directory, "http.sock"), timeout)
        if len(self._urls) == 1:
            return self._to(self._urls[0], timeout)
        line = self._to(self._urls[place], min(timeout, _CONNECT_S))
        try:
            line.connect()
            line.sock.settimeout(timeout)
            line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for name, value in _SILENCE:
                if hasattr(socket, name):
                    line.sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        except BaseException:
            line.close()
            raise
        return line

    def _to(self, url: urllib.parse.SplitResult, timeout: float) -> http.client.HTTPConnection:
        host = url.hostname or ""
        if url.scheme == "http" or self._tls is None:
            return http.client.HTTPConnection(host, url.port, timeout=timeout)
        if len(self._urls) > 1 and self._own_names:
            return _RelayedConnection(host, url.port, timeout, self._tls)
        return http.client.HTTPSConnection(host, url.port, timeout=timeout, context=self._tls)


def _url(text: str, token: Optional[str]) -> urllib.parse.SplitResult:
    url = urllib.parse.urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise InvalidArgument(f"server: {text!r} is neither a URL such as http://127.0.0.1:8080 nor a directory", "invalid-argument")
    if url.scheme == "http" and token and url.hostname not in _LOCAL:
        raise InvalidArgument("server: tokens are sent over http only to this machine; use https", "invalid-argument")
    return url


def _make_tls(authority: Optional[str]) -> ssl.SSLContext:
    if authority is None:
        return ssl.create_default_context()
    if "-----BEGIN" in authority:
        return ssl.create_default_context(cadata=authority)
    return ssl.create_default_context(cafile=authority)
