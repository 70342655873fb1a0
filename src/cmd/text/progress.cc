#include "cmd/text/progress.h"

#include <algorithm>
#include <utility>

namespace gp {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kQuietNs = kSecondNs;  // shorter work shows no progress
constexpr int64_t kBetweenNs = kSecondNs / 5;
constexpr double kTellsTime = 0.01;  // before, the pace is not meaningful

// "4 s", "3 min", "2 h": more than that would be false precision.
std::string Roughly(int64_t seconds) {
  if (seconds < 100) return std::to_string(std::max<int64_t>(1, seconds)) + " s";
  if (seconds < 100 * 60) return std::to_string((seconds + 30) / 60) + " min";
  return std::to_string((seconds + 1'800) / 3'600) + " h";
}

}  // namespace

Progress::Progress(Terminal terminal) : terminal_(std::move(terminal)) {
  if (terminal_.write) begun_ns_ = began_ns_ = terminal_.now_ns();
}

void Progress::Begin(std::string what) {
  what_ = std::move(what);
  if (terminal_.write) began_ns_ = terminal_.now_ns();
}

void Progress::Show(double done, const std::function<std::string()>& detail) {
  if (!terminal_.write) return;
  const int64_t now_ns = terminal_.now_ns();
  if (now_ns - begun_ns_ < kQuietNs || (is_shown_ && now_ns - shown_ns_ < kBetweenNs)) return;
  terminal_.write("\r" + Line(std::clamp(done, 0.0, 1.0), detail(), now_ns) + "\x1b[K");
  is_shown_ = true;
  shown_ns_ = now_ns;
}

std::string Progress::Line(double done, const std::string& detail, int64_t now_ns) const {
  std::string line = what_;
  if (!detail.empty()) line += (line.empty() ? "" : ": ") + detail;
  line += (line.empty() ? "" : " · ") + std::to_string(static_cast<int>(done * 100)) + " %";
  if (done < kTellsTime || done >= 1) return line;
  const double left_ns = static_cast<double>(now_ns - began_ns_) * (1 - done) / done;
  return line + " · about " + Roughly(static_cast<int64_t>(left_ns / kSecondNs + 0.5)) + " left";
}

void Progress::Clear() {
  if (!std::exchange(is_shown_, false)) return;
  terminal_.write("\r\x1b[K");
}

}  // namespace gp
