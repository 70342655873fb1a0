#include "cmd/serve/observer_parts.h"

#include <unistd.h>

#include "adapters/outbound/notify/deliver.h"

namespace gp {

Status NotifierPart::Start() {
  if (!config_.notify) return Ok();
  const NotifyConfig& receivers = *config_.notify;
  for (const Receiver& receiver : receivers.receivers) {
    if (const std::string problem = ProblemOf(receiver); !problem.empty())
      log_.Write(LogLevel::kWarning, "notify: " + receiver.name + ": " + problem);
  }
  const std::string& place = config_.ephemeral ? config_.run_directory : config_.state_directory;
  const auto say = [this](LogLevel level, const std::string& text) { log_.Write(level, text); };
  ControlLoop& loop = recovery_.loop();
  notifier_ = GP_TRY(
      Notifier::Start(receivers, place + "/notify", say, clock_, [&loop] { return loop.Now(); }));
  loop.AddObserver(notifier_.get());
  return Ok();
}

Status NotifierPart::CatchUp() {
  if (notifier_ == nullptr) return Ok();
  return recovery_.loop().Read([this](const State& state) { notifier_->CatchUp(state); });
}

Status TracesPart::Start() {
  if (config_.traces.empty()) return Ok();
  traces_ = std::make_unique<TraceExporter>(TraceExporter::Options{
      .collector = GP_TRY(ParseCollector(config_.traces)),
      .version = GP_VERSION,
      .say = [this](LogLevel level, const std::string& text) { log_.Write(level, text); }});
  recovery_.loop().AddObserver(traces_.get());
  return Ok();
}

Status TelemetryPart::Start() {
  recovery_.loop().AddObserver(&metrics_);
  if (!config_.log) return Ok();
  log_ = std::make_unique<EventLog>(STDERR_FILENO, *config_.log, clock_);
  recovery_.loop().AddObserver(log_.get());
  return Ok();
}

}  // namespace gp
