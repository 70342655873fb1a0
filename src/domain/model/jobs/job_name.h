#pragma once

// The default name of a job.

#include <string>
#include <string_view>

namespace gp {

// "train" of "/home/ana/train.gpu.yaml" or "./train.py"; always a legal name.
std::string JobNameFromPath(std::string_view path);

}  // namespace gp
