#pragma once

// What is around the fields of a record on disk: a magic number that says which record it is, and a
// checksum of all that follows, so that a file which was written in part is known as such wherever
// it ends.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

std::string Seal(uint64_t magic, std::string_view fields);

// The fields; they lie in `bytes`.  kInvalidArgument: another record, or torn or damaged.  Records
// of `older_magic` carry no checksum and are taken as they are.
Result<std::string_view> Unseal(std::string_view bytes, uint64_t magic, uint64_t older_magic,
                                const std::string& name);

}  // namespace gp
