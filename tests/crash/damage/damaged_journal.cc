#include "tests/crash/damage/damaged_journal.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "base/assert.h"
#include "domain/cluster/apply/apply.h"
#include "tests/support/append_to.h"

namespace gp {
namespace {

constexpr int64_t kLogPages = 160;
constexpr size_t kLogHeader = 32;
constexpr size_t kFrame = 24 + 4'096;
constexpr int kRoundsInDatabase = 40;
constexpr int kRoundsInLog = 3;  // fewer than would begin the log again

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteWhole(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

bool Names(const Error& error, const std::string& path) {
  return error.message.find(path) != std::string::npos;
}

}  // namespace

DamagedJournal::DamagedJournal(std::string directory, WorkloadKind kind, LeftBy left_by)
    : directory_(std::move(directory)) {
  const auto live = [&](const LifeOptions& options) {
    return Live(directory_, witness_, kind, options);
  };
  GP_ASSERT(live({.rounds = kRoundsInDatabase, .log_pages = kLogPages}).has_value(), "it lives");
  if (left_by == LeftBy::kKill) {
    const LifeOptions more{
        .first = kRoundsInDatabase, .rounds = kRoundsInLog, .log_pages = kLogPages, .at_end = [] {
          kill(getpid(), SIGKILL);
        }};
    GP_ASSERT(InChild(directory_, {}, [&] { return live(more); }).killed, "it is killed");
  }
  for (const std::string suffix : {"", "-wal", ".mark"}) {
    if (std::filesystem::exists(Path() + suffix)) files_[suffix] = ReadWhole(Path() + suffix);
  }
  std::string& log = files_["-wal"];
  const size_t used = log.find_last_not_of('\0') + 1;
  log.resize(used == 0 ? 0 : kLogHeader + (used - kLogHeader + kFrame - 1) / kFrame * kFrame);
  records_ = witness_.Offered();
  records_.resize(witness_.durable());
  State state;
  digests_.push_back(StateDigest(state));
  for (const std::string& bytes : records_) {
    const auto record = DecodeRecord(bytes);
    for (const Event& event : record->events) Apply(state, record->envelope.at, event);
    digests_.push_back(StateDigest(state));
  }
}

void DamagedJournal::Place(const std::string& suffix, const std::string& changed) const {
  WatchFiles(directory_);  // its syncs need not reach the disk
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    std::filesystem::remove(entry);
  for (const auto& [name, bytes] : files_)
    WriteWhole(Path() + name, name == suffix ? changed : bytes);
}

// Every record that is handed out, and the state that is recovered.
std::string DamagedJournal::Check(Journal& journal) const {
  std::string wrong;
  (void)journal.ReadAfter(0, [&](uint64_t sequence, std::string_view bytes) -> Status {
    if (sequence > records_.size() || bytes != records_[sequence - 1])
      wrong = "record " + std::to_string(sequence) + " is wrong";
    return Ok();
  });
  return wrong;
}

Fate DamagedJournal::Start(std::string& why) const {
  auto journal = SqliteJournal::Open(Path(), kLogPages);
  if (!journal) {
    why = journal.error().message;
    return Names(journal.error(), Path()) ? Fate::kRefused : Fate::kWrong;
  }
  why = Check(**journal);
  if (!why.empty()) return Fate::kWrong;
  const auto recovered = RecoverState(**journal);
  if (!recovered) {
    why = recovered.error().message;
    return Names(recovered.error(), Path()) ? Fate::kRefused : Fate::kWrong;
  }
  const uint64_t last = (*journal)->LastSequence();
  const bool is_prefix = last < digests_.size() && StateDigest(recovered->state) == digests_[last];
  why = is_prefix ? (*journal)->loss()
                  : "the state after record " + std::to_string(last) + " is wrong";
  if (!is_prefix) return Fate::kWrong;
  if (last == records_.size()) return why.empty() ? Fate::kWhole : Fate::kWrong;
  if (why.empty())
    why = "ends at record " + std::to_string(last) + " of " + std::to_string(records_.size()) +
          " and says nothing";
  return (*journal)->loss().empty() ? Fate::kWrong : Fate::kPrefix;
}

std::string DamagedJournal::AppendAndStartAgain() const {
  uint64_t last = 0;
  {
    auto journal = SqliteJournal::Open(Path(), kLogPages);
    if (!journal || !RecoverState(**journal) || !(*journal)->AcceptLoss()) return "";
    if (!AppendTo(**journal, {&records_.front(), 1})) return "";
    last = (*journal)->LastSequence();
  }
  auto journal = SqliteJournal::Open(Path(), kLogPages);
  if (!journal) return "";
  std::string found;
  const Status read =
      (*journal)->ReadAfter(last - 1, [&](uint64_t, std::string_view bytes) -> Status {
        found = bytes;
        return Ok();
      });
  if (!read || (*journal)->LastSequence() != last) return read ? "the record appended is gone" : "";
  return found == records_.front() ? "" : "the record appended is another one";
}

std::string DamagedJournal::Salvage() const {
  auto journal = SqliteJournal::Open(Path(), kLogPages);
  if (!journal) return "";
  const auto kept = (*journal)->KeepSoundPrefix();
  if (!kept) return Names(kept.error(), Path()) ? "" : kept.error().message;
  if (*kept == records_.size()) return "";
  if ((*journal)->loss().empty())
    return "it is not said that records after " + std::to_string(*kept) + " are given up";
  const auto recovered = RecoverState(**journal);
  if (!recovered) return "what was kept is refused: " + recovered.error().message;
  if (StateDigest(recovered->state) != digests_[*kept]) return "what was kept is wrong";
  return AppendTo(**journal, {&records_.front(), 1}) ? "" : "what was kept takes no record";
}

}  // namespace gp
