#pragma once

// What a key means for the row under the cursor.

#include <optional>
#include <string>

#include "cmd/watch/watch_caller.h"
#include "cmd/watch/watch_views.h"

namespace gp {

struct WatchIntent {
  std::optional<WatchRequest> request;
  std::string text;  // of a change, what follows from it; of a page, its title; without a request,
                     // why there is none
};

// c cancel, h hold or release, l output, e explain, d describe, D drain or return to service.
// nullopt: the key is another one.
std::optional<WatchIntent> IntentOf(int key, const WatchRow& row, const WatchData& data);

}  // namespace gp
