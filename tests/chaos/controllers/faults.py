"""Faults of controllers, their networks, disks and clocks, and of etcd, drawn by a seed: each one begins, lasts and is healed."""

import os
import signal
import time

from fleet import PORT


class Faults:
    """`counts`: kind -> how often.  Each kind comes once before any comes again."""

    def __init__(self, fleet, random, longest, say, only=(), ahead=False):
        self._fleet = fleet
        self._random = random
        self._longest = longest
        self._say = say
        self._only = only  # these, in this order, again and again
        self._ahead = ahead  # clocks go ahead too
        self._deck = []
        self.counts = {}
        self.kinds = {
            "kill-leader": self._kill_leader,
            "kill-standby": self._kill_standby,
            "stop-leader": self._stop_leader,
            "pause-leader": lambda: self._pause(self._leader()),
            "pause-standby": lambda: self._pause(self._standby()),
            "cut-leader-etcd": lambda: self._cut_etcd(self._leader(), True, True),
            "cut-leader-to-etcd": lambda: self._cut_etcd(self._leader(), False, True),
            "cut-etcd-to-leader": lambda: self._cut_etcd(self._leader(), True, False),
            "cut-standby-etcd": lambda: self._cut_etcd(self._standby(), True, True),
            "cut-leader-agents": lambda: self._cut_agents(self._leader(), True, True),
            "cut-agents-to-leader": lambda: self._cut_agents(self._leader(), True, False),
            "kill-etcd-member": lambda: self._kill_etcd(self._random.randrange(3)),
            "kill-etcd-leader": lambda: self._kill_etcd(self._fleet.leader_of_etcd()),
            "pause-etcd-member": lambda: self._pause_etcd(self._random.randrange(3)),
            "pause-etcd-leader": lambda: self._pause_etcd(self._fleet.leader_of_etcd()),
            "full-disk-leader": lambda: self._fill_disk(self._leader()),
            "full-disk-standby": lambda: self._fill_disk(self._standby()),
        }
        if fleet.has_clocks:
            self.kinds["clock-leader"] = lambda: self._step_clock(self._leader())
            self.kinds["clock-standby"] = lambda: self._step_clock(self._standby())

    def next(self):
        """One fault from its begin to its healing.  The cluster must be well before."""
        if not self._deck and self._only:
            self._deck = list(reversed(self._only))
        elif not self._deck:
            self._deck = sorted(self.kinds)
            self._random.shuffle(self._deck)
        kind = self._deck.pop()
        begun = time.monotonic()
        words = self.kinds[kind]()
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self._say(f"{kind} {words}, {time.monotonic() - begun:.1f} s")

    # Who it happens to.

    def _leader(self):
        return self._fleet.controller

    def _standby(self):
        return self._random.choice([one for one in self._fleet.controllers if one is not self._leader()])

    def _last(self, least=0.5):
        """Lasts for some time, up to the longest one, mostly short; whoever ends meanwhile is started again."""
        seconds = least + (self._longest - least) * self._random.random() ** 2
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, 1.0))
            self._fleet.collect_ends()
        return f"{seconds:.1f} s"

    # What happens.

    def _kill_leader(self):
        leader = self._leader()
        leader.kill()
        time.sleep(self._random.uniform(0, 3))
        leader.start()
        return leader.name

    def _kill_standby(self):
        standby = self._standby()
        standby.kill()
        time.sleep(self._random.uniform(0, 3))
        standby.start()
        return standby.name

    def _stop_leader(self):
        leader = self._leader()
        code = leader.stop()
        time.sleep(self._random.uniform(0, 2))
        leader.start()
        if code != 0:
            self._fleet.own_ends.append((leader.name, code))
        return leader.name

    def _pause(self, one):
        one.pause()
        try:
            lasted = self._last(least=1.0)
        finally:
            one.resume()
        return f"{one.name} {lasted}"

    def _cut(self, one, incoming, outgoing, least):
        k = self._fleet.index(one)
        self._fleet.networks.cut(k, incoming, outgoing)
        try:
            lasted = self._last(least)
        finally:
            self._fleet.networks.heal(k)
        return f"{one.name} {lasted}"

    def _cut_etcd(self, one, incoming, outgoing):
        ports = "{" + ", ".join(map(str, self._fleet.etcd.client_ports)) + "}"
        return self._cut(one, [f"tcp sport {ports}"] if incoming else [], [f"tcp dport {ports}"] if outgoing else [], 2.5)

    def _cut_agents(self, one, incoming, outgoing):
        return self._cut(one, [f"tcp dport {PORT}"] if incoming else [], [f"tcp sport {PORT}"] if outgoing else [], 2.0)

    def _kill_etcd(self, k):
        if k is None:
            return "no leader of etcd found"
        self._fleet.etcd.kill(k)
        try:
            lasted = self._last()
        finally:
            self._fleet.etcd.start_again(k)
        return f"member {k} {lasted}"

    def _pause_etcd(self, k):
        if k is None:
            return "no leader of etcd found"
        member = self._fleet.etcd.members[k]
        os.kill(member.pid, signal.SIGSTOP)
        try:
            lasted = self._last(least=1.0)
        finally:
            os.kill(member.pid, signal.SIGCONT)
        return f"member {k} {lasted}"

    def _fill_disk(self, one):
        """A running one has reserved some room for its journal.  One that starts there has none, and may not start at all."""
        starts = self._random.random() < 0.5
        if starts:
            one.kill()
        self._fleet.fill_disk(one)
        try:
            lasted = self._last()
        finally:
            self._fleet.empty_disk(one)
        return f"{one.name}{', which starts there,' if starts else ''} {lasted}"

    def _step_clock(self, one):
        k = self._fleet.index(one)
        # Usually never ahead: waits of gRPC's that end at a time of the wall clock would then last until the kernel's own clock is
        # there, as they do on a machine whose clock goes back.
        hours = -self._random.uniform(0.01, 2)
        if self._ahead and self._random.random() < 0.5:
            hours = -hours
        self._fleet.set_clock(k, hours * 3600)
        try:
            lasted = self._last()
        finally:
            self._fleet.set_clock(k, 0)
        return f"{one.name} by {hours:+.2f} h {lasted}"
