#include "adapters/outbound/objects/fetch_object.h"

#include <utility>

#include "adapters/outbound/objects/part_file.h"
#include "base/text.h"

namespace gp {
namespace {

// What is known of the content before it is here, and what it is found to be.
struct Proof {
  std::string kind;  // "SHA-256"; empty: nothing is known of the content
  std::string expected;
  std::string found;

  bool Holds() const { return expected == found; }
};

// The strongest one.
Proof ProofOf(const ObjectEntry& entry, const ReadFacts& facts, const ObjectDigests& digests,
              const std::string& wanted) {
  if (!wanted.empty()) return {"SHA-256", wanted, digests.sha256};
  if (!entry.sha256.empty()) return {"SHA-256", entry.sha256, digests.sha256};
  if (!facts.sha256.empty()) return {"SHA-256", facts.sha256, digests.sha256};
  if (!entry.md5.empty() && !facts.is_md5_wrong) return {"MD5", entry.md5, digests.md5};
  if (!entry.git_sha1.empty()) return {"SHA-1 of git", entry.git_sha1, digests.git_sha1};
  return {};
}

class ObjectFetch {
 public:
  ObjectFetch(ObjectServer& server, const ObjectUrl& root, const ObjectEntry& entry,
              const FetchPlace& place, TransferCounts& counts)
      : server_(server), root_(root), entry_(entry), place_(place), counts_(counts) {}

  // Content that arrived damaged is fetched once more, unless the user expects another one.
  Result<ManifestFile> Run() {
    for (int tries_left = place_.sha256.empty() ? 1 : 0;; --tries_left) {
      PartFile part = GP_TRY(PartFile::Open(place_.parts, entry_));
      counts_.bytes += part.size();
      const ReadFacts facts = GP_TRY(ReadAll(part));
      const ObjectDigests digests = part.End();
      const Proof proof = ProofOf(entry_, facts, digests, place_.sha256);
      if (proof.Holds()) return Finish(part, digests, !proof.kind.empty());
      counts_.bytes -= part.size();
      part.Remove();
      if (tries_left == 0)
        return Fail(Conflict("it has other content than expected: its " + proof.kind + " is " +
                             proof.found + ", not " + Printable(proof.expected, 80)));
    }
  }

 private:
  Result<ReadFacts> ReadAll(PartFile& part) {
    Retries retries(place_.retries, server_.stop_fd());
    while (part.size() < entry_.size) {
      auto read = server_.Read(root_, entry_, part.size(), [&](std::string_view piece) -> Status {
        GP_CHECK_OK(part.Append(piece));
        counts_.bytes += static_cast<int64_t>(piece.size());
        counts_.received += static_cast<int64_t>(piece.size());
        retries.NoteProgress();
        return Ok();
      });
      if (read) return read;
      if (!retries.Wait(read.error(), server_.AskedWait())) return read;
      if (CanGoOn()) continue;
      counts_.bytes -= part.size();
      GP_CHECK_OK(part.Restart());
    }
    return ReadFacts{};
  }

  // Else nothing would tell that the rest is of another version.
  bool CanGoOn() const { return !entry_.version.empty() || entry_.IsVerifiable(); }

  Result<ManifestFile> Finish(PartFile& part, const ObjectDigests& digests, bool is_verified) {
    GP_CHECK_OK(part.MoveTo(place_.directory, entry_.Name()));
    ++counts_.files;
    return ManifestFile{entry_.Name(), entry_.size, entry_.version, digests.sha256, is_verified};
  }

  ObjectServer& server_;
  const ObjectUrl& root_;
  const ObjectEntry& entry_;
  const FetchPlace& place_;
  TransferCounts& counts_;
};

}  // namespace

Result<ManifestFile> FetchObject(ObjectServer& server, const ObjectUrl& root,
                                 const ObjectEntry& entry, const FetchPlace& place,
                                 TransferCounts& counts) {
  auto file = ObjectFetch(server, root, entry, place, counts).Run();
  if (!file) return Fail(file.error().Within(Printable(entry.Name(), 200)));
  return file;
}

}  // namespace gp
