#pragma once

// Who is notified of what the controller commits, as parts of its start.  Each adds itself to the
// observers of the recovered state, before the writer starts.

#include <atomic>
#include <memory>

#include "adapters/inbound/metrics/controller_metrics.h"
#include "adapters/outbound/event_log/event_log.h"
#include "adapters/outbound/notify/notifier.h"
#include "adapters/outbound/traces/trace_exporter.h"
#include "cmd/serve/control_parts.h"
#include "cmd/serve/storage_parts.h"

namespace gp {

// Sends notifications; without a file of receivers there is none.
class NotifierPart : public Component {
 public:
  NotifierPart(const ControllerConfig& config, OperatorLog& log, Clock& clock, RecordsPart& records,
               RecoveryPart& recovery)
      : config_(config), log_(log), clock_(clock), records_(records), recovery_(recovery) {}
  Status Start() override;
  void Stop() override { notifier_.reset(); }
  Notifier* notifier() { return notifier_.get(); }  // nullptr: none
  // Queues what a controller before this one has not sent; the writer runs.
  Status CatchUp();

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  RecordsPart& records_;
  RecoveryPart& recovery_;
  std::atomic<bool> writes_ = false;  // the writer runs
  std::unique_ptr<Notifier> notifier_;
};

// Sends traces, if there is a collector.
class TracesPart : public Component {
 public:
  TracesPart(const ControllerConfig& config, OperatorLog& log, RecoveryPart& recovery)
      : config_(config), log_(log), recovery_(recovery) {}
  Status Start() override;
  void Stop() override { traces_.reset(); }

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  RecoveryPart& recovery_;
  std::unique_ptr<TraceExporter> traces_;
};

// Metrics and the event log.
class TelemetryPart : public Component {
 public:
  TelemetryPart(const ControllerConfig& config, Clock& clock, RecoveryPart& recovery)
      : config_(config), clock_(clock), recovery_(recovery) {}
  Status Start() override;
  void Stop() override { log_.reset(); }  // writes what was logged
  ControllerMetrics& metrics() { return metrics_; }

 private:
  const ControllerConfig& config_;
  Clock& clock_;
  RecoveryPart& recovery_;
  ControllerMetrics metrics_;
  std::unique_ptr<EventLog> log_;
};

}  // namespace gp
