#pragma once

// Images on this machine: the store of their layers, and what jobs may have.

#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/images/layer_care.h"
#include "adapters/outbound/process/feature_trial.h"
#include "cmd/agent/agent_config.h"
#include "ports/outbound/image_store.h"

namespace gp {

struct NodeImageParts {
  std::unique_ptr<ImageStore> store;
  std::unique_ptr<LayerCare> care;  // nullptr: there is no such store
};

// A node that cannot have one gets a store that refuses all images.
NodeImageParts MakeNodeImages(const AgentConfig& config, std::string& warning);

// TryFeatures, with the programs and libraries of this host that features need besides the kernel.
Result<std::vector<TriedFeature>> TryAllFeatures(const std::string& programs,
                                                 const std::string& directory);

}  // namespace gp
