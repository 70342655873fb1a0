# The acceptance lines in full, one command each; `make test` runs them scaled down.
# Figures and machines: docs/measurements.md.
