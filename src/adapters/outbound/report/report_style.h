#pragma once

namespace gp {

// The style sheet of a report's page.
extern const char* const kReportStyle;

}  // namespace gp
