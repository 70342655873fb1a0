#include "adapters/outbound/objects/upload.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>

#include "adapters/outbound/objects/fetch_object.h"
#include "adapters/outbound/objects/manifest.h"
#include "adapters/outbound/objects/parallel.h"
#include "adapters/outbound/objects/servers/local_files.h"
#include "adapters/outbound/objects/tree_names.h"
#include "base/text.h"
#include "files/beneath.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr size_t kDigestPiece = 1 << 20;

// Whether this is of an earlier transfer, and no data.
bool IsOfTransfer(const std::string& name) {
  return name == kManifestName || name.starts_with(std::string(kPartsName) + "/");
}

PutSource SourceOf(const std::string& text) {
  return {static_cast<int64_t>(text.size()), Sha256(text),
          [&text](int64_t offset, size_t bytes) -> Result<std::string> {
            return text.substr(static_cast<size_t>(offset), bytes);
          }};
}

class UploadRun {
 public:
  UploadRun(ObjectServer& server, const Descriptor& directory, const ObjectUrl& root,
            const TransferOptions& options)
      : server_(server), directory_(directory), root_(root), options_(options) {}

  Result<TransferReport> Run() {
    GP_CHECK_OK(ListFiles());
    GP_CHECK_OK(BeginAtServer());
    files_.resize(tree_.entries.size());
    const Status sent = RunParallel({.count = tree_.entries.size(),
                                     .threads_max = options_.objects_at_once,
                                     .run = [this](size_t index) { return SendOne(index); },
                                     .on_tick = [this] { Report(); },
                                     .on_failure = [this] { server_.Stop(); }});
    Report();
    if (!sent) return Fail(sent.error());
    return Finish();
  }

 private:
  Status ListFiles() {
    if (options_.single.name.empty()) {
      tree_ = GP_TRY(ListBelow(directory_));
    } else {
      tree_.entries = {GP_TRY(EntryBelow(directory_, options_.single.name))};
    }
    std::erase_if(tree_.entries, [this](const ObjectEntry& entry) {
      return IsOfTransfer(entry.key) || !IsIncluded(entry.key, options_.include);
    });
    if (tree_.entries.empty()) return Fail(NotFound("there are no files to send"));
    GP_CHECK_OK(CheckNames(tree_));
    total_ = GP_TRY(BytesIn(tree_));
    if (total_ > options_.bytes_max)
      return Fail({ErrorCode::kResourceExhausted, "the files have " + BytesToText(total_) +
                                                      ", and there may be " +
                                                      BytesToText(options_.bytes_max)});
    return Ok();
  }

  // Else the old manifest would stand beside files of which some are new.
  Status BeginAtServer() {
    const ObjectUrl manifest = UrlBelow(root_, kManifestName);
    if (!GP_TRY(LookIfAllowed(manifest))) return Ok();
    if (options_.create_only)
      return Fail(Conflict("there is a complete upload already: choose another place"));
    return server_.Delete(manifest);
  }

  // Credentials that may only write may not look either.
  Result<std::optional<ObjectEntry>> LookIfAllowed(const ObjectUrl& url) {
    auto there = server_.Look(url);
    if (!there && there.error().code == ErrorCode::kPermissionDenied) return std::nullopt;
    return there;
  }

  Status SendOne(size_t index) {
    const ObjectEntry& entry = tree_.entries[index];
    auto sent = Send(entry);
    if (!sent) return Fail(sent.error().Within(Printable(entry.key, 200)));
    files_[index] = *std::move(sent);
    ++counts_.files;
    return Ok();
  }

  Result<ManifestFile> Send(const ObjectEntry& entry) {
    const Descriptor file = GP_TRY(OpenBeneath(directory_.get(), entry.key, O_RDONLY | O_NONBLOCK));
    GP_CHECK_OK(CheckSameFile(file, entry));
    const std::string sha256 = GP_TRY(Sha256OfFile(file, entry.size));
    const std::string name = options_.single.as.empty() ? entry.key : options_.single.as;
    const ManifestFile sent{name, entry.size, entry.version, sha256, true};
    const ObjectUrl url = UrlBelow(root_, name);
    const auto there = GP_TRY(LookIfAllowed(url));
    if (there && there->size == entry.size && there->sha256 == sha256) {
      counts_.bytes += entry.size;
      return sent;
    }
    const PutSource source{entry.size, sha256,
                           [&](int64_t offset, size_t bytes) -> Result<std::string> {
                             std::string piece = GP_TRY(ReadExactly(file, offset, bytes));
                             GP_CHECK_OK(CheckSameFile(file, entry));
                             counts_.bytes += static_cast<int64_t>(bytes);
                             counts_.received += static_cast<int64_t>(bytes);
                             return piece;
                           }};
    GP_CHECK_OK(server_.Put(url, source, {.create_only = options_.create_only}));
    GP_CHECK_OK(CheckSameFile(file, entry));
    return sent;
  }

  void Report() const {
    if (options_.on_progress) options_.on_progress({counts_.bytes, total_, counts_.files});
  }

  Result<TransferReport> Finish() {
    const Manifest manifest{ToText(root_), "", std::move(files_)};
    const std::string text = ManifestText(manifest);
    const Status put = server_.Put(UrlBelow(root_, kManifestName), SourceOf(text),
                                   {.create_only = options_.create_only});
    if (!put) return Fail(put.error().Within(kManifestName));
    return TransferReport{.digest = TreeDigest(manifest),
                          .version = "",
                          .bytes = total_,
                          .files = static_cast<int64_t>(manifest.files.size()),
                          .moved = counts_.received,
                          .left_out = tree_.left_out};
  }

  ObjectServer& server_;
  const Descriptor& directory_;
  const ObjectUrl& root_;
  const TransferOptions& options_;
  ObjectTree tree_;
  int64_t total_ = 0;
  std::vector<ManifestFile> files_;
  TransferCounts counts_;
};

}  // namespace

ObjectUrl UrlBelow(const ObjectUrl& root, const std::string& name) {
  ObjectUrl url = root;
  if (!url.path.empty() && !url.path.ends_with('/')) url.path += '/';
  url.path += name;
  return url;
}

Result<std::string> Sha256OfFile(const Descriptor& file, int64_t size) {
  Sha256Stream stream;
  for (int64_t at = 0; at < size;) {
    const auto bytes = std::min(kDigestPiece, static_cast<size_t>(size - at));
    stream.Add(GP_TRY(ReadExactly(file, at, bytes)));
    at += static_cast<int64_t>(bytes);
  }
  return stream.End();
}

Result<TransferReport> Upload(ObjectServer& server, const Descriptor& directory,
                              const ObjectUrl& root, const TransferOptions& options) {
  return UploadRun(server, directory, root, options).Run();
}

}  // namespace gp
