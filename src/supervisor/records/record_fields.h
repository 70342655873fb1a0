#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace gp {

// Lists of texts inside records and messages.
void WriteTexts(ByteWriter& writer, const std::vector<std::string>& texts);
std::vector<std::string> ReadTexts(ByteReader& reader);

}  // namespace gp
