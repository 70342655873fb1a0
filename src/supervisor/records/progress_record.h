#pragma once

// The encoding of a job's progress inside an attempt's status.

#include "base/bytes.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

void WriteProgress(ByteWriter& writer, const AttemptProgress& progress);
// Invalid values set the reader's error.
AttemptProgress ReadProgress(ByteReader& reader);

// The scores of its checkpoints: separate, because older records lack them.
void WriteScores(ByteWriter& writer, const AttemptProgress& progress);
void ReadScores(ByteReader& reader, AttemptProgress& progress);

}  // namespace gp
