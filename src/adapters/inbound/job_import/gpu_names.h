#pragma once

// GPUs as other schedulers name them.

#include <optional>
#include <string>
#include <string_view>

namespace gp {

// "H100" of "h100", "nvidia_h100_80gb_hbm3" and "NVIDIA-H100-80GB-HBM3": the first word with a digit, as drivers write it.
std::string ModelWord(std::string_view name);

// "80GB" of the same; nullopt: the name tells no memory.
std::optional<std::string> MemoryOfName(std::string_view name);

// "20GB" of "2g.20gb"; nullopt: no instance of a GPU is called so.
std::optional<std::string> MemoryOfInstance(std::string_view name);

}  // namespace gp
