#pragma once

// Amounts as Kubernetes writes them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace gp {

// "900Gi", "64G", "1500M", "128974848": bytes, rounded up.
std::optional<int64_t> QuantityBytes(std::string_view text);

// "0.5", "250m": thousandths, rounded up.
std::optional<int64_t> QuantityMilli(std::string_view text);

// "96", "500m", "1.5": whole cores, rounded up.
std::optional<int64_t> QuantityCores(std::string_view text);

}  // namespace gp
