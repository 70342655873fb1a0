"""One method for each operation of the API, generated from docs/reference/openapi.json.

Arguments that are not given are not sent.  Replies are documents with the fields of docs/reference/rest.md.  Of a change,
`key` names the request: a repeat with the same key changes nothing; default: a new one.  All raise PlatformError.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence
from urllib.parse import quote

from .connection import Connection


class Operations:
    """The operations over one connection; thread-safe."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def _ask(self, method: str, path: str, key: Optional[str] = None, **fields: Any) -> dict[str, Any]:
        given = {name.rstrip("_"): value for name, value in fields.items() if value is not None}
        if method in ("GET", "DELETE"):
            return dict(self._connection.ask(method, path, given, key=key))
        return dict(self._connection.ask(method, path, body=given, key=key))

    def apply_moves(self, *, job_ids: Optional[Sequence[str]] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Plans again and carries out the moves; operators only. FAILED_PRECONDITION: the plan is no longer possible.

        job_ids: only moves for these pending jobs; empty: for all
        """
        return self._ask("POST", "/api/v1/moves", key=key, job_ids=job_ids)

    def change_incident(self, id: str, *, action: Optional[str] = None, note: Optional[str] = None,
                        key: Optional[str] = None) -> dict[str, Any]:
        """Acknowledges or closes an incident; operators only. Its GPU does not change: see ChangeService.

        note: at most 500 bytes are stored
        """
        return self._ask("POST", f"/api/v1/incidents/{quote(id, safe='')}:change", key=key, action=action, note=note)

    def change_job_queue(self, job_id: str, *, queue: Optional[str] = None,
                         key: Optional[str] = None) -> dict[str, Any]:
        """Moves a pending job to another queue, and to that queue's pool; it keeps its time of submit and its time
        limit. Its owner and admins of its queue may; they and the owner need the role USER in the new one.
        FAILED_PRECONDITION: the job holds resources or is over, or the queue would not admit it."""
        return self._ask("POST", f"/api/v1/jobs/{quote(job_id, safe='')}:move", key=key, queue=queue)

    def change_jobs(self, *, name: Optional[str] = None, action: Optional[str] = None,
                    names: Optional[Sequence[str]] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Stops, holds or releases all jobs that the name stands for. Skips elements of an array that are over, or
        whose state does not allow it. The reply lists the changed jobs.

        names: more of them, by id; at most 10,000
        """
        return self._ask("POST", "/api/v1/jobs:change", key=key, name=name, action=action, names=names)

    def change_node(self, node: str, *, pool: Optional[str] = None, labels: Optional[Mapping[str, Any]] = None,
                    labels_removed: Optional[Sequence[str]] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Changes the pool and the labels of a node.

        labels: labels to set
        labels_removed: names of labels to remove
        """
        return self._ask("PATCH", f"/api/v1/nodes/{quote(node, safe='')}", key=key, pool=pool, labels=labels,
                         labels_removed=labels_removed)

    def change_service(self, *, gpu: Optional[str] = None, node: Optional[str] = None, action: Optional[str] = None,
                       force: Optional[bool] = None, reason: Optional[str] = None, deadline_ms: Optional[int] = None,
                       key: Optional[str] = None) -> dict[str, Any]:
        """Drains, takes offline, resets or brings back a GPU or a node.

        gpu: UUID or a unique prefix, "node/index" or PCI bus id
        node: instead of `gpu`: the whole node
        deadline_ms: DRAIN: time after which jobs that still run there are stopped and queued again; 0: no deadline
        """
        return self._ask("POST", "/api/v1/cluster:service", key=key, gpu=gpu, node=node, action=action, force=force,
                         reason=reason, deadline_ms=deadline_ms)

    def declare_node_lost(self, node: str, *, reason: Optional[str] = None,
                          key: Optional[str] = None) -> dict[str, Any]:
        """Declares that a node will not come back, so that its jobs restart elsewhere now. FAILED_PRECONDITION: the
        node is up."""
        return self._ask("POST", f"/api/v1/nodes/{quote(node, safe='')}:declareLost", key=key, reason=reason)

    def delete_budget(self, *, queue: Optional[str] = None, user: Optional[str] = None, pool: Optional[str] = None,
                      key: Optional[str] = None) -> dict[str, Any]:
        """Deletes a budget; admins of the parent queue. NOT_FOUND: no such budget."""
        return self._ask("DELETE", "/api/v1/budgets", key=key, queue=queue, user=user, pool=pool)

    def delete_queue(self, name: str, *, key: Optional[str] = None) -> dict[str, Any]:
        """Deletes a queue. FAILED_PRECONDITION: it contains jobs or other queues."""
        return self._ask("DELETE", f"/api/v1/queues/{quote(name, safe='')}", key=key)

    def delete_reservation(self, name: str, *, key: Optional[str] = None) -> dict[str, Any]:
        """Ends a reservation; its jobs keep running. NOT_FOUND: no such reservation."""
        return self._ask("DELETE", f"/api/v1/reservations/{quote(name, safe='')}", key=key)

    def delete_secret(self, name: str, *, queue: Optional[str] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Deletes a secret. NOT_FOUND: no such secret."""
        return self._ask("DELETE", f"/api/v1/secrets/{quote(name, safe='')}", key=key, queue=queue)

    def explain_job(self, *, job_id: Optional[str] = None, spec: Optional[Mapping[str, Any]] = None,
                    forecast: Optional[bool] = None, nodes: Optional[bool] = None) -> dict[str, Any]:
        """Explains why a job is pending and what would start it; with a spec: a job that was not submitted. NOT_FOUND:
        no such job; FAILED_PRECONDITION: the job is not pending, or could never start.

        forecast: also forecast its start and cost
        nodes: also explain each node
        """
        return self._ask("POST", "/api/v1/jobs:explain", job_id=job_id, spec=spec, forecast=forecast, nodes=nodes)

    def get_archive(self) -> dict[str, Any]:
        """Returns how far the archive of the journal is. NOT_FOUND: there is none."""
        return self._ask("GET", "/api/v1/archive")

    def get_cluster(self, *, readings: Optional[bool] = None, node: Optional[str] = None,
                    totals_only: Optional[bool] = None, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns nodes and GPUs with their users.

        readings: also the latest temperature, power and utilization of the GPUs
        node: only this node, with its leases; empty: all nodes, without leases
        totals_only: without the GPUs, links and NUMA nodes of each node: short also for very many nodes
        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/cluster", readings=readings, node=node, totals_only=totals_only, stale=stale)

    def get_cluster_alias(self, *, readings: Optional[bool] = None, node: Optional[str] = None,
                          totals_only: Optional[bool] = None, stale: Optional[str] = None) -> dict[str, Any]:
        """The same as GET /api/v1/cluster. Returns nodes and GPUs with their users.

        readings: also the latest temperature, power and utilization of the GPUs
        node: only this node, with its leases; empty: all nodes, without leases
        totals_only: without the GPUs, links and NUMA nodes of each node: short also for very many nodes
        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/gpu/resources", readings=readings, node=node, totals_only=totals_only,
                         stale=stale)

    def get_incident(self, id: str, *, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns one incident with its steps. NOT_FOUND: no such incident, or it is no longer stored.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", f"/api/v1/incidents/{quote(id, safe='')}", stale=stale)

    def get_job(self, job_id: str, *, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns one job with all details. NOT_FOUND: no such job.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", f"/api/v1/jobs/{quote(job_id, safe='')}", stale=stale)

    def get_job_alias(self, job_id: str, *, stale: Optional[str] = None) -> dict[str, Any]:
        """The same as GET /api/v1/jobs/{job_id}. Returns one job with all details. NOT_FOUND: no such job.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", f"/api/workloads/{quote(job_id, safe='')}/status", stale=stale)

    def get_job_metrics(self, job_id: str, *, names: Optional[Sequence[str]] = None, points: Optional[int] = None,
                        superseded: Optional[bool] = None) -> dict[str, Any]:
        """Returns what a job has reported of its training: curves of its metrics over steps. A job without any has no
        series. NOT_FOUND: no such job; INVALID_ARGUMENT: points.

        names: only these metrics; empty: all
        points: limit of each series: neighbours are joined; 1 to 100,000, 0: 500
        superseded: also what later attempts have computed again
        """
        return self._ask("GET", f"/api/v1/jobs/{quote(job_id, safe='')}/metrics", names=names, points=points,
                         superseded=superseded)

    def get_job_report(self, job_id: str, *, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns how a job used its grant, and how much would have been enough (docs/use.md). NOT_FOUND: no such job.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", f"/api/v1/jobs/{quote(job_id, safe='')}/report", stale=stale)

    def get_settings(self) -> dict[str, Any]:
        """Returns the controller's policy and its notification receivers."""
        return self._ask("GET", "/api/v1/settings")

    def get_usage(self, *, from_: Optional[str] = None, until: Optional[str] = None, by: Optional[Sequence[str]] = None,
                  queue: Optional[str] = None, user: Optional[str] = None, pool: Optional[str] = None,
                  stale: Optional[str] = None) -> dict[str, Any]:
        """Returns GPU time and its cost. INVALID_ARGUMENT: from, until, by; NOT_FOUND: no such queue.

        from_: first day; empty: the first of this month
        until: last day; empty: today
        queue: only jobs of this queue and those below it
        user: only jobs of this user
        pool: only this pool
        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/usage", from_=from_, until=until, by=by, queue=queue, user=user, pool=pool,
                         stale=stale)

    def get_usage_alias(self, *, from_: Optional[str] = None, until: Optional[str] = None,
                        by: Optional[Sequence[str]] = None, queue: Optional[str] = None, user: Optional[str] = None,
                        pool: Optional[str] = None, stale: Optional[str] = None) -> dict[str, Any]:
        """The same as GET /api/v1/usage. Returns GPU time and its cost. INVALID_ARGUMENT: from, until, by; NOT_FOUND:
        no such queue.

        from_: first day; empty: the first of this month
        until: last day; empty: today
        queue: only jobs of this queue and those below it
        user: only jobs of this user
        pool: only this pool
        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/costs/analysis", from_=from_, until=until, by=by, queue=queue, user=user,
                         pool=pool, stale=stale)

    def grant_role(self, subject: str, *, queue: Optional[str] = None, role: Optional[str] = None,
                   key: Optional[str] = None) -> dict[str, Any]:
        """Grants a user a role in a queue or in all queues, or removes it; admins of the queue. NOT_FOUND: no such
        queue.

        role: empty: removes the grant
        """
        return self._ask("PUT", f"/api/v1/roles/{quote(subject, safe='')}", key=key, queue=queue, role=role)

    def hold_job(self, job_id: str, *, key: Optional[str] = None) -> dict[str, Any]:
        """Holds a pending job, so that it does not start. FAILED_PRECONDITION: the job is not pending."""
        return self._ask("POST", f"/api/v1/jobs/{quote(job_id, safe='')}:hold", key=key)

    def issue_join_token(self, node: str, *, life_ms: Optional[int] = None,
                         key: Optional[str] = None) -> dict[str, Any]:
        """Makes a join token with which the agent of this node gets its first certificate, once
        (docs/reference/access.md). It replaces one that the node had. FAILED_PRECONDITION: there are too many, or a
        request with this id was answered before.

        node: name; 1 to 253 letters, digits, dots, dashes and underscores; the node need not exist
        life_ms: 0: 30 minutes; at most 7 days
        """
        return self._ask("POST", f"/api/v1/nodes/{quote(node, safe='')}/join-token", key=key, life_ms=life_ms)

    def issue_token(self, *, label: Optional[str] = None, user: Optional[str] = None, role: Optional[str] = None,
                    queue: Optional[str] = None, life_ms: Optional[int] = None,
                    key: Optional[str] = None) -> dict[str, Any]:
        """Creates a token, with which programs act as a user. PERMISSION_DENIED: it would exceed the caller's
        permissions.

        label: 1 to 128 characters
        user: empty: the caller; other users: admins only
        role: empty: "user"
        life_ms: 0: 30 days; at most 366 days
        """
        return self._ask("POST", "/api/v1/tokens", key=key, label=label, user=user, role=role, queue=queue,
                         life_ms=life_ms)

    def list_audit(self, *, user: Optional[str] = None, operation: Optional[str] = None, object: Optional[str] = None,
                   before: Optional[int] = None, limit: Optional[int] = None,
                   refused: Optional[bool] = None) -> dict[str, Any]:
        """Returns the changes and refused requests with their users.

        user: empty: all users
        operation: empty: any
        object: "job-5", "dgx-1", "research"; empty: any
        before: only entries with lower numbers; 0: from the newest
        limit: 0: 100; at most 10,000
        refused: only refused requests
        """
        return self._ask("GET", "/api/v1/audit", user=user, operation=operation, object=object, before=before,
                         limit=limit, refused=refused)

    def list_budgets(self, *, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns budgets with their standings: of queues where the caller is at least viewer, and of its own usage.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/budgets", stale=stale)

    def list_controllers(self) -> dict[str, Any]:
        """Returns the controllers of this cluster, by name."""
        return self._ask("GET", "/api/v1/controllers")

    def list_images(self, *, node: Optional[str] = None) -> dict[str, Any]:
        """Returns the images that nodes hold, of each node the last used first. NOT_FOUND: no such node.

        node: only of this node; empty: of all
        """
        return self._ask("GET", "/api/v1/images", node=node)

    def list_incidents(self, *, all: Optional[bool] = None, node: Optional[str] = None, limit: Optional[int] = None,
                       stale: Optional[str] = None) -> dict[str, Any]:
        """Returns incidents, newest first.

        all: closed incidents too
        node: only this node
        limit: 0: 100; at most 1,000
        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/incidents", all=all, node=node, limit=limit, stale=stale)

    def list_jobs(self, *, all: Optional[bool] = None, user: Optional[str] = None,
                  states: Optional[Sequence[str]] = None, limit: Optional[int] = None, after: Optional[str] = None,
                  name: Optional[str] = None, arrays_as_one: Optional[bool] = None,
                  job_names: Optional[Sequence[str]] = None, queues: Optional[Sequence[str]] = None,
                  projects: Optional[Sequence[str]] = None, labels: Optional[Sequence[str]] = None,
                  since_ms: Optional[int] = None, held: Optional[bool] = None,
                  stale: Optional[str] = None) -> dict[str, Any]:
        """Returns one page of jobs, newest last. Efficient at any number of jobs: the server filters and pages.

        all: finished jobs too
        user: empty: all users
        states: empty: all states
        limit: 0: 100; at most 10,000
        after: job id: the page starts after it
        name: only jobs that this name stands for, including finished ones; empty: all jobs
        arrays_as_one: one entry per array, with `elements`; only `id`, `spec` and the user are valid for all elements
        job_names: only jobs with one of these names; empty: all; at most 100 values of each filter
        queues: only jobs of these queues and those below them; empty: all
        projects: empty: all
        labels: "name=value", or "name" with any value: only jobs with all of these, whose labels the caller may read
        since_ms: Unix time: only jobs that were not over before; 0: all
        held: only held jobs
        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/jobs", all=all, user=user, states=states, limit=limit, after=after, name=name,
                         arrays_as_one=arrays_as_one, job_names=job_names, queues=queues, projects=projects,
                         labels=labels, since_ms=since_ms, held=held, stale=stale)

    def list_queues(self, *, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns queues and pools with their limits, holdings and usage.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/queues", stale=stale)

    def list_reservations(self, *, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns the advance reservations; every user sees all of them.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/reservations", stale=stale)

    def list_roles(self, *, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns the roles of users.

        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/roles", stale=stale)

    def list_secrets(self) -> dict[str, Any]:
        """Returns the names of secrets; their values are never shown."""
        return self._ask("GET", "/api/v1/secrets")

    def list_tokens(self, *, all: Optional[bool] = None, stale: Optional[str] = None) -> dict[str, Any]:
        """Returns the caller's tokens, without their secrets.

        all: tokens of all users; admins only
        stale: How old the state may be that answers, such as 5s: at listen.reads of one of several controllers. The
            header State-Age tells its age in seconds
        """
        return self._ask("GET", "/api/v1/tokens", all=all, stale=stale)

    def plan_moves(self, *, job_ids: Optional[Sequence[str]] = None) -> dict[str, Any]:
        """Returns the stranded GPUs, and moves of running jobs that let pending jobs start (docs/defragmentation.md).
        Changes nothing.

        job_ids: only moves for these pending jobs; empty: for all
        """
        return self._ask("GET", "/api/v1/moves", job_ids=job_ids)

    def prune_images(self, node: str, *, image: Optional[str] = None, unused_for_ms: Optional[int] = None,
                     dry_run: Optional[bool] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Removes unpacked layers of images from a node, the longest unused first; layers that attempts use stay.
        Repeat the call while the reply has `more`. NOT_FOUND: no such node; UNAVAILABLE: the node's agent is not
        connected, or does not answer; FAILED_PRECONDITION: the node does not offer it (feature image-care), or its
        agent reports an error.

        image: Only layers of this image that no other image has: its name, or its digest or 12 digits or more of it
            ("sha256:…"); empty: all layers.
        unused_for_ms: only layers that no attempt has used for this time; 0: all
        dry_run: removes nothing
        """
        return self._ask("POST", f"/api/v1/nodes/{quote(node, safe='')}/images:prune", key=key, image=image,
                         unused_for_ms=unused_for_ms, dry_run=dry_run)

    def raise_format(self, *, force: Optional[bool] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Records are written in the newest format that every controller reads; admins. It happens by itself once all
        that have ever told of themselves read it. CONFLICT: they read no newer one than is written.

        force: controllers that are silent need not read it
        """
        return self._ask("POST", "/api/v1/controllers:raise-format", key=key, force=force)

    def read_journal(self, *, after: Optional[int] = None, base_offset: Optional[int] = None) -> dict[str, Any]:
        """Returns records of the journal, for backups (`admin backup`). INVALID_ARGUMENT: the journal ends before
        `after`.

        after: only records with higher numbers; 0: from the first record
        base_offset: if the reply contains a base: only its state from this byte on
        """
        return self._ask("GET", "/api/v1/journal", after=after, base_offset=base_offset)

    def release_job(self, job_id: str, *, key: Optional[str] = None) -> dict[str, Any]:
        """Releases a held job, so that it may start again. FAILED_PRECONDITION: the job is not held."""
        return self._ask("POST", f"/api/v1/jobs/{quote(job_id, safe='')}:release", key=key)

    def reload_config(self, *, key: Optional[str] = None) -> dict[str, Any]:
        """Reads the files of `serve --policy` and `--notify` again; admins. INVALID_ARGUMENT: all errors in the files;
        nothing has changed then."""
        return self._ask("POST", "/api/v1/settings:reload", key=key)

    def remove_controller(self, name: str, *, key: Optional[str] = None) -> dict[str, Any]:
        """Forgets a controller that is gone for good; admins. CONFLICT: it lives; NOT_FOUND."""
        return self._ask("DELETE", f"/api/v1/controllers/{quote(name, safe='')}", key=key)

    def reserve_nodes(self, name: str, *, pool: Optional[str] = None, nodes: Optional[Sequence[str]] = None,
                      count: Optional[int] = None, start_ms: Optional[int] = None, end_ms: Optional[int] = None,
                      users: Optional[Sequence[str]] = None, queues: Optional[Sequence[str]] = None,
                      note: Optional[str] = None, maintenance: Optional[bool] = None,
                      key: Optional[str] = None) -> dict[str, Any]:
        """Reserves nodes (docs/queues.md). FAILED_PRECONDITION names the conflict: another reservation, a job that may
        still run then, or a reservation of the same name.

        pool: empty: "default"
        nodes: names; or
        count: number of nodes: the emptiest that can be free in time
        start_ms: ms since 1970, UTC; in the past: now
        """
        return self._ask("PUT", f"/api/v1/reservations/{quote(name, safe='')}", key=key, pool=pool, nodes=nodes,
                         count=count, start_ms=start_ms, end_ms=end_ms, users=users, queues=queues, note=note,
                         maintenance=maintenance)

    def revoke_node(self, node: str, *, key: Optional[str] = None) -> dict[str, Any]:
        """Revokes the certificates of a node's agent: it is disconnected, and must join again with the join token.
        NOT_FOUND: the node has no certificate.

        node: name; the node need not be connected
        """
        return self._ask("DELETE", f"/api/v1/nodes/{quote(node, safe='')}/certificate", key=key)

    def revoke_token(self, id: str, *, key: Optional[str] = None) -> dict[str, Any]:
        """Revokes a token: the caller's own, or for admins any. NOT_FOUND: no such token, or it has ended."""
        return self._ask("DELETE", f"/api/v1/tokens/{quote(id, safe='')}", key=key)

    def set_budget(self, *, queue: Optional[str] = None, user: Optional[str] = None, pool: Optional[str] = None,
                   gpu_hours: Optional[int] = None, money: Optional[float] = None,
                   warn_at: Optional[Sequence[int]] = None, over: Optional[str] = None,
                   key: Optional[str] = None) -> dict[str, Any]:
        """Creates or changes a budget; absent fields stay unchanged; admins of the parent queue. INVALID_ARGUMENT: the
        resulting budget; NOT_FOUND: no such queue.

        gpu_hours: absent, as for the following fields: unchanged, or the default
        money: rounded to millionths
        warn_at: empty: unchanged; default: 50, 80, 100
        over: warn, demote, refuse or hold; default: warn
        """
        return self._ask("PUT", "/api/v1/budgets", key=key, queue=queue, user=user, pool=pool, gpu_hours=gpu_hours,
                         money=money, warn_at=warn_at, over=over)

    def set_priority(self, job_id: str, *, priority: Optional[int] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Changes the priority of a job: its user may lower it, admins of the queue may set it.

        priority: 0 to 1000
        """
        return self._ask("POST", f"/api/v1/jobs/{quote(job_id, safe='')}:prioritize", key=key, priority=priority)

    def set_queue(self, name: str, *, pool: Optional[str] = None, weight: Optional[int] = None,
                  guaranteed: Optional[int] = None, reclaimable: Optional[bool] = None,
                  limit: Optional[Mapping[str, Any]] = None, user_limit: Optional[Mapping[str, Any]] = None,
                  default_time_ms: Optional[int] = None, max_time_ms: Optional[int] = None,
                  min_gpus: Optional[int] = None, wait_target_ms: Optional[int] = None, network: Optional[str] = None,
                  key: Optional[str] = None) -> dict[str, Any]:
        """Creates or changes a queue; absent fields stay unchanged. NOT_FOUND: no such parent queue;
        FAILED_PRECONDITION: the guarantees would exceed the installed GPUs, or jobs prevent the change.

        weight: 1 to 1000
        guaranteed: GPUs
        default_time_ms: time limit of jobs without one; 0: none
        max_time_ms: longest time limit; 0: no limit
        min_gpus: fewest GPUs of a job; 0: any number
        wait_target_ms: how soon its jobs should start; 0: no target
        network: none: jobs that are submitted from now on have no network; those on several nodes are refused
        """
        return self._ask("PUT", f"/api/v1/queues/{quote(name, safe='')}", key=key, pool=pool, weight=weight,
                         guaranteed=guaranteed, reclaimable=reclaimable, limit=limit, user_limit=user_limit,
                         default_time_ms=default_time_ms, max_time_ms=max_time_ms, min_gpus=min_gpus,
                         wait_target_ms=wait_target_ms, network=network)

    def set_secret(self, name: str, *, queue: Optional[str] = None, value: Optional[str] = None,
                   key: Optional[str] = None) -> dict[str, Any]:
        """Stores a secret for the caller's own jobs, or, by an admin of a queue, for the jobs of that queue.

        queue: empty: for the caller's own jobs
        value: at most 64 KiB, without zero bytes
        """
        return self._ask("PUT", f"/api/v1/secrets/{quote(name, safe='')}", key=key, queue=queue, value=value)

    def set_time_limit(self, job_id: str, *, time_limit_ms: Optional[int] = None, longer_by_ms: Optional[int] = None,
                       force: Optional[bool] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Changes the time limit of a job that has one: its user, unless other jobs wait for its GPUs; operators of the
        queue with `force`. FAILED_PRECONDITION names the conflict: a reservation, pending jobs, a budget.

        time_limit_ms: of the attempt, from its placement; or
        longer_by_ms: added to the current limit
        force: even if other jobs wait for its GPUs; operators of its queue
        """
        return self._ask("POST", f"/api/v1/jobs/{quote(job_id, safe='')}:setTimeLimit", key=key,
                         time_limit_ms=time_limit_ms, longer_by_ms=longer_by_ms, force=force)

    def step_down(self, *, key: Optional[str] = None) -> dict[str, Any]:
        """The leader gives the lead up to a standby; admins. Its process ends with exit code 4, and is a standby when
        its service manager has started it again. CONFLICT: no standby could take over."""
        return self._ask("POST", "/api/v1/controllers:step-down", key=key)

    def stop_job(self, job_id: str, *, force: Optional[bool] = None, key: Optional[str] = None) -> dict[str, Any]:
        """Stops a job, and kills it after its grace period. FAILED_PRECONDITION: the job is over.

        force: without a grace period
        """
        return self._ask("POST", f"/api/v1/jobs/{quote(job_id, safe='')}:stop", key=key, force=force)

    def submit_jobs(self, *, specs: Optional[Sequence[Mapping[str, Any]]] = None, count: Optional[int] = None,
                    key: Optional[str] = None) -> dict[str, Any]:
        """Submits jobs. A repeated call with the same request id returns the same jobs. INVALID_ARGUMENT: a spec is
        invalid, and none was queued; FAILED_PRECONDITION: the request id was used for other specs.

        count: copies of each spec, not for arrays; 0 counts as 1; at most 10,000 jobs in total
        """
        return self._ask("POST", "/api/v1/jobs", key=key, specs=specs, count=count)

    def submit_jobs_alias(self, *, specs: Optional[Sequence[Mapping[str, Any]]] = None, count: Optional[int] = None,
                          key: Optional[str] = None) -> dict[str, Any]:
        """The same as POST /api/v1/jobs. Submits jobs. A repeated call with the same request id returns the same jobs.
        INVALID_ARGUMENT: a spec is invalid, and none was queued; FAILED_PRECONDITION: the request id was used for other
        specs.

        count: copies of each spec, not for arrays; 0 counts as 1; at most 10,000 jobs in total
        """
        return self._ask("POST", "/api/workloads/submit", key=key, specs=specs, count=count)

    def who_am_i(self) -> dict[str, Any]:
        """Returns the caller's identity and roles."""
        return self._ask("GET", "/api/v1/self")
