#pragma once

// How far a job says that it is, inside an attempt's status.

#include "base/bytes.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

void WriteProgress(ByteWriter& writer, const AttemptProgress& progress);
// What makes no sense marks the reader bad.
AttemptProgress ReadProgress(ByteReader& reader);

// What its checkpoints were scored: by itself, as older records lack it.
void WriteScores(ByteWriter& writer, const AttemptProgress& progress);
void ReadScores(ByteReader& reader, AttemptProgress& progress);

}  // namespace gp
