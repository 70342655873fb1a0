#pragma once

// A PCI address in the two ways it is written: by Linux ("0000:1b:00.0") and by NVML
// ("00000000:1B:00.0").

#include <optional>
#include <string>
#include <string_view>

namespace gp {

struct PciAddress {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;

  // Either way, in either case; the domain may be left out.
  static std::optional<PciAddress> Parse(std::string_view text);

  std::string ToLinux() const;
  std::string ToNvml() const;
  bool operator==(const PciAddress&) const = default;
};

}  // namespace gp
