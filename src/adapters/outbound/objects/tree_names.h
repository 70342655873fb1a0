#pragma once

// Which objects of a list become files, and whether their names can.  Pure.

#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"

namespace gp {

inline constexpr char kManifestName[] = ".gp-manifest";
inline constexpr char kPartsName[] = ".gp-parts";  // the directory of what is not complete

// "*.bin", "train/*": whether a name matches one of the patterns, in which a * also stands for
// slashes; all names match none at all.
bool IsIncluded(const std::string& name, const std::vector<std::string>& patterns);

// kInvalidArgument: one of the names leads out of the tree, is no name of a file, or cannot be
// there together with another one.  The message has the name.
Status CheckNames(const ObjectTree& tree);

// Of all objects.  kInvalidArgument: no number holds the sum.
Result<int64_t> BytesIn(const ObjectTree& tree);

}  // namespace gp
