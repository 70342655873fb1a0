#pragma once

// The process that transfers data for a job.  What it reads is of unknown origin, and it has
// credentials of one user and nothing else.

#include <cstdio>
#include <functional>
#include <string>

#include "adapters/outbound/objects/transfer_task.h"
#include "base/result.h"

namespace gp {

// Does what the task says.  `become`: called before anything is read of its origin; data that is
// fetched goes into a directory that was opened before, data that is sent comes from one that is
// opened after.  Error messages name the URL, and contain no credentials.
Result<TransferReport> RunTransfer(const TransferTask& task, const std::function<Status()>& become,
                                   const std::function<void(const TransferProgress&)>& on_progress);

// Reads a task and prints lines, as transfer_task.h has them.  The memory of this process is
// closed to other ones of its user from now on.  Returns the exit code: 0, or 1 after an error.
int TransferProcess(std::FILE* in, std::FILE* out, const std::function<Status()>& become);

}  // namespace gp
