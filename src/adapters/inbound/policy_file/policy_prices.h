#pragma once

// The map `prices` of a policy file: prices of a GPU-hour (docs/cost.md).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/metering/prices.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// Problems are added to the report.
PriceList ReadPrices(const YamlNode& map, Report& report);

// "2.10" in millionths: an amount with at most nine digits before the point and six after it,
// without a sign.  nullopt: it is not one.
std::optional<int64_t> MicrosOf(std::string_view text);

// 2100000 as "2.1": exact; MicrosOf converts it back.
std::string AmountText(int64_t micros);

}  // namespace gp
