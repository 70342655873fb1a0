#pragma once

// Links that a job reports, such as its page in a tracking service (docs/metrics.md).  Readers
// follow them from the job's page, so only addresses of web pages are links.  They are lines of the
// "<rank>.metrics" file, between its points (metric_record.h); what reads only points skips them:
//   link <name> <url>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ports/outbound/metric_store.h"

namespace gp {

inline constexpr size_t kLinksMax = 8;  // names of a rank, and of a job
inline constexpr size_t kLinkUrlMax = 2048;

// kInvalidArgument: why it is no link.
Status CheckLink(const JobLink& link);

// With its line end.
std::string ToLine(const JobLink& link);
// All complete and valid lines of links.
std::vector<JobLink> ParseLinkRecords(std::string_view bytes);

}  // namespace gp
