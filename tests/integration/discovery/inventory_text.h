#pragma once

// An inventory as text, every field of it, so that two can be compared and their difference read.

#include <string>

#include "ports/outbound/gpu_driver.h"

namespace gp {

std::string VersionsText(const DriverInventory& inventory);
// Without MIG profiles.
std::string GpusText(const DriverInventory& inventory);
std::string LinksText(const DriverInventory& inventory);
std::string MigText(const DriverInventory& inventory);

}  // namespace gp
