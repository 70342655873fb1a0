#pragma once

#include "cmd/serve/control_parts.h"
#include "cmd/serve/observer_parts.h"

namespace gp {

// The single writer.  From its start on the controller decides, so all observers start before it,
// and the servers that wait for its answers after it.
class WriterPart : public Component {
 public:
  WriterPart(RecoveryPart& recovery, LeadPart& lead, NotifierPart& notifier)
      : recovery_(recovery), lead_(lead), notifier_(notifier) {}
  Status Start() override;
  void Stop() override { recovery_.loop().Stop(); }

 private:
  Status CleanUp();
  Status DeleteOrphanedSecrets();

  RecoveryPart& recovery_;
  LeadPart& lead_;
  NotifierPart& notifier_;
};

}  // namespace gp
