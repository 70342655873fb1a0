#pragma once

#include "ports/outbound/journal.h"

namespace gp {

// Appends records of one writer; false: they are not durable.
inline bool AppendTo(Journal& journal, std::span<const std::string> records) {
  return journal.Append(1, journal.LastSequence(), records).end == AppendEnd::kDurable;
}

}  // namespace gp
