#include "tests/crash/journal_life.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "domain/cluster/apply/apply.h"
#include "tests/support/stderr_log.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Tells the witness what is begun and what is done.
class WitnessedJournal : public Journal {
 public:
  WitnessedJournal(Journal& journal, Witness& witness) : journal_(journal), witness_(witness) {}

  Appended Append(uint64_t epoch, uint64_t expected,
                  std::span<const std::string> records) override {
    witness_.Offer(journal_.LastSequence(), records);
    Appended end = journal_.Append(epoch, expected, records);
    if (end.end == AppendEnd::kDurable) witness_.MarkDurable(journal_.LastSequence());
    return end;
  }
  Status ReadAfter(uint64_t sequence,
                   const std::function<Status(uint64_t, std::string_view)>& visit) override {
    return journal_.ReadAfter(sequence, visit);
  }
  uint64_t LastSequence() const override { return journal_.LastSequence(); }
  uint64_t LastChain() const override { return journal_.LastChain(); }
  Status SaveSnapshot(const Snapshot& snapshot) override { return journal_.SaveSnapshot(snapshot); }
  Result<Snapshot> LatestSnapshot() override { return journal_.LatestSnapshot(); }
  Result<uint64_t> BaseNumber() override { return journal_.BaseNumber(); }
  Result<Snapshot> Base() override { return journal_.Base(); }
  Result<std::vector<uint64_t>> Snapshots() override { return journal_.Snapshots(); }
  Status BeginWith(uint64_t snapshot) override { return journal_.BeginWith(snapshot); }
  Status DropSnapshots(std::span<const uint64_t> snapshots) override {
    return journal_.DropSnapshots(snapshots);
  }
  Result<bool> Sweep() override { return journal_.Sweep(); }

 private:
  Journal& journal_;
  Witness& witness_;
};

struct Controller {
  std::unique_ptr<SqliteJournal> file;
  std::unique_ptr<WitnessedJournal> journal;
  std::unique_ptr<ManualClock> clock = std::make_unique<ManualClock>();
  std::unique_ptr<StderrLog> log = std::make_unique<StderrLog>();
  std::unique_ptr<ControlLoop> loop;
};

constexpr Duration kKept = Duration::Seconds(3);  // rounds of a second each

struct Snapshotting {
  uint64_t records_per_snapshot = 50'000;
  Duration keep_journal;
};

Snapshotting Of(WorkloadKind kind) {
  if (!HasSnapshots(kind)) return {};
  return {15, kind == WorkloadKind::kDrops ? kKept : Duration{}};
}

Result<Controller> Begin(const std::string& directory, Witness& witness,
                         const Snapshotting& snapshotting, int64_t log_pages) {
  Controller controller;
  controller.file = GP_TRY(SqliteJournal::Open(directory + "/journal.db", log_pages));
  controller.journal = std::make_unique<WitnessedJournal>(*controller.file, witness);
  ControlOptions options;
  options.policy = TestPolicy();
  options.records_per_snapshot = snapshotting.records_per_snapshot;
  options.keep_journal = snapshotting.keep_journal;
  options.begin_lineage = !controller.file->loss().empty();
  options.log = controller.log.get();
  controller.loop = GP_TRY(ControlLoop::Open(*controller.journal, *controller.clock, options));
  GP_CHECK_OK(controller.file->AcceptLoss());
  controller.loop->Start();
  return controller;
}

JobSpec SmallJob() {
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  return spec;
}

std::string ReadAll(int fd) {
  std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, pread(fd, text.data(), text.size(), 0))));
  return text;
}

// What all records make that the journal has or had.
State FoldOffered(const std::vector<std::string>& offered, uint64_t last) {
  State folded;
  for (uint64_t sequence = 1; sequence <= last; ++sequence) {
    const Record record = *DecodeRecord(offered.at(sequence - 1));
    for (const Event& event : record.events) Apply(folded, record.envelope.at, event);
  }
  return folded;
}

