#include "supervisor/records/attempt_record.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/bytes.h"
#include "files/descriptor.h"
#include "supervisor/records/progress_record.h"
#include "supervisor/records/record_fields.h"
#include "supervisor/records/sealed_record.h"

namespace gp {
namespace {

constexpr uint64_t kLaunchMagic = 0x6c61756e63680002;
constexpr uint64_t kStatusMagic = 0x7374617475730002;
constexpr uint64_t kPlainLaunchMagic = 0x6c61756e63680001;
constexpr uint64_t kPlainStatusMagic = 0x7374617475730001;
constexpr size_t kFileBytesMax = 16 << 20;

void WriteCpuSet(ByteWriter& writer, const CpuSet& set) {
  writer.U64(set.words().size());
  for (const uint64_t word : set.words()) writer.U64(word);
}

CpuSet ReadCpuSet(ByteReader& reader) {
  std::vector<uint64_t> words;
  const uint64_t count = reader.U64();
  if (count > CpuSet::kMax / 64) reader.MarkBad();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) words.push_back(reader.U64());
  return CpuSet::FromWords(std::move(words));
}

void WriteWho(ByteWriter& writer, const LaunchSpec& spec) {
  writer.U64(spec.uid);
  writer.U64(spec.gid);
  writer.U64(spec.groups.size());
  for (const uint32_t group : spec.groups) writer.U64(group);
}

void ReadWho(ByteReader& reader, LaunchSpec& spec) {
  spec.uid = static_cast<uint32_t>(reader.U64());
  spec.gid = static_cast<uint32_t>(reader.U64());
  const uint64_t count = reader.U64();
  if (count > reader.Remaining()) reader.MarkBad();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    spec.groups.push_back(static_cast<uint32_t>(reader.U64()));
  }
}

void WriteDevices(ByteWriter& writer, const std::vector<DeviceNumber>& devices) {
  writer.U64(devices.size());
  for (const DeviceNumber& device : devices) {
    writer.I64(device.major);
    writer.I64(device.minor);
  }
}

std::vector<DeviceNumber> ReadDevices(ByteReader& reader) {
  std::vector<DeviceNumber> devices;
  const uint64_t count = reader.U64();
  if (count > reader.Remaining()) reader.MarkBad();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    DeviceNumber device;
    device.major = static_cast<int>(reader.I64());
    device.minor = static_cast<int>(reader.I64());
    devices.push_back(device);
  }
  return devices;
}

void WriteParts(ByteWriter& writer, const std::vector<GpuPart>& parts) {
  writer.U64(parts.size());
  for (const GpuPart& part : parts) {
    writer.I64(part.gpu);
    writer.I64(part.minor);
    writer.String(part.uuid);
    writer.I64(part.memory_mib);
    writer.I64(part.percent);
    writer.U64(part.mps ? 1 : 0);
  }
}

std::vector<GpuPart> ReadParts(ByteReader& reader) {
  std::vector<GpuPart> parts;
  const uint64_t count = reader.U64();
  if (count > reader.Remaining()) reader.MarkBad();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    GpuPart part;
    part.gpu = static_cast<int>(reader.I64());
    part.minor = static_cast<int>(reader.I64());
    part.uuid = reader.String();
    part.memory_mib = reader.I64();
    part.percent = static_cast<int>(reader.I64());
    part.mps = reader.U64() != 0;
    parts.push_back(part);
  }
  return parts;
}

void WriteMig(ByteWriter& writer, const MigPart& part) {
  for (const int value : {part.gpu, part.profile, part.start, part.slices, part.instance})
    writer.I64(value);
}

MigPart ReadMig(ByteReader& reader) {
  MigPart part;
  for (int* value : {&part.gpu, &part.profile, &part.start, &part.slices, &part.instance})
    *value = static_cast<int>(reader.I64());
  return part;
}

void WriteLimits(ByteWriter& writer, const LaunchSpec& spec) {
  WriteDevices(writer, spec.devices);
  WriteCpuSet(writer, spec.cpus);
  WriteCpuSet(writer, spec.memory_nodes);
  writer.I64(spec.memory_bytes_max);
  writer.I64(spec.processes_max);
  writer.I64(spec.shm_bytes);
  writer.U64(spec.private_tmp ? 1 : 0);
}

void ReadLimits(ByteReader& reader, LaunchSpec& spec) {
  spec.devices = ReadDevices(reader);
  spec.cpus = ReadCpuSet(reader);
  spec.memory_nodes = ReadCpuSet(reader);
  spec.memory_bytes_max = reader.I64();
  spec.processes_max = reader.I64();
  spec.shm_bytes = reader.I64();
  spec.private_tmp = reader.U64() != 0;
}

void WriteLife(ByteWriter& writer, const LaunchSpec& spec) {
  writer.String(spec.log_directory);
  writer.String(spec.log_name);
  writer.I64(spec.log_bytes_max);
  writer.I64(spec.grace.ns);
  writer.U64(spec.stop_on_lease_loss ? 1 : 0);
  writer.I64(spec.lease_deadline_boot_ns);
  writer.String(spec.prolog);
  writer.String(spec.epilog);
  writer.I64(spec.hook_time_limit.ns);
}

