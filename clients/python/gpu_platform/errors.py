"""Errors by what the caller can do about them (docs/reference/error_codes.md)."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


class PlatformError(Exception):
    """`code`: for example "not-found"; `status`: HTTP status, 0 without a reply; `places`: (JSON pointer, what is wrong there)."""

    def __init__(self, detail: str, code: str = "internal", status: int = 0, places: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.places = tuple(places)


class InvalidArgument(PlatformError):
    """The request is invalid."""


class NotFound(PlatformError):
    """The object does not exist, or the caller may not see it."""


class Conflict(PlatformError):
    """The current state of the object does not allow this."""


class PermissionDenied(PlatformError):
    """The caller may not do this."""


class Unauthenticated(PlatformError):
    """The caller is not authenticated: no token, or an expired one."""


class ResourceExhausted(PlatformError):
    """A quota or limit is exhausted."""


class Unavailable(PlatformError):
    """The server did not answer within the client's patience."""


_KINDS: Mapping[str, type[PlatformError]] = {
    "invalid-argument": InvalidArgument, "not-found": NotFound, "conflict": Conflict, "permission-denied": PermissionDenied,
    "unauthenticated": Unauthenticated, "resource-exhausted": ResourceExhausted, "unavailable": Unavailable}


def error_of(status: int, problem: Optional[Mapping[str, Any]]) -> PlatformError:
    """Makes an error of a problem reply (RFC 9457), or of one that could not be read."""
    problem = problem or {}
    code = str(problem.get("code", "internal"))
    places = [(str(one.get("pointer", "")), str(one.get("detail", ""))) for one in problem.get("errors", ())]
    return _KINDS.get(code, PlatformError)(str(problem.get("detail", f"HTTP status {status}")), code, status, places)
