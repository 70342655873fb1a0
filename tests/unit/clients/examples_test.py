"""examples/bert_finetune.py: it learns, and ends after a stop with the weights of a run without."""

import signal
import subprocess
import sys
import time
import unittest

from support import ROOT, JobTest, module, plain_environment


class BertFinetune(JobTest):
    def start(self, place, model, *words):
        return subprocess.Popen([sys.executable, "-B", ROOT / "examples/bert_finetune.py", "--model", model, *map(str, words)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=plain_environment(GP_CHECKPOINT_DIR=str(self.place / place)))

    def end(self, process, code=0):
        out, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, errors)
        return out.splitlines()

    def check(self, model, steps, accuracy):
        options = ("--steps", steps, "--checkpoint-every", steps // 4)
        whole = self.end(self.start("whole", model, *options))
        self.assertEqual(whole[0], f"{model}: 160 sentences, from step 0")
        self.assertGreaterEqual(float(whole[1].split("accuracy ")[1].split()[0]), accuracy, whole)
        stopped = self.start("stopped", model, *options, "--pause", "0.02")
        while not (self.place / "stopped" / f"step-{steps // 4:012}").exists():
            self.assertIsNone(stopped.poll(), "it has ended")
            time.sleep(0.01)
        stopped.send_signal(signal.SIGTERM)
        step = int(self.end(stopped, 143)[1].removeprefix("stopped after step "))
        self.assertTrue(steps // 4 <= step < steps, step)
        again = self.end(self.start("stopped", model, *options))
        self.assertEqual(again, [f"{model}: 160 sentences, from step {step}", whole[1]])

    def test_with_the_standard_library(self):
        self.check("words", 200, 0.9)

    def test_with_torch(self):
        module(self, "torch")
        self.check("torch", 100, 0.8)


if __name__ == "__main__":
    unittest.main()
