"""Real controllers, agents and jobs for tests, on this host, in a directory and cgroup of their own.

A test asks `Cluster` for processes, `Cli` for what a user would type, and `ledger` whether the
controller's word agrees with the kernel's.  Whatever happens, `Cluster.close` ends everything.
"""

from .case import ClusterTest, main
from .cli import Answer, Cli
from .cluster import Cluster
from .contract import Contract
from .http import Events, UnixConnection
from . import ledger
from .terminal import Terminal
from .waiting import TimedOut, eventually

__all__ = ["Answer", "Cli", "Cluster", "ClusterTest", "Contract", "Events", "Terminal", "TimedOut", "UnixConnection", "eventually", "ledger", "main"]
