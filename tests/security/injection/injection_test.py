#!/usr/bin/python3
"""Texts that a shell, a path or a format would take for more than texts: in names, arguments, environments, labels,
directories and reasons.  Each arrives as it was given, or is refused with its place; none is ever run."""

import json
import os
import pathlib

from live_platform import ClusterTest, main

# %s is a file that would exist if one of them ran.
SHELL = ["; touch %s", "$(touch %s)", "`touch %s`", "| touch %s", "& touch %s", "&& touch %s", "|| touch %s", "> %s", ">> %s", "< /dev/null; touch %s", "x; touch %s #", "'; touch %s; '", '"; touch %s; "', "\\; touch %s", "$(touch${IFS}%s)",
         "${IFS};touch${IFS}%s", "{touch,%s}", "$'\\x74ouch' %s", "!touch %s", "~; touch %s", "*; touch %s", "$((`touch %s`))", "<(touch %s)", ">(touch %s)", "%%0atouch %s", "eval touch %s", "-c 'touch %s'", "--; touch %s", "-o ProxyCommand=touch\t%s",
         "() { :; }; touch %s", "() { _; } >_[$($())] { touch %s; }", "=cmd|' /C touch %s'!A0", "@touch %s", "${env:PATH};touch %s", "x && curl file:///dev/null -o %s", "x' OR '1'='1'; touch %s", "$(printf touch) %s", "touch %s", "exec touch %s",
         "$0 -c 'touch %s'"]
PATHS = ["../../etc/passwd", "/../../etc/shadow", "....//....//etc/passwd", "..%2f..%2fetc%2fpasswd", "/proc/self/environ", "/dev/stdin", "file:///etc/passwd", "//etc/passwd", "./../x", "~root/.ssh/id", "/etc/passwd/.", "..", ".", "/", "a/../../b", "C:\\Windows", "\\\\host\\share"]
FORMATS = ["%s%s%s%n", "%x%x%x%x", "%p", "%1000000000d", "{0.__class__}", "{{7*7}}", "${7*7}", "#{7*7}", "<%= 7*7 %>", "%(x)s", "{}", "{0}", "\\x00", "\\u0000", "&amp;", "<!ENTITY x SYSTEM \"file:///etc/passwd\">", "!!python/object/apply:os.system ['touch x']", "*alias", "&anchor",
           "- [", "? key", "| block", "> folded", "%TAG", "---", "...", "# comment", "key: value", "'", '"', "\\", "`", "$", "$$", "\u202e", "\u200b", "\ufeff", "\ud7ff", "é", "日本語", " ", "  x  ", "-", "--help", "-v", "null", "true", "0", "~"]


class Injection(ClusterTest):
    options = {"machine": "dgx-h100", "nodes": 1}

    def texts(self):
        hit = os.path.join(self.cluster.shared, "hit")
        return [text.replace("%s", hit).replace("%%", "%") for text in SHELL] + PATHS + FORMATS

    def submit(self, spec):
        return self.cli.as_user(1234)("-q", "jobs", "submit", "-", input=json.dumps(spec).encode())

    def assert_nothing_ran(self):
        self.assertEqual(sorted(os.listdir(self.cluster.shared)), [])

    def test_arguments_and_environments_arrive_as_they_are(self):
        texts = self.texts()
        self.assertGreaterEqual(len(texts), 100)
        show = "import json, os, sys; json.dump([sys.argv[1:], [os.environ[f'TEXT_{n}'] for n in range(len(sys.argv) - 1)]], sys.stdout)"
        spec = {"name": "texts", "resources": {"gpus": 1}, "run": ["/usr/bin/python3", "-c", show, *texts], "env": {f"TEXT_{n}": text for n, text in enumerate(texts)}}
        job = self.submit(spec).ok().out.strip()
        self.assertEqual(self.cli.wait(job), 0)
        told = json.loads(self.cli("jobs", "logs", job).ok().out)
        self.assertEqual(told, [texts, texts])
        self.assert_nothing_ran()

    def test_names_labels_and_reasons_are_texts_or_refused(self):
        kept = refused = 0
        for text in self.texts():
            for spec in ({"name": text}, {"labels": {"text": text}}, {"project": text}, {"queue": text}, {"workdir": text}):
                answer = self.submit({"resources": {"gpus": 1}, "run": ["true"], **spec})
                self.assertIn(answer.code, (0, 2, 3, 4), answer)
                kept, refused = kept + (answer.code == 0), refused + (answer.code != 0)
            self.assertIn(self.cli("drain", "--gpu-id", "dgx-h100-0/7", "--reason", text).code, (0, 2))
        self.assertGreater(kept, 50)
        self.assertGreater(refused, 100)
        self.cli("online", "--gpu-id", "dgx-h100-0/7").ok()
        self.cluster.settle()
        self.assert_nothing_ran()
        for made in ("hit", "x", "passwd"):
            self.assertFalse(any(pathlib.Path(self.cluster.directory).rglob(made)), made)

    def test_what_is_named_on_the_command_line_is_looked_up_and_no_more(self):
        for text in self.texts():
            if text.startswith("-"):
                continue
            for words in (("jobs", "describe", text), ("jobs", "logs", text), ("nodes", "label", text, "a=b"), ("queues", "delete", text), ("incidents", "show", text), ("drain", "--gpu-id", text)):
                self.assertNotEqual(self.cli(*words).code, 1, (words, "an error of ours"))
        self.assert_nothing_ran()


if __name__ == "__main__":
    main()
