#pragma once

// MIG profiles by name: "3g.40gb" is three compute slices and about 40 GB.

#include <cstdint>
#include <optional>
#include <string_view>

namespace gp {

// The least that an instance needs to be as large as the named profile.
struct MigDemand {
  int share_thousandths = 0;
  int64_t memory_mib = 0;
  bool operator==(const MigDemand&) const = default;
};

// The name as NVIDIA's tools write it ("3g.40gb", "MIG 3g.40gb", "mig-3g.40gb"). nullopt: it is no
// profile name, or it requires what only some instances of a size have ("1g.10gb+me": the media
// engines).
std::optional<MigDemand> ParseMigName(std::string_view name);

}  // namespace gp
