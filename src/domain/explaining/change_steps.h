#pragma once

// The changes that FindChanges tries, each in the file of its subject.  Each adds at most the
// smallest one that starts the job now.

#include "domain/explaining/change_search.h"

namespace gp {

// request_changes.cc: what the job requests of its nodes.
void TryFewerGpus(ChangeSearch& search);
void TryFewerNodes(ChangeSearch& search);
void TryTopology(ChangeSearch& search);
void TryModels(ChangeSearch& search);
void TryGpuMemory(ChangeSearch& search);
void TryHost(ChangeSearch& search);
void TryNodeLabels(ChangeSearch& search);

// standing_changes.cc: where the job stands among others.
void TryQueues(ChangeSearch& search);
void TryTimeLimit(ChangeSearch& search);
void TryPreemptible(ChangeSearch& search);
void TryPriority(ChangeSearch& search);

// other_jobs_changes.cc: what other jobs do.
void TryMoves(ChangeSearch& search);
void TryWait(ChangeSearch& search);

}  // namespace gp
