"""Memory of one NUMA node, by system calls, without libnuma."""

import ctypes
import mmap
import os
import pathlib
import platform

# The numbers of mbind and move_pages.
SYSCALLS = {"x86_64": (237, 279), "aarch64": (235, 239)}
MPOL_BIND = 2
MASK_WORDS = 16  # of 64 bits: nodes 0 to 1023


def parse_list(text):
    """Parses the kernel's list format: "0-2,8" is 0, 1, 2 and 8."""
    numbers = []
    for part in text.strip().split(","):
        if not part:
            continue
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if high < low:
            raise ValueError(f'"{part}" is a descending range')
        numbers.extend(range(low, high + 1))
    return numbers


def nodes(root="/sys/devices/system/node", status="/proc/self/status"):
    """The NUMA nodes with memory that this process may use; [0] if the kernel reports none."""
    try:
        found = parse_list(pathlib.Path(root, "has_memory").read_text())
    except OSError:
        return [0]
    for line in pathlib.Path(status).read_text().splitlines():
        if line.startswith("Mems_allowed_list:"):
            allowed = set(parse_list(line.partition(":")[2]))
            return [node for node in found if node in allowed]
    return found


def own_node(bus_id, root="/sys/bus/pci/devices"):
    """The NUMA node of a PCI device; None if the kernel does not report it."""
    try:
        node = int(pathlib.Path(root, bus_id.lower(), "numa_node").read_text())
    except (OSError, ValueError):
        return None
    return node if node >= 0 else None


class BoundMemory:
    """`size` bytes whose pages are all on one node; OSError if that is not possible."""

    def __init__(self, size, node):
        if platform.machine() not in SYSCALLS:
            raise OSError(f"{platform.machine()}: unknown architecture: add the numbers of mbind and move_pages to SYSCALLS")
        self.mbind, self.move_pages = SYSCALLS[platform.machine()]
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.map = mmap.mmap(-1, size)
        self.size, self.node = size, node
        self.buffer = (ctypes.c_char * size).from_buffer(self.map)
        self.address = ctypes.addressof(self.buffer)
        mask = (ctypes.c_ulong * MASK_WORDS)()
        mask[node // 64] = 1 << (node % 64)
        self.call(self.mbind, ctypes.c_void_p(self.address), ctypes.c_ulong(size), ctypes.c_ulong(MPOL_BIND), mask,
                  ctypes.c_ulong(MASK_WORDS * 64), ctypes.c_ulong(0))
        ctypes.memset(self.address, 1, size)  # the first write allocates the pages
        self.check()

    def call(self, number, *arguments):
        self.libc.syscall.restype = ctypes.c_long
        if self.libc.syscall(ctypes.c_long(number), *arguments) < 0:
            error = ctypes.get_errno()
            raise OSError(error, f"NUMA node {self.node}: {os.strerror(error)}")

    def check(self):
        """Checks the node of some pages."""
        count = 8
        pages = (ctypes.c_void_p * count)(*[self.address + self.size // count * i for i in range(count)])
        status = (ctypes.c_int * count)()
        self.call(self.move_pages, ctypes.c_long(0), ctypes.c_ulong(count), pages, None, status, ctypes.c_long(0))
        if any(at != self.node for at in status):
            raise OSError(f"NUMA node {self.node}: its pages are on {sorted(set(status))}")

    def close(self):
        del self.buffer
        self.map.close()
