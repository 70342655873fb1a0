"""gpu_platform.random_state: random numbers go on where they were."""

import json
import random
import subprocess
import sys
import unittest

from support import JobTest, module, plain_environment

from gpu_platform import random_state


class RandomState(JobTest):
    def check(self, draw):
        state = json.loads(json.dumps(random_state.capture()))
        drawn = [draw() for _ in range(5)]
        self.assertNotEqual(drawn, [draw() for _ in range(5)])
        random_state.restore(state)
        self.assertEqual([draw() for _ in range(5)], drawn)

    def test_of_python(self):
        random.seed(3)
        random.gauss(0, 1)  # which leaves a second number for the next call
        self.check(lambda: (random.gauss(0, 1), random.random()))

    def test_of_numpy(self):
        numpy = module(self, "numpy")
        numpy.random.seed(3)
        numpy.random.standard_normal()
        self.check(lambda: (numpy.random.standard_normal(), numpy.random.random()))

    def test_of_torch(self):
        torch = module(self, "torch")
        self.check(lambda: (torch.randn(3).tolist(), torch.rand(1).item()))

    def test_modules_that_the_program_does_not_use_are_not_imported(self):
        text = "import sys\nfrom gpu_platform import random_state\nprint(sorted(random_state.capture()), {'numpy', 'torch'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-B", "-c", text], env=plain_environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, "['random'] set()\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
