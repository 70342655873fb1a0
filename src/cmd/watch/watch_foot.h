#pragma once

// The lowest line of `watch`: its keys, and which of the rows are seen.

#include <string>

#include "cmd/watch/watch_views.h"

namespace gp {

// The keys of the view whose names fit into the columns.  The less important are left out first:
// the help of `?` lists them.
std::string KeysText(WatchView view, int width);
// The keys of a page; `is_log`: of the output of a job.
std::string PageKeysText(bool is_log);

// `keys` on the left and `place` on the right, two blanks apart at least: where both do not fit,
// the keys are cut.
std::string FootText(const std::string& keys, const std::string& place, int width);

}  // namespace gp
