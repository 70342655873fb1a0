#include "domain/cluster/codec/codec.h"

#include "base/digest.h"
#include "domain/cluster/codec/build_indexes.h"
// The archive finds Fields by argument-dependent lookup, so its order here does not matter.
#include "domain/cluster/codec/archive.h"

namespace gp {

#define GP_ROW_FIELDS(Name, traits, ...) GP_FIELDS(Name, __VA_ARGS__)
GP_COMMANDS(GP_ROW_FIELDS)
GP_EVENTS(GP_ROW_FIELDS)
#undef GP_ROW_FIELDS

GP_FIELDS(Record, v.envelope, v.events)

namespace {

// The indexes of the state follow from its values and are not written.
template <typename A>
void StateFields(A& archive, State& v) {
  archive(v.policy, v.lineage, v.quiet_until, v.epoch, v.jobs.last, v.leases.last, v.last_pass,
          v.nodes.all, v.jobs.all, v.leases.all, v.queues.all, v.queues.accounts,
          v.reservations.all, v.jobs.arrays, v.faults.last_incident, v.faults.last_task,
          v.faults.troubles, v.faults.incidents, v.faults.out_of_service, v.faults.breakers,
          v.nodes.drain_deadlines, v.access.last_token, v.access, v.metering, v.queues.budgets,
          Since<17>(v.time), Since<17>(v.queues.budget_levels), Since<18>(v.requests.answered),
          Since<19>(v.queues.waits), Since<20>(v.nodes.images), Since<21>(v.format));
}

// Reads the format at the start of a record or snapshot, `what`.  Errors: kUnsupported.
Status ReadFormat(ReadArchive& archive, const FormatRange& formats, const char* what) {
  uint64_t format = 0;
  archive(format);
  archive.SetVersion(format);
  if (archive.ok() && formats.Has(format)) return Ok();
  return Fail(Unsupported(std::string(what) + " has format " + std::to_string(format) +
                          ", and this program reads formats " + std::to_string(formats.oldest) +
                          " to " + std::to_string(formats.newest) +
                          ": a program of another release has written it"));
}

constexpr const char* kRecord = "a journal record";
constexpr const char* kSnapshot = "a snapshot";

Error Damaged(const char* what) { return Internal(std::string(what) + " does not decode"); }

}  // namespace

std::string EncodeRecord(const Record& record, uint64_t format) {
  WriteArchive archive;
  archive.SetVersion(format);
  archive(format, record);
  return archive.Take();
}

Result<Record> DecodeRecord(std::string_view bytes, const FormatRange& formats) {
  ReadArchive archive(bytes);
  GP_CHECK_OK(ReadFormat(archive, formats, kRecord));
  Record record{{{}, {}, {}, Tick{}}, {}};  // a small command as a placeholder
  archive(record);
  if (!archive.Complete()) return Fail(Damaged(kRecord));
  return record;
}

Status CheckFormat(std::string_view record, const FormatRange& formats) {
  ReadArchive archive(record);
  return ReadFormat(archive, formats, kRecord);
}

std::string EncodeEvents(const std::vector<Event>& events) {
  WriteArchive archive;
  archive(events);
  return archive.Take();
}

std::string EncodeState(const State& state, uint64_t format) {
  WriteArchive archive;
  archive.SetVersion(format);
  archive(format);
  StateFields(archive, const_cast<State&>(state));
  return archive.Take();
}

Result<State> DecodeState(std::string_view bytes, const FormatRange& formats) {
  ReadArchive archive(bytes);
  GP_CHECK_OK(ReadFormat(archive, formats, kSnapshot));
  State state;
  StateFields(archive, state);
  if (!archive.Complete() || !BuildIndexes(state)) return Fail(Damaged(kSnapshot));
  return state;
}

uint64_t StateDigest(const State& state, uint64_t format) {
  return Digest64(EncodeState(state, format));
}

}  // namespace gp
