"""Runs a check of tools/ over a tree, for the tests of the checks."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run_check(check, root):
    return subprocess.run([sys.executable, check, root], capture_output=True, text=True)
