// Writes the corpus: journals of generated cluster lives, in the format that this program writes:
// the first ones, and those in which something occurs that did not before.  Run once for each
// journal format, before the first program that writes another one; the files are never written
// again.
//   write_corpus DIRECTORY

#include <cstdio>
#include <set>
#include <string>
#include <utility>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "domain/cluster/apply/apply.h"
#include "tests/property/sequence.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr uint64_t kLives = 24;
constexpr uint64_t kSeedsMax = 20'000;
// Every third life loses its beginning: a snapshot stands for it, and a later one lies in the rest.
constexpr uint64_t kDroppedEvery = 3;

Status AppendAll(Journal& journal, const std::vector<Record>& records) {
  std::vector<std::string> bytes;
  for (const Record& record : records) bytes.push_back(EncodeRecord(record));
  const Appended end = journal.Append(1, journal.LastSequence(), bytes);
  return end.end == AppendEnd::kDurable ? Ok() : Fail(Internal(end.why));
}

State Fold(const std::vector<Record>& records, size_t count) {
  State state;
  for (size_t i = 0; i < count; ++i) {
    for (const Event& event : records[i].events) Apply(state, records[i].envelope.at, event);
  }
  return state;
}

Status DropBeginning(Journal& journal, const std::vector<Record>& records) {
  const size_t base = records.size() / 3;
  for (const size_t count : {base, 2 * base}) {
    GP_CHECK_OK(journal.SaveSnapshot({count, EncodeState(Fold(records, count))}));
  }
  GP_CHECK_OK(journal.BeginWith(base));
  while (GP_TRY(journal.Sweep())) {
  }
  return Ok();
}

using Kinds = std::set<std::pair<bool, size_t>>;  // whether a command or an event, and which

// Adds what occurs in this life to what occurred in those before.  Whether anything is new.
bool AddKinds(const std::vector<Record>& records, Kinds& seen) {
  const size_t before = seen.size();
  for (const Record& record : records) {
    seen.insert({true, record.envelope.command.index()});
    for (const Event& event : record.events) seen.insert({false, event.index()});
  }
  return seen.size() > before;
}

Status WriteLife(const std::string& directory, uint64_t seed, Kinds& seen) {
  Sequence life(seed);
  if (const std::string broken = life.Run(); !broken.empty()) return Fail(Internal(broken));
  const bool has_news = AddKinds(life.ledger().records(), seen);
  if (!has_news && seed > kLives) return Ok();
  char name[32];
  std::snprintf(name, sizeof name, "/life-%05lu.db", seed);
  const auto journal = GP_TRY(SqliteJournal::Open(directory + name));
  const std::vector<Record>& records = life.ledger().records();
  GP_CHECK_OK(AppendAll(*journal, records));
  return seed % kDroppedEvery == 0 ? DropBeginning(*journal, records) : Ok();
}

// What lives do not have: requests that change or read something outside the state.
Status WriteNotes(const std::string& directory) {
  TestCluster cluster;
  (void)GP_TRY(cluster.Execute(NoteRefusal{"SubmitJobs", "not with this role", 3}));
  (void)GP_TRY(cluster.Execute(NoteChange{"SetSecret", "token", "of ana"}));
  const auto journal = GP_TRY(SqliteJournal::Open(directory + "/notes.db"));
  const Appended end = journal->Append(1, 0, cluster.records());
  return end.end == AppendEnd::kDurable ? Ok() : Fail(Internal(end.why));
}

Status WriteCorpus(const std::string& directory) {
  GP_CHECK_OK(WriteNotes(directory));
  Kinds seen;
  for (uint64_t seed = 1; seed <= kSeedsMax; ++seed) {
    const Status written = WriteLife(directory, seed, seen);
    if (!written) return Fail(written.error().Within("life " + std::to_string(seed)));
  }
  return Ok();
}

}  // namespace
}  // namespace gp

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "write_corpus DIRECTORY\n"), 2;
  const gp::Status written = gp::WriteCorpus(argv[1]);
  if (!written) return std::fprintf(stderr, "%s\n", written.error().message.c_str()), 1;
}
