"""What went wrong, by what the caller can do about it (docs/reference/error_codes.md)."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


class PlatformError(Exception):
    """`code`: such as "not-found"; `status`: HTTP's, 0 where nobody answered; `places`: (JSON pointer, what is wrong there)."""

    def __init__(self, detail: str, code: str = "internal", status: int = 0, places: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code
        self.status = status
        self.places = tuple(places)


class InvalidArgument(PlatformError):
    """The request is wrong in itself."""


class NotFound(PlatformError):
    """There is no such thing, or the caller may not see it."""


class Conflict(PlatformError):
    """The thing is in a state that forbids this now."""


class PermissionDenied(PlatformError):
    """The caller may not do this."""


class Unauthenticated(PlatformError):
    """The caller did not prove who it is: no token, or one that is over."""


class ResourceExhausted(PlatformError):
    """A quota or a limit is used up."""


class Unavailable(PlatformError):
    """Nobody answered, for as long as the client was patient."""


_KINDS: Mapping[str, type[PlatformError]] = {
    "invalid-argument": InvalidArgument, "not-found": NotFound, "conflict": Conflict, "permission-denied": PermissionDenied,
    "unauthenticated": Unauthenticated, "resource-exhausted": ResourceExhausted, "unavailable": Unavailable}


def error_of(status: int, problem: Optional[Mapping[str, Any]]) -> PlatformError:
    """From an answer that is a problem (RFC 9457), or from none that could be read."""
    problem = problem or {}
    code = str(problem.get("code", "internal"))
    places = [(str(one.get("pointer", "")), str(one.get("detail", ""))) for one in problem.get("errors", ())]
    return _KINDS.get(code, PlatformError)(str(problem.get("detail", f"answered with {status}")), code, status, places)
