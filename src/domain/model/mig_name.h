#pragma once

// MIG profiles by name: "3g.40gb" is three compute slices and some 40 GB.

#include <cstdint>
#include <optional>
#include <string_view>

namespace gp {

// What an instance must have at least to be as large as one of that name.
struct MigDemand {
  int share_thousandths = 0;
  int64_t memory_mib = 0;
  bool operator==(const MigDemand&) const = default;
};

// Of a name as NVIDIA's tools give it ("3g.40gb", "MIG 3g.40gb", "mig-3g.40gb"); nullopt: it is
// none, or it names what only some instances of a size have ("1g.10gb+me": the media engines).
std::optional<MigDemand> ParseMigName(std::string_view name);

}  // namespace gp
