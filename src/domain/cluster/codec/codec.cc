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

constexpr uint64_t kFormatVersion = 20;
// The oldest format that can still be read.
constexpr uint64_t kFormatOldest = 16;

// The indexes of the state follow from its values and are not written.
template <typename A>
void StateFields(A& archive, State& v) {
  archive(v.policy, v.lineage, v.quiet_until, v.epoch, v.jobs.last, v.leases.last, v.last_pass,
          v.nodes.all, v.jobs.all, v.leases.all, v.queues.all, v.queues.accounts,
          v.reservations.all, v.jobs.arrays, v.faults.last_incident, v.faults.last_task,
          v.faults.troubles, v.faults.incidents, v.faults.out_of_service, v.faults.breakers,
          v.nodes.drain_deadlines, v.access.last_token, v.access, v.metering, v.queues.budgets,
          Since<17>(v.time), Since<17>(v.queues.budget_levels), Since<18>(v.requests.answered),
          Since<19>(v.queues.waits), Since<20>(v.nodes.images));
}

// Reads the version at the start of a record or snapshot; false: this version cannot be read.
bool ReadVersion(ReadArchive& archive) {
  uint64_t version = 0;
  archive(version);
  archive.SetVersion(version);
  return version >= kFormatOldest && version <= kFormatVersion;
}

Error Damaged(const char* what) { return Internal(std::string(what) + " does not decode"); }

}  // namespace

std::string EncodeRecord(const Record& record) {
  WriteArchive archive;
  archive(kFormatVersion, record);
  return archive.Take();
}

Result<Record> DecodeRecord(std::string_view bytes) {
  ReadArchive archive(bytes);
  if (!ReadVersion(archive)) return Fail(Damaged("a journal record of another version"));
  Record record{{{}, {}, {}, Tick{}}, {}};  // a small command as a placeholder
  archive(record);
  if (!archive.Complete()) return Fail(Damaged("a journal record"));
  return record;
}

std::string EncodeEvents(const std::vector<Event>& events) {
  WriteArchive archive;
  archive(events);
  return archive.Take();
}

std::string EncodeState(const State& state) {
  WriteArchive archive;
  archive(kFormatVersion);
  StateFields(archive, const_cast<State&>(state));
  return archive.Take();
}

Result<State> DecodeState(std::string_view bytes) {
  ReadArchive archive(bytes);
  if (!ReadVersion(archive)) return Fail(Damaged("a snapshot of another version"));
  State state;
  StateFields(archive, state);
  if (!archive.Complete() || !BuildIndexes(state)) return Fail(Damaged("a snapshot"));
  return state;
}

uint64_t StateDigest(const State& state) { return Digest64(EncodeState(state)); }

}  // namespace gp
