#include "adapters/outbound/objects/download.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "adapters/outbound/objects/fetch_object.h"
#include "adapters/outbound/objects/listing.h"
#include "adapters/outbound/objects/manifest.h"
#include "adapters/outbound/objects/parallel.h"
#include "adapters/outbound/objects/servers/local_files.h"
#include "adapters/outbound/objects/tree_names.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "files/beneath.h"
#include "files/replace_file.h"

namespace gp {
namespace {

constexpr char kDoneName[] = "done";  // the files that are complete, in the directory of parts
constexpr mode_t kReadable = 0644;
constexpr mode_t kEnterable = 0755;

// What an earlier process has noted as complete; lines that were cut off do not count.
std::map<std::string, ManifestFile> ReadDone(int parts) {
  std::map<std::string, ManifestFile> done;
  const auto file = OpenBeneath(parts, kDoneName, O_RDONLY);
  struct stat facts;
  if (!file || fstat(file->get(), &facts) != 0) return done;
  const auto text = ReadExactly(*file, 0, static_cast<size_t>(facts.st_size));
  for (const std::string& line : Split(text.value_or(""), '\n')) {
    if (auto one = ReadManifestLine(line)) done[one->name] = *std::move(one);
  }
  return done;
}

// Removes what is not complete, with what was noted.
void DropParts(const Descriptor& directory) {
  const auto parts = OpenBeneath(directory.get(), kPartsName, O_RDONLY | O_DIRECTORY);
  const auto left = parts ? ListBelow(*parts) : Result<ObjectTree>(ObjectTree{});
  if (!parts || !left) return;
  for (const ObjectEntry& entry : left->entries) unlinkat(parts->get(), entry.key.c_str(), 0);
  unlinkat(directory.get(), kPartsName, AT_REMOVEDIR);
}

class DownloadRun {
 public:
  DownloadRun(ObjectServer& server, const ObjectUrl& root, const Descriptor& directory,
              const TransferOptions& options)
      : server_(server), root_(root), directory_(directory), options_(options) {}

  Result<TransferReport> Run() {
    GP_CHECK_OK(ListTree());
    GP_CHECK_OK(OpenParts());
    const Status fetched = FetchAll();
    if (!fetched) {
      // Files of two versions side by side would be no version at all.
      if (fetched.error().code == ErrorCode::kConflict) DropParts(directory_);
      return Fail(fetched.error());
    }
    return Finish();
  }

 private:
  Status ListTree() {
    Listing listing = GP_TRY(ListIncluded(server_, root_, options_));
    if (!options_.listing.empty() && DigestOf(listing) != options_.listing)
      return Fail(Conflict("it has changed since it was listed"));
    tree_ = std::move(listing.tree);
    total_ = listing.bytes;
    return Ok();
  }

  Status OpenParts() {
    parts_ = GP_TRY(MakeDirectoriesBeneath(directory_.get(), kPartsName, kEnterable));
    if (flock(parts_.get(), LOCK_EX | LOCK_NB) != 0)
      return Fail(Conflict("another transfer works in the directory"));
    done_ = ReadDone(parts_.get());
    journal_ =
        GP_TRY(OpenBeneath(parts_.get(), kDoneName, O_WRONLY | O_CREAT | O_APPEND, kReadable));
    unlinkat(directory_.get(), kManifestName, 0);  // it is not complete any more
    return Ok();
  }

  Status FetchAll() {
    files_.resize(tree_.entries.size());
    const Status done = RunParallel({.count = tree_.entries.size(),
                                     .threads_max = options_.objects_at_once,
                                     .run = [this](size_t index) { return FetchOne(index); },
                                     .on_tick = [this] { Report(); },
                                     .on_failure = [this] { server_.Stop(); }});
    Report();
    return done;
  }

  Status FetchOne(size_t index) {
    const ObjectEntry& entry = tree_.entries[index];
    if (const ManifestFile* before = GP_TRY(FoundDone(entry))) {
      files_[index] = *before;
      counts_.bytes += entry.size;
      ++counts_.files;
      return Ok();
    }
    const FetchPlace place{.parts = parts_.get(),
                           .directory = directory_.get(),
                           .sha256 = options_.sha256,
                           .retries = options_.retries};
    files_[index] = GP_TRY(FetchObject(server_, root_, entry, place, counts_));
    const std::string line = ManifestLine(files_[index]);
    const std::lock_guard lock(mutex_);
    IgnoreResult(write(journal_.get(), line.data(), line.size()),
                 "without the line, a later process fetches the object again");
    return Ok();
  }

  // nullptr: the object is to be fetched.
  Result<const ManifestFile*> FoundDone(const ObjectEntry& entry) const {
    const auto found = done_.find(entry.Name());
    if (found == done_.end() || entry.version.empty()) return nullptr;
    const ManifestFile& before = found->second;
    if (!options_.sha256.empty() && options_.sha256 != before.sha256) return nullptr;
    if (before.version != entry.version)
      return Fail(Conflict(Printable(before.name, 200) +
                           ": it has changed since the transfer began: its version was " +
                           Printable(before.version, 100) + " and is now " +
                           Printable(entry.version, 100)));
    const auto file = OpenBeneath(directory_.get(), before.name, O_RDONLY | O_NONBLOCK);
    struct stat facts;
    const bool is_there = file && fstat(file->get(), &facts) == 0 && S_ISREG(facts.st_mode) &&
                          facts.st_size == entry.size;
    return is_there ? &before : nullptr;
  }

  void Report() const {
    if (options_.on_progress) options_.on_progress({counts_.bytes, total_, counts_.files});
  }

  // The names of the files must be on disk before that of the manifest is.
  Status SyncNames() const {
    std::set<std::string> directories{""};
    for (const ManifestFile& file : files_) {
      for (std::string above = PathAbove(file.name); directories.insert(above).second;)
        above = PathAbove(above);
    }
    for (const std::string& name : directories)
      GP_CHECK_OK(
          SyncDirectory(GP_TRY(OpenBeneath(directory_.get(), name, O_RDONLY | O_DIRECTORY)).get()));
    return Ok();
  }

  Result<TransferReport> Finish() {
    GP_CHECK_OK(SyncNames());
    const Manifest manifest{ToText(root_), tree_.version, std::move(files_)};
    GP_CHECK_OK(ReplaceFileAt(directory_.get(), kManifestName, ManifestText(manifest), kReadable,
                              Survives::kPowerCut));
    DropParts(directory_);
    return TransferReport{
        .digest = TreeDigest(manifest),
        .version = tree_.version,
        .bytes = total_,
        .files = static_cast<int64_t>(manifest.files.size()),
        .unverified = std::ranges::count(manifest.files, false, &ManifestFile::is_verified),
        .moved = counts_.received,
        .left_out = tree_.left_out};
  }

  ObjectServer& server_;
  const ObjectUrl& root_;
  const Descriptor& directory_;
  const TransferOptions& options_;
  ObjectTree tree_;
  int64_t total_ = 0;
  Descriptor parts_;
  Descriptor journal_;
  std::map<std::string, ManifestFile> done_;
  std::vector<ManifestFile> files_;  // in the order of the tree
  TransferCounts counts_;
  std::mutex mutex_;  // of the journal
};

}  // namespace

Result<TransferReport> Download(ObjectServer& server, const ObjectUrl& root,
                                const Descriptor& directory, const TransferOptions& options) {
  return DownloadRun(server, root, directory, options).Run();
}

}  // namespace gp
