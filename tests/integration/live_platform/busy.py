"""A machine that has more to do than it can."""

import contextlib
import os
import subprocess
import sys


@contextlib.contextmanager
def busy_programs(each_core=4):
    """Runs that many programs on each core that never rest; gives their number."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(each_core * os.cpu_count())]
    try:
        yield len(programs)
    finally:
        for program in programs:
            program.kill()
            program.wait()
