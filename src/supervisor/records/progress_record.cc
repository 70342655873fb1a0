#include "supervisor/records/progress_record.h"

namespace gp {
namespace {

void WriteReport(ByteWriter& writer, const CheckpointReport& report) {
  writer.I64(report.number);
  writer.I64(report.step);
  writer.String(report.path);
  writer.I64(report.bytes);
  writer.I64(report.took.ns);
  writer.U64(report.is_complete ? 1 : 0);
  writer.String(report.fault);
  writer.I64(report.at.ns);
}

CheckpointReport ReadReport(ByteReader& reader) {
  CheckpointReport report;
  report.number = reader.I64();
  report.step = reader.I64();
  report.path = reader.String();
  report.bytes = reader.I64();
  report.took.ns = reader.I64();
  report.is_complete = reader.U64() != 0;
  report.fault = reader.String();
  report.at.ns = reader.I64();
  return report;
}

}  // namespace

void WriteProgress(ByteWriter& writer, const AttemptProgress& progress) {
  writer.I64(progress.at.ns);
  writer.I64(progress.step);
  writer.I64(progress.steps);
  writer.U64(progress.is_hung ? 1 : 0);
  writer.U64(progress.checkpoints.size());
  for (const CheckpointReport& report : progress.checkpoints) WriteReport(writer, report);
  writer.String(progress.refused);
}

AttemptProgress ReadProgress(ByteReader& reader) {
  AttemptProgress progress;
  progress.at.ns = reader.I64();
  progress.step = reader.I64();
  progress.steps = reader.I64();
  progress.is_hung = reader.U64() != 0;
  const uint64_t count = reader.U64();
  if (count > kCheckpointReportsMax) reader.MarkBad();
  for (uint64_t i = 0; i < count && reader.ok(); ++i)
    progress.checkpoints.push_back(ReadReport(reader));
  progress.refused = reader.String();
  return progress;
}

void WriteScores(ByteWriter& writer, const AttemptProgress& progress) {
  for (const CheckpointReport& report : progress.checkpoints) {
    writer.U64(report.is_scored ? 1 : 0);
    writer.I64(report.score);
  }
}

void ReadScores(ByteReader& reader, AttemptProgress& progress) {
  for (CheckpointReport& report : progress.checkpoints) {
    report.is_scored = reader.U64() != 0;
    report.score = reader.I64();
  }
}

}  // namespace gp
