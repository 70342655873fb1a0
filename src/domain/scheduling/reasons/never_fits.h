#pragma once

// What a job requests and no node has, so that waiting cannot start it. Nodes count as if nothing
// were allocated on them and all of their GPUs were in service.

#include <span>
#include <string>

#include "domain/cluster/state/state.h"

namespace gp {

// None of these nodes could hold a rank. Returns what the best of them lacks, as one clause: "no
// node has an A100; the GPUs are NVIDIA H100". "": one of them could hold a rank. REQUIRES: at
// least one node; each is an `Ideal` one.
std::string WhatNoNodeHas(std::span<const Node> nodes, const Job& job);

// The same where some nodes could hold a rank, but fewer than the job needs at once.
std::string TooFewNodes(const Job& job, int able);

// Why the known nodes could never hold the job in any of its variants, with the numbers. "": they
// could, or no node is known yet.
std::string WhyNeverFits(const State& state, const Job& job);

// The restrictions on nodes other than hardware: " in pool prod, with zone=east"; "": none.
std::string Where(const Job& job);

}  // namespace gp
