#pragma once

// The message for an unknown key, with the key that was probably meant.

#include <span>
#include <string>
#include <string_view>

#include "adapters/inbound/job_file/field.h"

namespace gp {

// `fields` are the keys known at `path`, which is empty at the top level.
std::string UnknownKeyMessage(std::string_view key, std::string_view path,
                              std::span<const Field> fields);

}  // namespace gp
