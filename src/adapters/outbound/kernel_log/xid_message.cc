#include "adapters/outbound/kernel_log/xid_message.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "adapters/outbound/kernel_log/cursor.h"

namespace gp {
namespace {

constexpr int kRecoveryActionXid = 154;
constexpr int kNvlinkXidFirst = 144;
constexpr int kNvlinkXidLast = 150;

struct AdviceWords {
  std::string_view words;
  DriverAdvice advice;
};
constexpr AdviceWords kAdvice[] = {
    {"None", DriverAdvice::kNone},
    {"GPU Reset Required", DriverAdvice::kGpuReset},
    {"Node Reboot Required", DriverAdvice::kNodeReboot},
    {"Drain P2P", DriverAdvice::kDrainP2p},
    {"Drain and Reset", DriverAdvice::kDrainAndReset},
    {"Recover IMEX Domain", DriverAdvice::kRecoverImex},
    // The words used by drivers since 610.
    {"PF FLR", DriverAdvice::kGpuReset},
    {"OS Reboot", DriverAdvice::kNodeReboot},
};

// The codes are NVML's; they stay the same when drivers change their words.
DriverAdvice AdviceOfCode(std::string_view code) {
  if (code == "0") return DriverAdvice::kNone;
  if (code == "1") return DriverAdvice::kGpuReset;
  if (code == "2") return DriverAdvice::kNodeReboot;
  if (code == "3") return DriverAdvice::kDrainP2p;
  if (code == "4") return DriverAdvice::kDrainAndReset;
  if (code == "5") return DriverAdvice::kRecoverImex;
  return DriverAdvice::kUnknown;
}

// "0x1 (GPU Reset Required)"
std::optional<DriverAdvice> TakeAdvice(Cursor& message) {
  if (!message.Skip("0x")) return std::nullopt;
  const auto code = message.HexDigits(1, 8);
  if (!code || !message.Skip(" (")) return std::nullopt;
  const auto words = message.Until(')');
  if (!words) return std::nullopt;
  for (const AdviceWords& known : kAdvice) {
    if (*words == known.words) return known.advice;
  }
  return AdviceOfCode(*code);
}

}  // namespace

DriverAdvice AdviceOf(int xid, std::string_view message) {
  Cursor cursor(message);
  if (xid != kRecoveryActionXid || !cursor.Skip("GPU recovery action changed from ") ||
      !TakeAdvice(cursor) || !cursor.Skip(" to ")) {
    return DriverAdvice::kUnknown;
  }
  return TakeAdvice(cursor).value_or(DriverAdvice::kUnknown);
}

bool IsFatal(int xid, std::string_view message) {
  if (xid < kNvlinkXidFirst || xid > kNvlinkXidLast) return true;
  while (!message.empty()) {
    const std::string_view word = message.substr(0, message.find(' '));
    if (word == "Fatal") return true;
    if (word == "Nonfatal") return false;
    message.remove_prefix(std::min(word.size() + 1, message.size()));
  }
  return true;
}

bool IsOfPeer(int xid, std::string_view message) {
  constexpr int kNetir = 149;
  constexpr uint32_t kInvestigatePeer = 37;
  constexpr int kSubCodeShift = 20;
  constexpr uint32_t kSubCodeMask = 0x3f;
  const size_t registers = message.find("(0x");
  if (xid != kNetir || registers == std::string_view::npos) return false;
  Cursor cursor(message.substr(registers + 3));
  const auto digits = cursor.HexDigits(8, 8);
  uint32_t first = 0;
  return digits && std::from_chars(digits->begin(), digits->end(), first, 16).ec == std::errc() &&
         ((first >> kSubCodeShift) & kSubCodeMask) == kInvestigatePeer;
}

}  // namespace gp
