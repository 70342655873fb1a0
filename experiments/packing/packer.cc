#include "experiments/packing/packer.h"

#include <algorithm>

namespace gp {
namespace {

constexpr int8_t kMisfit = -1;

}  // namespace

Packer::Packer(const PackingPolicy& policy, std::vector<Bin> bins, TypicalShapes typical)
    : policy_(policy), bins_(std::move(bins)), potential_(bins_.size(), 0) {
  Learn(std::move(typical));
}

void Packer::Learn(TypicalShapes typical) {
  typical_ = std::move(typical);
  if (policy_.potential == nullptr) return;
  std::ranges::transform(bins_, potential_.begin(),
                         [this](const Bin& bin) { return policy_.potential(bin, typical_); });
  rows_.clear();
}

void Packer::Score(const Shape& shape, Row& row, size_t bin) {
  Scored scored{kMisfit, -1};
  if (Fits(bins_[bin], shape))
    scored = policy_.scorer({typical_, policy_.potential, potential_[bin]}, bins_[bin], shape);
  row.scores[bin] = static_cast<int8_t>(scored.score);
  row.gpus[bin] = static_cast<int8_t>(scored.gpu);
}

Packer::Row& Packer::UpToDate(const Shape& shape) {
  Row& row = rows_[shape];
  const bool is_cheaper_anew = row.scores.empty() || changes_.size() - row.seen >= bins_.size();
  if (is_cheaper_anew) {
    row.scores.resize(bins_.size());
    row.gpus.resize(bins_.size());
    for (size_t bin = 0; bin < bins_.size(); ++bin) Score(shape, row, bin);
  } else {
    for (size_t i = row.seen; i < changes_.size(); ++i) Score(shape, row, changes_[i]);
  }
  row.seen = changes_.size();
  return row;
}

std::optional<Packer::Choice> Packer::Choose(const Shape& shape) {
  const Row& row = UpToDate(shape);
  const auto best = std::ranges::max_element(row.scores);  // the first of equal ones
  if (best == row.scores.end() || *best == kMisfit) return std::nullopt;
  const auto bin = static_cast<size_t>(best - row.scores.begin());
  return Choice{bin, row.gpus[bin]};
}

std::vector<size_t> Packer::FitBins(const Shape& shape) const {
  std::vector<size_t> fit;
  for (size_t bin = 0; bin < bins_.size(); ++bin) {
    if (Fits(bins_[bin], shape)) fit.push_back(bin);
  }
  return fit;
}

void Packer::Place(const Shape& shape, const Choice& choice) {
  Take(bins_[choice.bin], shape, choice.gpu);
  if (policy_.potential != nullptr)
    potential_[choice.bin] = policy_.potential(bins_[choice.bin], typical_);
  changes_.push_back(static_cast<uint32_t>(choice.bin));
}

}  // namespace gp
