#pragma once

// The commands of `gpu-platform images`.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

class Cli;

std::string ShortDigest(const std::string& digest);

// The nodes of these names, all of them without names, in the pool; empty: any.  kNotFound: there
// is no such node.
Result<std::vector<v1::Node>> NodesMeant(const v1::Cluster& cluster,
                                         const std::vector<std::string>& names,
                                         const std::string& pool);

void AddImagePull(CLI::App& images, Cli& cli);
// `images verify` and `images prune`.
void AddImageCare(CLI::App& images, Cli& cli);

}  // namespace gp
