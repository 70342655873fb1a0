#pragma once

// The smallest changes, each of one thing, that would start a job now.

#include <vector>

#include "domain/explaining/explain.h"
#include "domain/explaining/what_if.h"

namespace gp {

std::vector<Change> FindChanges(WhatIf& what_if, const Job& job);

}  // namespace gp
