#pragma once

// GPUs by the names that users give them.

#include <string_view>

namespace gp {

// Whether `asked` stands in a GPU's name, in whole words and numbers.  Case, spaces, dashes and
// underscores do not count: "rtx8000" stands in "Quadro RTX 8000".  "A10" does not stand in "NVIDIA
// A100-PCIE-40GB", nor "H200" in "NVIDIA GH200 480GB".
bool NamesModel(std::string_view asked, std::string_view name);

}  // namespace gp
