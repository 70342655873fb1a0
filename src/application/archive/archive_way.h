#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "application/archive/archive_names.h"

namespace gp {

// Objects that follow one another after a snapshot, by their chains.
struct ArchiveWay {
  SnapshotName from;
  std::vector<RecordsName> records;  // may be empty
  uint64_t last = 0;                 // the record where it ends
  uint64_t chain = 0;                // there
};

// The longest one.  Overlapping objects, of two leaders, are passed by.
ArchiveWay WayFrom(const SnapshotName& from, const Named<RecordsName>& records);

// The way that ends last; of those, the one that begins with the newest snapshot, or with the
// oldest if `from_oldest`.  It may begin before the first record.
ArchiveWay BestWay(const LineageObjects& objects, bool from_oldest = false);

// Records that are missing, or that no snapshot leads to, as "records 12 to 40".  Records up to
// where the archive begins are not missed.
std::vector<std::string> GapsOf(const LineageObjects& objects);

}  // namespace gp
