#!/usr/bin/python3
"""The Ansible roles as text: their syntax, their modules, and that settings and variables which they and their pages name exist.

On machines: ansible_test.py.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
ANSIBLE = ROOT / "deploy/ansible"
PLAYBOOKS = [ANSIBLE / name for name in ("site.yml", "driver.yml")]  # site.yml is the others
PAGES = [ANSIBLE / "README.md", ROOT / "docs/how-to/ansible.md"]
INVENTORY = ANSIBLE / "inventory.example.yml"
# Of a playbook; those of roles are in their defaults.
OF_PLAYBOOKS = {"gpu_platform_serial", "gpu_platform_driver_serial"}
GROUPS = {"gpu_platform_controller", "gpu_platform_etcd", "gpu_platform_nodes"}
VARIABLE = re.compile(r"\bgpu_platform_\w*[a-z]\b")
KEYWORDS = {"block", "rescue", "always", "name", "when", "vars", "register", "loop", "loop_control", "until", "retries", "delay", "no_log", "diff",
            "check_mode", "changed_when", "failed_when", "delegate_to", "environment", "become", "run_once", "throttle", "ignore_unreachable"}


def variables_in(document):
    """(name, value) of all maps in it, however deep."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield key, value
            yield from variables_in(value)
    elif isinstance(document, list):
        for one in document:
            yield from variables_in(one)


def settings_in(document):
    """(controller or agent, settings) that a document of variables gives."""
    for key, value in variables_in(document):
        match = re.fullmatch(r"gpu_platform_(controller|agent)_(settings|drop_ins)", str(key))
        if match:
            for settings in [value] if match[2] == "settings" else value.values():
                yield match[1], settings


def documents():
    """(file, document): defaults, the inventory, and the YAML of pages."""
    for path in [*ANSIBLE.glob("roles/*/defaults/main.yml"), INVENTORY]:
        yield path, yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in PAGES:
        for block in re.findall(r"^```yaml\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S):
            yield path, yaml.safe_load(block)


def schema(program):
    return json.loads((ROOT / f"data/schema/{program}.v1.json").read_text(encoding="utf-8"))


def tasks_in(items):
    for task in items:
        yield task
        for part in ("block", "rescue", "always"):
            yield from tasks_in(task.get(part, []))


class Roles(unittest.TestCase):
    def test_playbooks_have_no_error(self):
        self.assertIsNotNone(shutil.which("ansible-playbook"), "run tools/setup-debian --with-tests")
        with tempfile.TemporaryDirectory(prefix="gp-test-") as home:
            several = pathlib.Path(home, "several.yml")
            several.write_text("all: {children: {gpu_platform_etcd: {hosts: {c1: }}, gpu_platform_controller: {hosts: {c1: }}}}\n", encoding="utf-8")
            for inventory, books in ((INVENTORY, PLAYBOOKS), (several, [ANSIBLE / "etcd.yml", ANSIBLE / "controller.yml"])):
                done = subprocess.run(["ansible-playbook", "--syntax-check", "-i", inventory, *books], capture_output=True, text=True, check=False,
                                      env=dict(os.environ, HOME=home, ANSIBLE_CONFIG=str(ANSIBLE / "ansible.cfg"), LANG="C.UTF-8"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertNotIn("WARNING", done.stderr)

    def test_settings_are_those_of_the_program(self):
        seen = 0
        for path, document in documents():
            for program, settings in settings_in(document):
                with self.subTest(file=path.name, program=program):
                    jsonschema.validate(settings, schema(program))
                    seen += len(settings)
        self.assertGreater(seen, 8)

    def test_a_wrong_setting_is_found(self):
        ((program, settings),) = settings_in({"all": {"vars": {"gpu_platform_controller_drop_ins": {"x": {"listen": {"gprc": "a:1"}}}}}})
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(settings, schema(program))

    def test_what_the_agent_role_adds_are_settings(self):
        tasks = yaml.safe_load((ANSIBLE / "roles/agent/tasks/main.yml").read_text(encoding="utf-8"))
        (joins,) = [value for key, value in variables_in(tasks) if key == "agent_joins"]
        self.assertLessEqual(joins.keys(), schema("agent")["properties"].keys())

    def test_variables_exist_and_are_used(self):
        defaults = "".join(path.read_text(encoding="utf-8") for path in ANSIBLE.glob("roles/*/defaults/main.yml"))
        known = set(re.findall(r"^(?:# )?(gpu_platform_\w+):", defaults, re.M))
        used = set()
        for path in ANSIBLE.rglob("*"):
            if path.suffix in (".yml", ".j2") and path.name != INVENTORY.name and path.parent.name != "defaults":
                used |= set(VARIABLE.findall(path.read_text(encoding="utf-8")))
        used |= set(VARIABLE.findall(re.sub(r"^(?:# )?\w+:", "", defaults, flags=re.M)))  # a default may be made of others
        self.assertEqual(used - GROUPS, known | OF_PLAYBOOKS)
        for path in [INVENTORY, *PAGES]:
            named = set(VARIABLE.findall(path.read_text(encoding="utf-8")))
            self.assertEqual(named - known - OF_PLAYBOOKS - GROUPS, set(), path.name)

    def test_tasks_have_names_and_builtin_modules(self):
        count = 0
        for path in ANSIBLE.glob("roles/*/tasks/*.yml"):
            for task in tasks_in(yaml.safe_load(path.read_text(encoding="utf-8"))):
                with self.subTest(file=str(path.relative_to(ANSIBLE)), task=task.get("name")):
                    self.assertTrue(task.get("name"))
                    modules = task.keys() - KEYWORDS
                    self.assertTrue("block" in task or len(modules) == 1, modules)
                    self.assertTrue(all(module.startswith("ansible.builtin.") for module in modules), modules)
                    count += 1
        self.assertGreater(count, 50)


if __name__ == "__main__":
    unittest.main()
