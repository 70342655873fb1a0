#include "domain/scheduling/plan.h"

#include <utility>

namespace gp {

std::vector<PlaceGang> Plan::Placements() const {
  std::vector<PlaceGang> placements;
  for (const Step& step : steps) {
    if (const auto* placement = std::get_if<PlaceGang>(&step)) placements.push_back(*placement);
  }
  return placements;
}

Command ToCommand(Plan::Step step) {
  return std::visit([](auto one) { return Command{std::move(one)}; }, std::move(step));
}

}  // namespace gp
