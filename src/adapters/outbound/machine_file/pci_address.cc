#include "adapters/outbound/machine_file/pci_address.h"

#include <charconv>
#include <cstdio>

namespace gp {
namespace {

// Parses all of `text` as a hexadecimal number of at most `digits_max` digits.
std::optional<unsigned> ParseHex(std::string_view text, size_t digits_max) {
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (text.empty() || text.size() > digits_max || error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return value;
}

// Removes everything from the last `separator` on and returns what followed it.
std::string_view CutLast(std::string_view* text, char separator) {
  const size_t at = text->rfind(separator);
  if (at == std::string_view::npos) return {};
  const std::string_view tail = text->substr(at + 1);
  *text = text->substr(0, at);
  return tail;
}

std::string Format(const char* format, const PciAddress& address) {
  char text[32];
  std::snprintf(text, sizeof text, format, address.domain, address.bus, address.device,
                address.function);
  return text;
}

}  // namespace

std::optional<PciAddress> PciAddress::Parse(std::string_view text) {
  const auto function = ParseHex(CutLast(&text, '.'), 1);
  const auto device = ParseHex(CutLast(&text, ':'), 2);
  const bool has_domain = text.find(':') != std::string_view::npos;
  const auto bus = ParseHex(has_domain ? CutLast(&text, ':') : text, 2);
  const auto domain = has_domain ? ParseHex(text, 8) : 0u;
  if (!function || !device || !bus || !domain || *function > 7 || *device > 31) {
    return std::nullopt;
  }
  return PciAddress{*domain, *bus, *device, *function};
}

std::string PciAddress::ToLinux() const { return Format("%04x:%02x:%02x.%x", *this); }
std::string PciAddress::ToNvml() const { return Format("%08X:%02X:%02X.%X", *this); }

}  // namespace gp
