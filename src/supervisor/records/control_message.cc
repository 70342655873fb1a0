#include "supervisor/records/control_message.h"

#include "base/bytes.h"
#include "supervisor/records/attempt_record.h"
#include "supervisor/records/record_fields.h"

namespace gp {
namespace {

enum class Kind : uint64_t { kRenew = 1, kStop, kExec, kExecAnswer, kStatus, kDiscard };

void Write(ByteWriter& writer, const RenewRequest& request) {
  writer.U64(static_cast<uint64_t>(Kind::kRenew));
  writer.I64(request.lease_deadline_boot_ns);
}
void Write(ByteWriter& writer, const StopRequest& request) {
  writer.U64(static_cast<uint64_t>(Kind::kStop));
  writer.I64(request.grace.ns);
}
void Write(ByteWriter& writer, const ExecRequest& request) {
  writer.U64(static_cast<uint64_t>(Kind::kExec));
  writer.U64(request.id);
  WriteTexts(writer, request.spec.argv);
  WriteTexts(writer, request.spec.environment);
  writer.U64(request.spec.pty ? 1 : 0);
  writer.I64(request.spec.rows);
  writer.I64(request.spec.columns);
  writer.U64(request.spec.as_main ? 1 : 0);
}
void Write(ByteWriter& writer, const ExecAnswer& answer) {
  writer.U64(static_cast<uint64_t>(Kind::kExecAnswer));
  writer.U64(answer.id);
  writer.String(answer.error);
  writer.U64(answer.pty ? 1 : 0);
}
void Write(ByteWriter& writer, const StatusReport& report) {
  writer.U64(static_cast<uint64_t>(Kind::kStatus));
  writer.String(EncodeStatus(report.status));
}
void Write(ByteWriter& writer, const DiscardRequest& request) {
  writer.U64(static_cast<uint64_t>(Kind::kDiscard));
  writer.String(request.directory);
  WriteTexts(writer, request.paths);
}

ExecRequest ReadExec(ByteReader& reader) {
  ExecRequest request;
  request.id = reader.U64();
  request.spec.argv = ReadTexts(reader);
  request.spec.environment = ReadTexts(reader);
  request.spec.pty = reader.U64() != 0;
  request.spec.rows = static_cast<int>(reader.I64());
  request.spec.columns = static_cast<int>(reader.I64());
  request.spec.as_main = reader.U64() != 0;
  return request;
}

ExecAnswer ReadExecAnswer(ByteReader& reader) {
  ExecAnswer answer;
  answer.id = reader.U64();
  answer.error = reader.String();
  answer.pty = reader.U64() != 0;
  return answer;
}

}  // namespace

std::string EncodeMessage(const ControlMessage& message) {
  ByteWriter writer;
  std::visit([&](const auto& kind) { Write(writer, kind); }, message);
  return writer.Take();
}

Result<ControlMessage> DecodeMessage(std::string_view bytes) {
  ByteReader reader(bytes);
  ControlMessage message;
  switch (static_cast<Kind>(reader.U64())) {
    case Kind::kRenew: message = RenewRequest{.lease_deadline_boot_ns = reader.I64()}; break;
    case Kind::kStop: message = StopRequest{.grace = Duration{reader.I64()}}; break;
    case Kind::kExec: message = ReadExec(reader); break;
    case Kind::kExecAnswer: message = ReadExecAnswer(reader); break;
    case Kind::kStatus: message = StatusReport{GP_TRY(DecodeStatus(reader.String()))}; break;
    case Kind::kDiscard: message = DiscardRequest{reader.String(), ReadTexts(reader)}; break;
    default: return Fail(InvalidArgument("unknown control message"));
  }
  if (!reader.ok()) return Fail(InvalidArgument("control message is cut off"));
  return message;
}

SendOutcome SendMessage(int socket, const ControlMessage& message,
                        const std::vector<int>& descriptors) {
  return SendPacket(socket, EncodeMessage(message), descriptors);
}

ReceiveOutcome ReceiveMessage(int socket, ReceivedMessage& received) {
  Packet packet;
  while (true) {
    const ReceiveOutcome outcome = ReceivePacket(socket, Patience::kNone, packet);
    if (outcome != ReceiveOutcome::kMessage) return outcome;
    received.descriptors = std::move(packet.descriptors);
    Result<ControlMessage> message = DecodeMessage(packet.bytes);
    if (!message.has_value()) continue;
    received.message = std::move(*message);
    return ReceiveOutcome::kMessage;
  }
}

}  // namespace gp
