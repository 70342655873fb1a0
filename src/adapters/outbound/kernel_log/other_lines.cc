#include "adapters/outbound/kernel_log/other_lines.h"

#include <utility>

#include "adapters/outbound/kernel_log/cursor.h"

namespace gp {
namespace {

constexpr char kPciDeviceTensMax = '1';  // "1f" is the last
constexpr int kSwitchesMax = 255;
constexpr int kSxidMax = 999'999;
constexpr std::string_view kFallen = "fallen off the bus";

std::string UpperHex(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace

std::optional<std::string> TakeBusId(Cursor& line) {
  const std::string_view begin = line.left();
  if (!line.HexDigits(4, 8) || !line.Skip(":")) return std::nullopt;
  if (!line.HexDigits(2, 2) || !line.Skip(":")) return std::nullopt;
  const auto device = line.HexDigits(2, 2);
  if (!device || device->front() > kPciDeviceTensMax) return std::nullopt;
  const size_t length = begin.size() - line.left().size();
  if (line.Skip(".") && !line.HexDigits(1, 1)) return std::nullopt;
  return UpperHex(begin.substr(0, length));
}

std::optional<FabricError> ParseFabricError(std::string_view text) {
  Cursor line(text);
  if (!line.Skip("nvidia-nvswitch") || !line.Number(kSwitchesMax) || !line.Skip(": SXid ("))
    return std::nullopt;
  line.Skip("PCI:");
  if (!TakeBusId(line) || !line.Skip("): ")) return std::nullopt;
  const auto sxid = line.Number(kSxidMax);
  if (!sxid || *sxid == 0 || !line.Skip(", ")) return std::nullopt;
  if (line.Skip("Fatal")) return FabricError{*sxid, true};
  if (line.Skip("Non-fatal")) return FabricError{*sxid, false};
  return std::nullopt;
}

std::optional<std::string> ParseFailedStart(std::string_view text) {
  Cursor line(text);
  if (!line.Skip("NVRM: ")) return std::nullopt;
  std::string bus_id;
  if (line.Skip("GPU ")) {
    auto place = TakeBusId(line);
    if (!place || !line.Skip(": ")) return std::nullopt;
    bus_id = *std::move(place);
  }
  if (!line.Skip("RmInitAdapter failed") && !line.Skip("rm_init_adapter failed"))
    return std::nullopt;
  return bus_id;
}

std::optional<std::string> FallenNotice::Take(std::string_view text) {
  Cursor line(text);
  if (!line.Skip("NVRM: ")) return std::nullopt;
  if (line.Skip("The NVIDIA GPU ")) {
    auto place = TakeBusId(line);
    bus_id_ = place ? *std::move(place) : std::string();
    const bool is_whole = line.left().find(kFallen) != std::string_view::npos;
    if (bus_id_.empty() || !is_whole) return std::nullopt;
    return std::exchange(bus_id_, "");
  }
  if (bus_id_.empty() || line.left().starts_with("(PCI ID")) return std::nullopt;
  std::string bus_id = std::exchange(bus_id_, "");
  return line.left().starts_with(kFallen) ? std::optional(std::move(bus_id)) : std::nullopt;
}

}  // namespace gp
