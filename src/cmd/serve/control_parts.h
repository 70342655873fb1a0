#pragma once

// The state of the controller and the connections of its nodes, as parts of its start.

#include <memory>

#include "application/control/control_loop.h"
#include "application/control/node_connections.h"
#include "cmd/sharing/lead_part.h"

namespace gp {

// Recovers the state from the journal.  The writer does not run yet, so observers can be added.
class RecoveryPart : public Component {
 public:
  RecoveryPart(const ControllerConfig& config, OperatorLog& log, Clock& clock, JournalPart& journal,
               RecordsPart& records, LeadPart& lead)
      : config_(config),
        log_(log),
        clock_(clock),
        journal_(journal),
        records_(records),
        lead_(lead) {}
  Status Start() override;
  ControlLoop& loop() { return *loop_; }

 private:
  const ControllerConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  JournalPart& journal_;
  RecordsPart& records_;
  LeadPart& lead_;
  std::unique_ptr<ControlLoop> loop_;
};

// The connections of nodes.  They are the first to be notified of what the controller commits, so
// that a job starts before anything else learns of it.
class NodesPart : public Component {
 public:
  explicit NodesPart(RecoveryPart& recovery) : recovery_(recovery) {}
  Status Start() override;
  NodeConnections& nodes() { return *nodes_; }

 private:
  RecoveryPart& recovery_;
  std::unique_ptr<NodeConnections> nodes_;
};

}  // namespace gp
