#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gp {

// A place in the feed of changes, between two of them.  It says what comes next: the record
// `sequence` of the journal, without the first `index` of the objects that the record touches.  The
// place after the last object of a record is the beginning of the next record, so that it is the
// same whether or not that one touches anything, and shows that nothing of this one is left.
//
// A place follows from the records alone: each controller of a cluster gives a change the same one,
// before and after a restart.
struct FeedPlace {
  uint64_t lineage = 0;  // of the journal; places of different lineages mean different changes
  uint64_t sequence = 0;
  uint32_t index = 0;
  auto operator<=>(const FeedPlace&) const = default;  // REQUIRES: of one lineage
};

// "LINEAGE-SEQUENCE.INDEX", decimal.
std::string ToText(const FeedPlace& place);
// nullopt: malformed.  A place of versions up to 0.2, such as "3-1207", was of one process: it
// gives a place of no lineage, after which everything was missed.
std::optional<FeedPlace> ParseFeedPlace(std::string_view text);

}  // namespace gp
