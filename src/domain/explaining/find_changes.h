#pragma once

#include <vector>

#include "domain/explaining/explain.h"
#include "domain/explaining/what_if.h"

namespace gp {

// The smallest changes, each of one thing, that would start the job now; in the order of
// ChangeKind.
std::vector<Change> FindChanges(WhatIf& what_if, const Job& job);

}  // namespace gp
