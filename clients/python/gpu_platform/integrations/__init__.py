"""Training frameworks as jobs: each module imports its framework, and nothing here imports a module of these.

`torch` is tested with PyTorch.  `hf`, `lightning` and `accelerate` are tested with stand-ins that make the frameworks' calls
in their order, not with the frameworks themselves.
"""
