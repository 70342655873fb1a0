#include "adapters/outbound/objects/servers/web_file.h"

#include "adapters/outbound/objects/servers/ranged_read.h"
#include "adapters/outbound/objects/servers/s3_documents.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int kFollowedMax = 5;
constexpr char kModified[] = "modified ";  // before the time, in a version

std::string FileHeader(const WebResponse& response, std::string_view name) {
  const std::string* value = FindHeader(response.headers, name);
  return value ? *value : "";
}

bool IsWeakTag(std::string_view version) { return version.starts_with("W/"); }
bool IsTime(std::string_view version) { return version.starts_with(kModified); }

std::string VersionIn(const WebResponse& response) {
  const std::string etag = WithoutQuotes(FileHeader(response, "etag"));
  const std::string modified = FileHeader(response, "last-modified");
  if (!etag.empty() || modified.empty()) return etag;
  return kModified + modified;
}

// Of a response to HEAD, or to a GET of the first byte.
Result<int64_t> SizeIn(const WebResponse& response) {
  std::string text = FileHeader(response, "content-length");
  if (response.status == 206) {
    const std::string range = FileHeader(response, "content-range");
    text = range.substr(range.rfind('/') + 1);
  }
  const auto size = ParseCount(text);
  if (size && FileHeader(response, "content-encoding").empty()) return *size;
  return Fail(
      InvalidArgument("the server does not say how large the file is, or sends it "
                      "compressed: take a server that sends files as they are"));
}

}  // namespace

WebFile::WebFile(ObjectCredentials credentials, WebAccess access)
    : credentials_(std::move(credentials)), client_(std::move(access)) {}

Result<WebRequest> WebFile::Request(const ObjectUrl& url, const std::string& method) const {
  WebRequest request;
  request.method = method;
  const bool is_encrypted = url.scheme == ObjectScheme::kHttps;
  request.to =
      GP_TRY(ParseWebAddress((is_encrypted ? "https://" : "http://") + url.host_or_bucket + "/"));
  request.to.target = url.path;
  if (!credentials_.token.empty() && is_encrypted)
    request.headers.emplace_back("Authorization", "Bearer " + credentials_.token);
  return request;
}

Result<std::optional<ObjectEntry>> WebFile::Look(const ObjectUrl& url) {
  const AskOptions options{.redirects_max = kFollowedMax};
  const auto ask = [&](const char* method, bool is_first_byte) {
    return client_.Ask(
        [&]() -> Result<WebRequest> {
          WebRequest request = GP_TRY(Request(url, method));
          request.headers.emplace_back("Accept-Encoding", "identity");
          if (is_first_byte) request.headers.emplace_back("Range", "bytes=0-0");
          return request;
        },
        options);
  };
  WebResponse response = GP_TRY(ask("HEAD", false));
  if (response.status == 404 || response.status == 410) return std::nullopt;
  // Some servers, and signed addresses, know no HEAD.
  if (response.status == 403 || response.status == 405 || response.status == 501)
    response = GP_TRY(ask("GET", true));
  if (response.status != 200 && response.status != 206) return Fail(StatusError(response.status));
  ObjectEntry entry;
  entry.key = url.path.substr(0, url.path.find('?'));
  entry.name_at = entry.key.rfind('/') + 1;
  entry.size = GP_TRY(SizeIn(response));
  entry.version = VersionIn(response);
  return entry;
}

Result<ObjectTree> WebFile::List(const ObjectUrl& root) {
  const auto entry = GP_TRY(Look(root));
  if (!entry) return Fail(NotFound("there is no such file"));
  if (entry->Name().empty())
    return Fail(InvalidArgument("the URL ends with a slash: write the URL of one file"));
  return ObjectTree{{*entry}, entry->version};
}

// Where the time is the version, it is compared by the server: within a second, a file may change
// unseen.
Result<ReadFacts> WebFile::Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                                const ByteSink& sink) {
  RangedRead read{.request = GP_TRY(Request(root, "GET")),
                  .offset = offset,
                  .size = entry.size,
                  .version = IsTime(entry.version) ? "" : entry.version,
                  .is_weak = IsWeakTag(entry.version),
                  .redirects_max = kFollowedMax};
  if (IsTime(entry.version))
    read.request.headers.emplace_back("If-Unmodified-Since",
                                      entry.version.substr(sizeof kModified - 1));
  const auto headers = ReadRange(client_, read, sink);
  if (headers) return ReadFacts{};
  if (!IsTime(entry.version) || headers.error().code != ErrorCode::kConflict)
    return Fail(headers.error());
  const auto now = Look(root);
  const std::string version = now && *now ? (*now)->version : "unknown";
  return Fail(Conflict("it has changed: its version was " + Printable(entry.version, 100) +
                       " and is now " + Printable(version, 100)));
}

Status WebFile::Put(const ObjectUrl&, const PutSource&, const PutOptions&) {
  return Fail(Unsupported("nothing can be written to https://: write to s3://, gs:// or file://"));
}

Status WebFile::Delete(const ObjectUrl&) {
  return Fail(Unsupported("nothing can be removed from https://"));
}

}  // namespace gp
