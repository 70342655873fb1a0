#include "lib/yaml/file_code.h"

namespace gp {

std::string CodeText(FileCode code) { return "GP" + std::to_string(static_cast<int>(code)); }

}  // namespace gp
