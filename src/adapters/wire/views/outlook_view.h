#pragma once

// A job's forecast and cost, and what each node could offer it, as messages.

#include <vector>

#include "domain/explaining/cost.h"
#include "domain/explaining/forecast.h"
#include "domain/explaining/node_table.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void ForecastView(const State& state, const Forecast& forecast, v1::Forecast* message);
void CostView(const Cost& cost, v1::JobCost* message);
void NodeTableView(const State& state, const std::vector<NodeRow>& table,
                   v1::ExplainJobReply* message);

}  // namespace gp
