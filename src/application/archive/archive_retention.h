#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/archive/archive_names.h"

namespace gp {

// The snapshot with which the archive may begin: the newest that was verified, together with all
// before it, at least `keep` ago by the wall clock.  nullopt: it begins as it does.
std::optional<uint64_t> NextBegin(const LineageObjects& objects, Instant wall, Duration keep);

// The names of what is not needed: objects before the record with which the archive begins, older
// marks, and files that have been replaced for at least `keep`.
std::vector<std::string> Superfluous(uint64_t lineage, const LineageObjects& objects, Instant wall,
                                     Duration keep);

}  // namespace gp
