#pragma once

// The envelope of a record on disk: a magic number that identifies the kind of record, and a
// checksum of all that follows, so that a partly written file is always recognised.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

std::string Seal(uint64_t magic, std::string_view fields);

// Returns the fields, which point into `bytes`.  Records of `older_magic` have no checksum and are
// not checked.  Errors: kInvalidArgument (another kind of record, or damaged).
Result<std::string_view> Unseal(std::string_view bytes, uint64_t magic, uint64_t older_magic,
                                const std::string& name);

}  // namespace gp
