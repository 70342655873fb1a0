#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gp {

// A PCI address, which has two notations: Linux ("0000:1b:00.0") and NVML ("00000000:1B:00.0").
struct PciAddress {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;

  // Accepts both notations, in either case; the domain may be left out.
  static std::optional<PciAddress> Parse(std::string_view text);

  std::string ToLinux() const;
  std::string ToNvml() const;
  bool operator==(const PciAddress&) const = default;
};

}  // namespace gp
