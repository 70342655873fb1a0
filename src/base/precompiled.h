// What of the standard library nearly every source includes: parsed once.  Sources include it all
// the same; the preset `dev` builds them without this.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>
