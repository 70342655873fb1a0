"""The controller over HTTP, as a program with nothing but a socket uses it."""

import http.client
import json
import socket


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=30):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Events:
    """What a browser's EventSource does, one event at a time; `connection`: a fresh one, which it closes."""

    def __init__(self, connection, path, headers=None):
        self.connection = connection
        connection.request("GET", path, headers=headers or {})
        self.reply = connection.getresponse()
        self.status = self.reply.status

    def next(self):
        """(id, kind, data) of the next event, comments and settings passed over; None: the stream is over."""
        fields = {}
        while True:
            try:
                line = self.reply.readline().decode()
            except (http.client.IncompleteRead, ConnectionResetError):
                return None
            if line == "":
                return None
            line = line.rstrip("\n")
            if line == "" and "data" in fields:
                return fields.get("id"), fields["event"], json.loads(fields["data"])
            if line == "":
                fields = {}
            elif not line.startswith(":"):
                name, value = line.split(": ", 1)
                fields[name] = value

    def until(self, is_it):
        """All events up to the first whose data is it; the last is None where the stream ended before."""
        seen = []
        while True:
            event = self.next()
            seen.append(event)
            if event is None or is_it(event[2]):
                return seen

    def close(self):
        self.reply.close()  # it has the socket, where the server closes behind it
        self.connection.close()