// What the journal holds must be what was offered, behind a base that stands for all before it, and
// reach as far as what was acknowledged.
std::string CompareRecords(Journal& journal, const std::vector<std::string>& offered,
                           uint64_t durable) {
  if (journal.LastSequence() > offered.size()) return "has records that were never written";
  if (journal.LastSequence() < durable)
    return "records to " + std::to_string(durable) + " were on disk, " +
           std::to_string(journal.LastSequence()) + " are";
  const auto base = journal.Base();
  if (!base) return "no beginning: " + base.error().message;
  if (base->sequence > 0 && base->bytes != EncodeState(FoldOffered(offered, base->sequence)))
    return "the base is not what its records make";
  std::string wrong;
  const Status read =
      journal.ReadAfter(base->sequence, [&](uint64_t sequence, std::string_view bytes) -> Status {
        if (bytes != offered[sequence - 1])
          wrong = "record " + std::to_string(sequence) + " was never written so";
        return Ok();
      });
  return read ? wrong : "not readable: " + read.error().message;
}

std::string ComparePromises(const State& state, const Witness& witness) {
  for (const auto& [request, job] : witness.Promised()) {
    const auto found = state.jobs.by_request.find(RequestKey({"ana", 1000, 1000}, request));
    if (found == state.jobs.by_request.end()) return "the job of request " + request + " is lost";
    if (found->second.value != job) return "request " + request + " has become another job";
  }
  return "";
}

std::string GoOn(SqliteJournal& journal) {
  ManualClock clock;
  auto loop = ControlLoop::Open(journal, clock, {.policy = TestPolicy()});
  if (!loop) return "no controller: " + loop.error().message;
  (*loop)->Start();
  const Outcome outcome =
      (*loop)->Execute("user:bea", "afterwards",
                       SubmitJob{std::make_shared<const JobSpec>(SmallJob()), {"bea", 1, 1}});
  return outcome.status ? "" : "no new job: " + outcome.status.error().message;
}

}  // namespace

Status Live(const std::string& directory, Witness& witness, WorkloadKind kind,
            const LifeOptions& options) {
  const Controller controller = GP_TRY(Begin(directory, witness, Of(kind), options.log_pages));
  Workload(kind, *controller.loop, *controller.clock, witness).Run(options.first, options.rounds);
  options.at_end();
  return Ok();
}

Status Restart(const std::string& directory, Witness& witness, const std::string& request_id) {
  const Controller controller = GP_TRY(Begin(directory, witness, {}, kLogPagesInTests));
  return Workload(WorkloadKind::kJobs, *controller.loop, *controller.clock, witness)
      .Submit(request_id, SmallJob())
      .status;
}

Ending InChild(const std::string& directory, const FilePlan& plan,
               const std::function<Status()>& run) {
  const int words = memfd_create("words", 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(words, STDERR_FILENO);
    WatchFiles(directory, plan);
    const Status status = run();
    // What was answered must outlive the power that fails right afterwards.
    if (plan.fault == FilePlan::Fault::kLosePower) LoseUnsynced();
    WatchFiles("");
    if (!status) std::fprintf(stderr, "error: %s\n", status.error().message.c_str());
    _exit(status ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Ending ending;
  ending.killed = WIFSIGNALED(status);
  ending.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ending.words = ReadAll(words);
  close(words);
  return ending;
}

std::string Judge(const std::string& directory, const Witness& witness) {
  WatchFiles(directory);  // its syncs need not reach the disk
  auto journal = SqliteJournal::Open(directory + "/journal.db", kLogPagesInTests);
  if (!journal) return "refused: " + journal.error().message;
  if (!(*journal)->loss().empty()) return "it reports a loss: " + (*journal)->loss();
  const std::vector<std::string> offered = witness.Offered();
  if (std::string wrong = CompareRecords(**journal, offered, witness.durable()); !wrong.empty())
    return wrong;
  const State folded = FoldOffered(offered, (*journal)->LastSequence());
  const auto recovered = RecoverState(**journal);
  if (!recovered) return "no recovery: " + recovered.error().message;
  if (StateDigest(recovered->state) != StateDigest(folded))
    return "the state is not what its records make";
  if (std::string lost = ComparePromises(folded, witness); !lost.empty()) return lost;
  return GoOn(**journal);
}

}  // namespace gp