void ReadLife(ByteReader& reader, LaunchSpec& spec) {
  spec.log_directory = reader.String();
  spec.log_name = reader.String();
  spec.log_bytes_max = reader.I64();
  spec.grace.ns = reader.I64();
  spec.stop_on_lease_loss = reader.U64() != 0;
  spec.lease_deadline_boot_ns = reader.I64();
  spec.prolog = reader.String();
  spec.epilog = reader.String();
  spec.hook_time_limit.ns = reader.I64();
}

void WriteReporting(ByteWriter& writer, const LaunchSpec& spec) {
  writer.String(spec.report_pipe);
  writer.I64(spec.hang_after.ns);
  writer.I64(spec.checkpoint_signal);
  writer.I64(spec.checkpoint_interval.ns);
  WriteTexts(writer, spec.log_patterns);
}

void ReadReporting(ByteReader& reader, LaunchSpec& spec) {
  spec.report_pipe = reader.String();
  spec.hang_after.ns = reader.I64();
  spec.checkpoint_signal = static_cast<int>(reader.I64());
  spec.checkpoint_interval.ns = reader.I64();
  spec.log_patterns = ReadTexts(reader);
}

void WriteMetricLimits(ByteWriter& writer, const std::vector<MetricLimit>& limits) {
  writer.U64(limits.size());
  for (const MetricLimit& limit : limits) {
    writer.String(limit.name);
    writer.U64(static_cast<uint64_t>(limit.test));
    writer.String(limit.limit);
  }
}

std::vector<MetricLimit> ReadMetricLimits(ByteReader& reader) {
  const uint64_t count = reader.U64();
  if (count > reader.Remaining()) reader.MarkBad();
  std::vector<MetricLimit> limits;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    MetricLimit limit;
    limit.name = reader.String();
    const uint64_t test = reader.U64();
    if (test > static_cast<uint64_t>(MetricTest::kBelow)) reader.MarkBad();
    limit.test = static_cast<MetricTest>(test);
    limit.limit = reader.String();
    limits.push_back(std::move(limit));
  }
  return limits;
}

void WriteView(ByteWriter& writer, const LaunchSpec& spec) {
  writer.String(spec.image_directory);
  writer.String(spec.device_directory);
  writer.String(spec.user_name);
  writer.String(spec.home);
  writer.U64(spec.host_directories.size());
  for (const HostDirectory& directory : spec.host_directories) {
    writer.String(directory.path);
    writer.U64(static_cast<uint64_t>(directory.absent));
    writer.String(directory.at);
    writer.U64((directory.read_only ? 1 : 0) | (directory.is_requested ? 2 : 0) |
               (directory.is_of_agent ? 4 : 0));
  }
  WriteTexts(writer, spec.mount_prefixes);
  writer.U64(spec.private_network ? 1 : 0);
  WriteTexts(writer, spec.image_layers);
}

void ReadView(ByteReader& reader, LaunchSpec& spec) {
  spec.image_directory = reader.String();
  spec.device_directory = reader.String();
  spec.user_name = reader.String();
  spec.home = reader.String();
  const uint64_t count = reader.U64();
  if (count > reader.Remaining()) reader.MarkBad();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    HostDirectory directory;
    directory.path = reader.String();
    const uint64_t absent = reader.U64();
    if (absent > static_cast<uint64_t>(HostDirectory::Absent::kMake)) reader.MarkBad();
    directory.absent = static_cast<HostDirectory::Absent>(absent);
    directory.at = reader.String();
    const uint64_t flags = reader.U64();
    directory.read_only = (flags & 1) != 0;
    directory.is_requested = (flags & 2) != 0;
    directory.is_of_agent = (flags & 4) != 0;
    spec.host_directories.push_back(std::move(directory));
  }
  spec.mount_prefixes = ReadTexts(reader);
  spec.private_network = reader.U64() != 0;
  if (reader.Remaining() > 0) spec.image_layers = ReadTexts(reader);
}

}  // namespace

std::string EncodeLaunch(const LaunchRecord& record) {
  const LaunchSpec& spec = record.spec;
  ByteWriter writer;
  writer.String(spec.key);
  WriteTexts(writer, spec.argv);
  WriteTexts(writer, spec.environment);
  writer.String(spec.working_directory);
  WriteWho(writer, spec);
  writer.U64(spec.interactive ? 1 : 0);
  WriteLimits(writer, spec);
  WriteLife(writer, spec);
  writer.String(record.cgroups.unified);
  WriteTexts(writer, record.cgroups.joined);
  writer.String(record.cgroups.freezer);
  writer.String(record.cgroups.oom_events);
  // From here on: fields that older records lack.
  writer.I64(spec.entry_time_limit.ns);
  WriteReporting(writer, spec);
  WriteParts(writer, spec.parts);
  WriteMig(writer, spec.mig);
  writer.U64(spec.private_processes ? 1 : 0);
  WriteView(writer, spec);
  WriteMetricLimits(writer, spec.metric_limits);
  writer.U64((spec.copies ? 1 : 0) | (spec.copies_checkpoints ? 2 : 0));
  WriteTexts(writer, spec.driver_lists);
  return Seal(kLaunchMagic, writer.bytes());
}

