#include "adapters/outbound/objects/servers/hf_hub.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/outbound/objects/servers/ranged_read.h"
#include "base/text.h"
#include "lib/sigv4/canonical_request.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr char kUsualHub[] = "https://huggingface.co";
constexpr char kMainBranch[] = "main";
constexpr char kDatasetsKind[] = "datasets/";
constexpr int kRedirectsMax = 5;
constexpr int kHubPagesMax = 20'000;
constexpr uint64_t kHubDocumentBytesMax = 4 << 20;
constexpr size_t kCommitDigits = 40;

// "models/org/name", as the API names it.
std::string ApiName(const ObjectUrl& url) {
  const bool is_dataset = url.host_or_bucket.starts_with(kDatasetsKind);
  return (is_dataset ? "" : "models/") + url.host_or_bucket;
}

bool IsHexOf(std::string_view text, size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string TextMember(const json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

// -1: there is none.
int64_t SizeMember(const json& object) {
  if (!object.is_object()) return -1;
  const auto found = object.find("size");
  if (found == object.end() || !found->is_number_unsigned()) return -1;
  const auto size = found->get<uint64_t>();
  return size > uint64_t{INT64_MAX} ? -1 : static_cast<int64_t>(size);
}

// A file of a tree; what git stores itself is small, and has git's digest.
Result<ObjectEntry> ReadFileEntry(const json& file) {
  ObjectEntry entry;
  entry.key = TextMember(file, "path");
  entry.version = TextMember(file, "oid");
  entry.size = SizeMember(file);
  const auto lfs = file.find("lfs");
  if (lfs != file.end() && lfs->is_object()) {
    entry.size = SizeMember(*lfs);
    entry.sha256 = TextMember(*lfs, "oid");
    if (!IsHexOf(entry.sha256, 64))
      return Fail(InvalidArgument("its list has a file with a digest that is none"));
  } else if (IsHexOf(entry.version, kCommitDigits)) {
    entry.git_sha1 = entry.version;
  }
  if (entry.key.empty() || entry.size < 0)
    return Fail(InvalidArgument("its list has a file without a path or a size"));
  return entry;
}

// Whether a path is this one, or below it; below the empty one are all.
bool IsAtOrBelow(const std::string& path, const std::string& top) {
  return top.empty() || path == top || path.starts_with(top.ends_with('/') ? top : top + "/");
}

size_t NameAt(const std::string& path, const std::string& top) {
  if (top.empty()) return 0;
  return path == top ? path.rfind('/') + 1 : top.size() + (top.ends_with('/') ? 0 : 1);
}

// <https://hub/api/…?cursor=…>; rel="next"
std::string NextLink(const HttpHeaders& headers) {
  const std::string* link = FindHeader(headers, "link");
  if (link == nullptr || !link->contains("rel=\"next\"") || !link->starts_with('<')) return "";
  return link->substr(1, link->find('>') - 1);
}

std::string HubErrorCode(const WebResponse& response) {
  const std::string* code = FindHeader(response.headers, "x-error-code");
  return code ? *code : "";
}

}  // namespace

HfHub::HfHub(ObjectCredentials credentials, WebAccess access)
    : credentials_(std::move(credentials)), client_(std::move(access)) {}

Result<WebRequest> HfHub::Request(const std::string& target) const {
  WebRequest request;
  request.to =
      GP_TRY(ParseWebAddress(credentials_.endpoint.empty() ? kUsualHub : credentials_.endpoint));
  request.to.target = target;
  if (credentials_.token.empty()) return request;
  if (!request.to.is_encrypted)
    return Fail(InvalidArgument("a token is not sent over http: write https as endpoint"));
  request.headers.emplace_back("Authorization", "Bearer " + credentials_.token);
  return request;
}

Result<WebResponse> HfHub::Ask(const std::string& target) {
  return client_.Ask([&] { return Request(target); },
                     {.redirects_max = kRedirectsMax, .body_bytes_max = kHubDocumentBytesMax});
}

Result<std::string> HfHub::CommitOf(const ObjectUrl& root) {
  const std::string revision = root.revision.empty() ? kMainBranch : root.revision;
  const std::string target =
      "/api/" + UriEncode(ApiName(root), true) + "/revision/" + UriEncode(revision);
  const std::lock_guard lock(mutex_);
  std::string& commit = commits_[target];
  if (!commit.empty()) return commit;
  const WebResponse response = GP_TRY(Ask(target));
  if (response.status != 200) return Fail(StatusError(response.status, HubErrorCode(response)));
  const std::string named = TextMember(json::parse(response.body, nullptr, false), "sha");
  if (!IsHexOf(named, kCommitDigits))
    return Fail(InvalidArgument("it names no commit for the revision " + Printable(revision, 60)));
  return commit = named;
}

Result<ObjectTree> HfHub::ListPath(const ObjectUrl& root, const std::string& commit,
                                   const std::string& path, bool is_deep) {
  ObjectTree tree{{}, commit};
  std::string target = "/api/" + UriEncode(ApiName(root), true) + "/tree/" + commit +
                       (path.empty() ? "" : "/" + UriEncode(path, true)) +
                       (is_deep ? "?recursive=true" : "");
  const WebAddress hub = GP_TRY(Request("/")).to;
  for (int page = 0; page < kHubPagesMax; ++page) {
    const WebResponse response = GP_TRY(Ask(target));
    if (response.status == 404) return tree;
    if (response.status != 200) return Fail(StatusError(response.status, HubErrorCode(response)));
    const json files = json::parse(response.body, nullptr, false);
    if (!files.is_array()) return Fail(InvalidArgument("its list of files is none"));
    for (const json& file : files) {
      if (TextMember(file, "type") != "file") continue;
      ObjectEntry entry = GP_TRY(ReadFileEntry(file));
      if (!IsAtOrBelow(entry.key, root.path)) continue;
      entry.name_at = NameAt(entry.key, root.path);
      if (tree.entries.size() >= kObjectsMax)
        return Fail({ErrorCode::kResourceExhausted, "it has more than a million files"});
      tree.entries.push_back(std::move(entry));
    }
    const std::string next = NextLink(response.headers);
    if (next.empty()) return tree;
    const WebAddress to = GP_TRY(ResolveLocation(hub, next));
    if (!HaveOneOrigin(to, hub) || to.target == target)
      return Fail(InvalidArgument("its list goes on at another server, or does not end"));
    target = to.target;
  }
  return Fail(InvalidArgument("its list does not end"));
}

Result<ObjectTree> HfHub::List(const ObjectUrl& root) {
  const std::string commit = GP_TRY(CommitOf(root));
  std::string path = root.path;
  while (path.ends_with('/')) path.pop_back();
  ObjectTree tree = GP_TRY(ListPath(root, commit, path, true));
  if (!tree.entries.empty()) return tree;
  // A file is in the list of its directory.
  const size_t slash = path.rfind('/');
  const std::string above = slash == std::string::npos ? "" : path.substr(0, slash);
  if (!path.empty()) tree = GP_TRY(ListPath(root, commit, above, false));
  if (tree.entries.empty()) return Fail(NotFound("there are no files in this revision"));
  return tree;
}

Result<ReadFacts> HfHub::Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                              const ByteSink& sink) {
  const std::string commit = GP_TRY(CommitOf(root));
  const std::string target = "/" + UriEncode(root.host_or_bucket, true) + "/resolve/" + commit +
                             "/" + UriEncode(entry.key, true);
  // A commit never changes, and the servers that files are redirected to have ETags of their own.
  const RangedRead read{.request = GP_TRY(Request(target)),
                        .offset = offset,
                        .size = entry.size,
                        .version = "",
                        .redirects_max = kRedirectsMax};
  GP_TRY(ReadRange(client_, read, sink));
  return ReadFacts{};
}

Result<std::optional<ObjectEntry>> HfHub::Look(const ObjectUrl& url) {
  const auto tree = List(url);
  if (!tree && tree.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!tree) return Fail(tree.error());
  const auto found = std::ranges::find(tree->entries, url.path, &ObjectEntry::key);
  if (found == tree->entries.end()) return std::nullopt;
  return *found;
}

Status HfHub::Put(const ObjectUrl&, const PutSource&, const PutOptions&) {
  return Fail(Unsupported("nothing can be written to hf://: write to s3://, gs:// or file://"));
}

Status HfHub::Delete(const ObjectUrl&) {
  return Fail(Unsupported("nothing can be removed from hf://"));
}

}  // namespace gp
