#include "cmd/text/terminal_progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "infrastructure/system_clock.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr double kDayNs = 86'400e9;

std::string Days(double done, double days) {
  if (days < 1) return "";
  return "simulated day " +
         std::to_string(std::min(static_cast<int64_t>(done * days) + 1,
                                 static_cast<int64_t>(std::ceil(days)))) +
         " of " + std::to_string(static_cast<int64_t>(std::ceil(days)));
}

}  // namespace

Progress::Terminal ProgressOn(const Output& output) {
  if (output.quiet || isatty(STDERR_FILENO) == 0) return {};
  return {[] { return SystemClock().BootNs(); },
          [](const std::string& text) {
            std::fputs(ForLocale(text).c_str(), stderr);
            std::fflush(stderr);
          }};
}

DoneWatch ShowDays(Progress& progress, Duration span) {
  const double days = static_cast<double>(span.ns) / kDayNs;
  return [&progress, days](double done) { progress.Show(done, [&] { return Days(done, days); }); };
}

RunWatch ShowRun(Progress& progress, Instant begin, Instant end) {
  const double span = std::max(1.0, static_cast<double>((end - begin).ns));
  return [show = ShowDays(progress, end - begin), begin, span](const State&, Instant until) {
    show(static_cast<double>((until - begin).ns) / span);
  };
}

DoneWatch ShowPart(Progress& progress) {
  return [&progress](double done) { progress.Show(done, [] { return std::string(); }); };
}

}  // namespace gp
