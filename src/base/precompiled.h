// Standard headers that nearly every source includes, precompiled.  Sources still include them
// themselves; the preset `dev` builds without this file.

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
