#pragma once

// Finds GPUs by the names that users write.

#include <string_view>

namespace gp {

// Whether `asked` occurs in the name of a GPU as whole words and numbers. Case, spaces, dashes and
// underscores do not matter: "rtx8000" occurs in "Quadro RTX 8000". "A10" does not occur in "NVIDIA
// A100-PCIE-40GB", nor "H200" in "NVIDIA GH200 480GB".
bool NamesModel(std::string_view asked, std::string_view name);

}  // namespace gp