Result<LaunchRecord> DecodeLaunch(std::string_view bytes) {
  ByteReader reader(GP_TRY(Unseal(bytes, kLaunchMagic, kPlainLaunchMagic, "launch record")));
  LaunchRecord record;
  LaunchSpec& spec = record.spec;
  spec.key = reader.String();
  spec.argv = ReadTexts(reader);
  spec.environment = ReadTexts(reader);
  spec.working_directory = reader.String();
  ReadWho(reader, spec);
  spec.interactive = reader.U64() != 0;
  ReadLimits(reader, spec);
  ReadLife(reader, spec);
  record.cgroups.unified = reader.String();
  record.cgroups.joined = ReadTexts(reader);
  record.cgroups.freezer = reader.String();
  record.cgroups.oom_events = reader.String();
  if (reader.Remaining() > 0) spec.entry_time_limit.ns = reader.I64();
  if (reader.Remaining() > 0) ReadReporting(reader, spec);
  if (reader.Remaining() > 0) spec.parts = ReadParts(reader);
  if (reader.Remaining() > 0) spec.mig = ReadMig(reader);
  if (reader.Remaining() > 0) spec.private_processes = reader.U64() != 0;
  if (reader.Remaining() > 0) ReadView(reader, spec);
  if (reader.Remaining() > 0) spec.metric_limits = ReadMetricLimits(reader);
  const uint64_t copies = reader.Remaining() > 0 ? reader.U64() : 0;
  spec.copies = (copies & 1) != 0;
  spec.copies_checkpoints = (copies & 2) != 0;
  if (reader.Remaining() > 0) spec.driver_lists = ReadTexts(reader);
  if (!reader.ok()) return Fail(InvalidArgument("launch record is cut off"));
  return record;
}

std::string EncodeStatus(const AttemptStatus& status) {
  ByteWriter writer;
  writer.String(status.key);
  writer.U64(static_cast<uint64_t>(status.phase));
  writer.I64(status.pid);
  writer.I64(status.started_at.ns);
  writer.I64(status.ended_at.ns);
  writer.I64(status.exit_code);
  writer.I64(status.signal);
  writer.U64(static_cast<uint64_t>(status.cause));
  writer.String(status.message);
  // From here on: fields that older records lack.
  WriteProgress(writer, status.progress);
  WriteScores(writer, status.progress);
  writer.I64(status.started_boot_ns);
  writer.I64(status.ended_boot_ns);
  writer.I64(status.progress.metric_limit);
  writer.String(status.progress.metric_value);
  return Seal(kStatusMagic, writer.bytes());
}

Result<AttemptStatus> DecodeStatus(std::string_view bytes) {
  ByteReader reader(GP_TRY(Unseal(bytes, kStatusMagic, kPlainStatusMagic, "status record")));
  AttemptStatus status;
  status.key = reader.String();
  const uint64_t phase = reader.U64();
  status.pid = static_cast<int>(reader.I64());
  status.started_at.ns = reader.I64();
  status.ended_at.ns = reader.I64();
  status.exit_code = static_cast<int>(reader.I64());
  status.signal = static_cast<int>(reader.I64());
  const uint64_t cause = reader.U64();
  status.message = reader.String();
  if (reader.Remaining() > 0) status.progress = ReadProgress(reader);
  if (reader.Remaining() > 0) ReadScores(reader, status.progress);
  if (reader.Remaining() > 0) status.started_boot_ns = reader.I64();
  if (reader.Remaining() > 0) status.ended_boot_ns = reader.I64();
  if (reader.Remaining() > 0) status.progress.metric_limit = static_cast<int>(reader.I64());
  if (reader.Remaining() > 0) status.progress.metric_value = reader.String();
  if (!reader.ok() || phase > static_cast<uint64_t>(AttemptPhase::kExited) ||
      cause > static_cast<uint64_t>(EndCause::kPlatformFault)) {
    return Fail(InvalidArgument("status record is damaged"));
  }
  status.phase = static_cast<AttemptPhase>(phase);
  status.cause = static_cast<EndCause>(cause);
  return status;
}

Result<std::string> ReadFileAt(int directory_fd, const char* name) {
  const Descriptor file(openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return Fail(SystemError(std::string("cannot open ") + name, errno));
  struct stat facts;
  if (fstat(file.get(), &facts) != 0 || facts.st_size > static_cast<off_t>(kFileBytesMax)) {
    return Fail(Internal(std::string(name) + " is larger than any such file"));
  }
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0) return Fail(SystemError(std::string("cannot read ") + name, errno));
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

Error SystemError(const std::string& what, int error_number) {
  return Internal(what + ": " + std::strerror(error_number));
}

}  // namespace gp
