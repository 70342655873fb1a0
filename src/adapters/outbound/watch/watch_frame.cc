#include "adapters/outbound/watch/watch_frame.h"

#include <vector>

#include "base/bytes.h"

namespace gp {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr uint64_t kListMax = 4'096;
enum Kind : uint64_t { kHealth = 1, kXid = 2 };

template <typename T>
void Put(ByteWriter& out, const std::optional<T>& value) {
  out.U64(value.has_value() ? 1 : 0);
  if (value) out.I64(static_cast<int64_t>(*value));
}

template <typename T>
void Get(ByteReader& in, std::optional<T>& value) {
  if (in.U64() == 0) return value.reset();
  value = static_cast<T>(in.I64());
}

size_t ListSize(ByteReader& in) {
  const uint64_t size = in.U64();
  if (size > kListMax || size > in.Remaining()) {
    in.MarkBad();
    return 0;
  }
  return size;
}

void Put(ByteWriter& out, const std::optional<EccCounts>& ecc) {
  out.U64(ecc.has_value() ? 1 : 0);
  const EccCounts counts = ecc.value_or(EccCounts{});
  for (const int64_t count : {counts.corrected_volatile, counts.uncorrected_volatile,
                              counts.corrected_aggregate, counts.uncorrected_aggregate})
    out.I64(count);
}

void Get(ByteReader& in, std::optional<EccCounts>& ecc) {
  const bool has_ecc = in.U64() != 0;
  EccCounts counts;
  for (int64_t* count : {&counts.corrected_volatile, &counts.uncorrected_volatile,
                         &counts.corrected_aggregate, &counts.uncorrected_aggregate})
    *count = in.I64();
  if (has_ecc) ecc = counts;
}

void Put(ByteWriter& out, const std::optional<RowRemap>& row_remap) {
  out.U64(row_remap.has_value() ? 1 : 0);
  const RowRemap rows = row_remap.value_or(RowRemap{});
  for (const int64_t count : {int64_t{rows.corrected_rows}, int64_t{rows.uncorrected_rows},
                              int64_t{rows.pending}, int64_t{rows.failed}})
    out.I64(count);
}

void Get(ByteReader& in, std::optional<RowRemap>& row_remap) {
  const bool has_rows = in.U64() != 0;
  RowRemap rows;
  rows.corrected_rows = static_cast<int>(in.I64());
  rows.uncorrected_rows = static_cast<int>(in.I64());
  rows.pending = in.I64() != 0;
  rows.failed = in.I64() != 0;
  if (has_rows) row_remap = rows;
}

void Put(ByteWriter& out, const std::vector<std::string>& texts) {
  out.U64(texts.size());
  for (const std::string& text : texts) out.String(text);
}

void Get(ByteReader& in, std::vector<std::string>& texts) {
  for (size_t left = ListSize(in); left > 0 && in.ok(); --left) texts.push_back(in.String());
}

void Put(ByteWriter& out, const std::vector<GpuProcess>& processes) {
  out.U64(processes.size());
  for (const GpuProcess& process : processes) {
    out.I64(process.pid);
    Put(out, process.memory_mib);
  }
}

void Get(ByteReader& in, std::vector<GpuProcess>& processes) {
  for (size_t left = ListSize(in); left > 0 && in.ok(); --left) {
    GpuProcess process;
    process.pid = static_cast<int>(in.I64());
    Get(in, process.memory_mib);
    processes.push_back(process);
  }
}

void PutReadings(ByteWriter& out, const GpuHealth& health) {
  Put(out, health.temperature_c);
  Put(out, health.power_watts);
  Put(out, health.utilization_percent);
  Put(out, health.memory_used_mib);
  Put(out, health.sm_clock_mhz);
  Put(out, health.memory_clock_mhz);
}

void GetReadings(ByteReader& in, GpuHealth& health) {
  Get(in, health.temperature_c);
  Get(in, health.power_watts);
  Get(in, health.utilization_percent);
  Get(in, health.memory_used_mib);
  Get(in, health.sm_clock_mhz);
  Get(in, health.memory_clock_mhz);
}

void Put(ByteWriter& out, const GpuHealth& health) {
  out.U64(kHealth);
  out.String(health.uuid);
  out.U64(health.lost ? 1 : 0);
  PutReadings(out, health);
  Put(out, health.ecc);
  Put(out, health.row_remap);
  Put(out, health.recovery_action);
  Put(out, health.throttle_reasons);
  Put(out, health.nvlinks_active);
  Put(out, health.nvlinks_total);
  Put(out, health.processes);
}

GpuHealth HealthFrom(ByteReader& in) {
  GpuHealth health;
  health.uuid = in.String();
  health.lost = in.U64() != 0;
  GetReadings(in, health);
  Get(in, health.ecc);
  Get(in, health.row_remap);
  Get(in, health.recovery_action);
  Get(in, health.throttle_reasons);
  Get(in, health.nvlinks_active);
  Get(in, health.nvlinks_total);
  Get(in, health.processes);
  return health;
}

void Put(ByteWriter& out, const XidSighting& seen) {
  out.U64(kXid);
  out.String(seen.uuid);
  out.I64(seen.xid);
  Put(out, seen.gpu_instance);
  Put(out, seen.compute_instance);
  Put(out, seen.advice);
}

XidSighting XidFrom(ByteReader& in) {
  XidSighting seen;
  seen.uuid = in.String();
  seen.xid = static_cast<int>(in.I64());
  Get(in, seen.gpu_instance);
  Get(in, seen.compute_instance);
  Get(in, seen.advice);
  return seen;
}

}  // namespace

const std::string& UuidOf(const WatchFrame& frame) {
  return std::visit([](const auto& what) -> const std::string& { return what.uuid; }, frame);
}

std::string EncodeFrame(const WatchFrame& frame) {
  ByteWriter out;
  std::visit([&out](const auto& what) { Put(out, what); }, frame);
  const std::string& body = out.bytes();
  std::string bytes(kLengthBytes, '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) bytes[i] = static_cast<char>(body.size() >> (8 * i));
  return bytes + body;
}

Result<std::optional<WatchFrame>> TakeFrame(std::string& bytes) {
  if (bytes.size() < kLengthBytes) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  if (length > kWatchFrameMax)
    return Fail(Internal("a watcher sent a frame of " + std::to_string(length) + " bytes"));
  if (bytes.size() < kLengthBytes + length) return std::nullopt;
  const std::string body = bytes.substr(kLengthBytes, length);
  bytes.erase(0, kLengthBytes + length);
  ByteReader in(body);
  const uint64_t kind = in.U64();
  std::optional<WatchFrame> frame;
  if (kind == kHealth) frame = HealthFrom(in);
  if (kind == kXid) frame = XidFrom(in);
  if (!frame || !in.ok() || !in.AtEnd())
    return Fail(Internal("a watcher sent something that is not a frame"));
  return frame;
}

}  // namespace gp
