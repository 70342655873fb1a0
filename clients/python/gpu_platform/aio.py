"""The client for asyncio: the same calls, each on a thread, so that the event loop does not block."""

from __future__ import annotations

import asyncio
import copy
import threading
from typing import Any, AsyncIterator, Callable, Iterator, Mapping, Optional, Sequence, TypeVar

from .client import Client, Job, JobState
from .connection import Event

_T = TypeVar("_T")
_HELD_MAX = 64  # events read ahead of the consumer


async def _each(client: Client, begin: Callable[[Client], Iterator[_T]]) -> AsyncIterator[_T]:
    """Yields the items of a blocking iterator.  When the consumer stops, its thread ends within one heartbeat."""
    loop = asyncio.get_running_loop()
    held: asyncio.Queue[tuple[bool, Any]] = asyncio.Queue(_HELD_MAX)
    is_gone = threading.Event()
    own = copy.copy(client)
    own.connection = client.connection.until(is_gone)

    def put(is_last: bool, value: Any) -> None:
        if is_gone.is_set():
            return
        waiting = asyncio.run_coroutine_threadsafe(held.put((is_last, value)), loop)
        while not is_gone.is_set():
            try:
                return waiting.result(0.2)
            except TimeoutError:  # the consumer is slow or gone
                continue
        waiting.cancel()

    def read() -> None:
        try:
            for one in begin(own):
                put(False, one)
            put(True, None)
        except BaseException as error:  # raised in the consumer
            put(True, error)

    threading.Thread(target=read, daemon=True).start()
    try:
        while True:
            is_last, value = await held.get()
            if is_last and value is not None:
                raise value
            if is_last:
                return
            yield value
    finally:
        is_gone.set()


class AsyncJob:
    """The asyncio version of Job."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def __repr__(self) -> str:
        return f"Async{self.job!r}"

    @property
    def id(self) -> str:
        return self.job.id

    @property
    def fields(self) -> Mapping[str, Any]:
        return self.job.fields

    @property
    def exit_code(self) -> Optional[int]:
        return self.job.exit_code

    @property
    def reason(self) -> str:
        return self.job.reason

    async def state(self) -> JobState:
        return (await asyncio.to_thread(self.job.refresh)).state

    async def refresh(self) -> AsyncJob:
        await asyncio.to_thread(self.job.refresh)
        return self

    async def wait(self, timeout: Optional[float] = None) -> AsyncJob:
        """Waits until the job is over.  Raises TimeoutError after `timeout` seconds; the job keeps running."""

        async def until_over() -> None:
            async for _ in self.watch():
                pass

        try:
            await asyncio.wait_for(until_over(), timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"{self.id} is {self.fields.get('state', 'in an unknown state')}") from None
        return self if self.job.state.is_over else await self.refresh()

    async def watch(self) -> AsyncIterator[AsyncJob]:
        async for fields in _each(self.job.client, lambda client: (now.fields for now in Job(client, self.job.fields).watch())):
            self.job.fields = fields
            yield self

    async def follow(self, rank: int = 0, errors: bool = False) -> AsyncIterator[str]:
        async for piece in _each(self.job.client, lambda client: Job(client, self.job.fields).follow(rank, errors)):
            yield piece

    async def follow_bytes(self, rank: int = 0, errors: bool = False) -> AsyncIterator[bytes]:
        async for piece in _each(self.job.client, lambda client: Job(client, self.job.fields).follow_bytes(rank, errors)):
            yield piece

    async def output(self, rank: int = 0, errors: bool = False, attempt: int = 0) -> bytes:
        return await asyncio.to_thread(self.job.output, rank, errors, attempt)

    async def logs(self, rank: int = 0, attempt: int = 0) -> str:
        return await asyncio.to_thread(self.job.logs, rank, attempt)

    async def stop(self, force: bool = False) -> AsyncJob:
        await asyncio.to_thread(self.job.stop, force)
        return self

    cancel = stop

    async def hold(self) -> AsyncJob:
        await asyncio.to_thread(self.job.hold)
        return self

    async def release(self) -> AsyncJob:
        await asyncio.to_thread(self.job.release)
        return self

    async def set_priority(self, priority: int) -> AsyncJob:
        await asyncio.to_thread(self.job.set_priority, priority)
        return self

    async def extend(self, by: Optional[float] = None, to: Optional[float] = None, force: bool = False) -> AsyncJob:
        await asyncio.to_thread(self.job.extend, by, to, force)
        return self

    async def report(self) -> dict[str, Any]:
        return await asyncio.to_thread(self.job.report)

    async def explain(self, forecast: bool = True) -> dict[str, Any]:
        return await asyncio.to_thread(self.job.explain, forecast)


class AsyncClient:
    """The asyncio version of Client."""

    def __init__(self, server: Optional[str] = None, token: Optional[str] = None, authority: Optional[str] = None,
                 timeout: float = 60.0, patience: float = 30.0) -> None:
        self.client = Client(server, token, authority, timeout, patience)

    async def submit(self, command: Sequence[str], *, request_id: Optional[str] = None, **asks: Any) -> AsyncJob:
        return AsyncJob(await asyncio.to_thread(lambda: self.client.submit(command, request_id=request_id, **asks)))

    async def submit_specs(self, specs: Sequence[Mapping[str, Any]], request_id: Optional[str] = None) -> list[AsyncJob]:
        return [AsyncJob(job) for job in await asyncio.to_thread(self.client.submit_specs, specs, request_id)]

    async def run(self, command: Sequence[str], **asks: Any) -> AsyncJob:
        return await (await self.submit(command, **asks)).wait()

    async def job(self, job_id: str) -> AsyncJob:
        return AsyncJob(await asyncio.to_thread(self.client.job, job_id))

    async def jobs(self, **which: Any) -> list[AsyncJob]:
        return [AsyncJob(job) for job in await asyncio.to_thread(lambda: list(self.client.jobs(**which)))]

    async def explain(self, command: Sequence[str], **asks: Any) -> dict[str, Any]:
        return await asyncio.to_thread(lambda: self.client.explain(command, **asks))

    async def cluster(self, readings: bool = False) -> dict[str, Any]:
        return await asyncio.to_thread(self.client.cluster, readings)

    async def queues(self) -> list[dict[str, Any]]:
        return await asyncio.to_thread(self.client.queues)

    async def whoami(self) -> dict[str, Any]:
        return await asyncio.to_thread(self.client.whoami)

    async def events(self, kinds: Sequence[str] = (), since: str = "") -> AsyncIterator[Event]:
        async for event in _each(self.client, lambda client: client.events(kinds, since)):
            yield event
