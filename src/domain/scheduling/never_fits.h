#pragma once

// What a job requests and no node has: then no waiting starts it.  Nodes count as if nothing were
// allocated on them and all of their GPUs were in service.

#include <span>
#include <string>

#include "domain/cluster/state.h"

namespace gp {

// Of these nodes, none of which could hold a rank, what the best of them lacks, as one clause: "no
// node has an A100; the GPUs are NVIDIA H100".  "": one of them could hold a rank. REQUIRES: each
// is an `Ideal` one; there is at least one.
std::string WhatNoNodeHas(std::span<const Node> nodes, const Job& job);

// The same where some could, but fewer than it needs at once.
std::string TooFewNodes(const Job& job, int able);

// Why the nodes that are known could never hold the job in any of its variants, with the numbers.
// "": they could, or no node is known yet.
std::string WhyNeverFits(const State& state, const Job& job);

// Where it may run, besides the hardware: " in pool prod, with zone=east"; "": anywhere.
std::string Where(const Job& job);

}  // namespace gp
