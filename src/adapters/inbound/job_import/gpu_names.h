#pragma once

// GPU names as used by other schedulers and their sites: "nvidia_h100_80gb_hbm3", "teslap100",
// "a100_1g.5gb", "volta".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gp {

struct NamedGpu {
  std::vector<std::string> models;    // as drivers name them, any of them; empty: any GPU
  std::optional<std::string> memory;  // "80GB": memory of the GPU
  std::optional<std::string> mig;     // "1g.5gb": it is a MIG instance of such a GPU
  std::string meaning;                // for a note: "is any GPU with H100 in its name"
  bool operator==(const NamedGpu&) const = default;
};

NamedGpu ReadGpuName(std::string_view name);

}  // namespace gp
