#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/archive/archiver.h"
#include "application/archive/restore_archive.h"
#include "application/archive/verify_archive.h"
#include "domain/cluster/codec/codec.h"
#include "tests/support/hand_controller.h"
#include "tests/support/memory_objects.h"

namespace gp {

inline constexpr Duration kArchiveDay = Duration::Minutes(60L * 24);

// A controller, and the archive of its journal.
struct ArchiveRig : HandController {
  MemoryObjects objects;
  SealedArchive archive{objects, std::string(32, 'k')};
  ArchivedFiles files;
  std::optional<Archiver> archiver;
  Instant wall{Duration::Minutes(60L * 24 * 365 * 56).ns};
  int64_t boot_ns = 0;
  int queues = 0;

  ArchiveRig() {
    Open();
    Turn();
    files.files = {{"join-token", "t0"}};
    StartCopy();
  }
  uint64_t lineage() const { return loop->Epoch().lineage; }
  // Once more: as after a restart, or by another leader.
  void StartCopy() {
    Archiver::Options options;
    options.lineage = lineage();
    archiver.emplace(
        archive,
        [this](const std::function<void(JournalReader&)>& read) {
          read(journal);
          return Ok();
        },
        [this] { return files; }, options);
  }
  // Writes records.
  void Work(int count) {
    for (; count > 0; --count) {
      SetQueue command;
      command.name = "q" + std::to_string(queues++ % 50);
      command.weight = queues / 50 % 100 + 1;
      clock.Advance(Duration::Seconds(1));
      if (!loop->Execute("user:root", "", command).status) throw "a queue is refused";
      Turn();
    }
  }
  void Snap() {
    Status saved = Ok();
    if (!loop->Read([&](const State& state) {
          saved = journal.SaveSnapshot({journal.LastSequence(), EncodeState(state)});
        }) ||
        !saved)
      throw "no snapshot";
  }
  Status Copy(Duration later = Duration::Seconds(1)) {
    boot_ns += later.ns;
    wall = wall + later;
    return archiver->Turn(wall, boot_ns);
  }
  // A turn that looks at everything.
  Status Review() { return Copy(Duration::Minutes(61)); }

  LineageObjects Listed() { return ReadNames(*objects.List("")).at(lineage()); }
  std::vector<std::string> Faults(bool only_new = false) {
    const auto report = VerifyArchive(archive, {0, only_new});
    return report ? report->faults : std::vector{report.error().message};
  }
  void MarkVerified() {
    const auto report = VerifyArchive(archive, {});
    if (!report || !archive.Put(NameOf(report->lineage, VerifiedName{report->verified, wall}), ""))
      throw "not verified";
  }
  // The records of a journal that was restored.
  struct Restored {
    RestoredArchive archive;
    std::string state;  // encoded
    std::vector<std::string> records;
  };
  Result<Restored> Restore(ArchiveRestoreOptions options = {}) {
    std::unique_ptr<MemoryJournal> made;
    auto archived =
        RestoreArchive(archive, options, [&](const Snapshot& after) -> Result<Journal*> {
          made = std::make_unique<MemoryJournal>();
          if (after.sequence > 0) made->GoOnAfter(after);
          return made.get();
        });
    if (!archived) return Fail(archived.error());
    Restored restored{*std::move(archived), "", {}};
    const Recovered recovered = GP_TRY(RecoverState(*made));
    restored.state = EncodeState(recovered.state);
    GP_CHECK_OK(made->ReadAfter(restored.archive.snapshot, [&](uint64_t, std::string_view bytes) {
      restored.records.emplace_back(bytes);
      return Ok();
    }));
    return restored;
  }
  std::string StateNow() {
    std::string encoded;
    if (!loop->Read([&](const State& state) { encoded = EncodeState(state); })) return "";
    return encoded;
  }
};

}  // namespace gp
