#include "adapters/outbound/objects/servers/s3_server.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

#include "adapters/outbound/objects/servers/ranged_read.h"
#include "adapters/outbound/objects/servers/s3_documents.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "lib/secrets/hash_stream.h"
#include "lib/secrets/secrets.h"
#include "lib/sigv4/sign_request.h"

namespace gp {
namespace {

constexpr char kUsualRegion[] = "us-east-1";
constexpr char kShaHeader[] = "x-amz-meta-sha256";
constexpr int64_t kPartsMax = 10'000;
constexpr size_t kSentPiece = 256 << 10;
constexpr int kPagesMax = 20'000;  // pages may be empty

struct BucketPlace {
  WebAddress address;
  std::string path;  // of the bucket in the address: "/bucket", or empty
};

// The certificates of AWS hold for one name before the usual ones, so not for buckets with dots.
Result<BucketPlace> PlaceOf(const ObjectUrl& url, const ObjectCredentials& credentials) {
  const std::string& bucket = url.host_or_bucket;
  if (!credentials.endpoint.empty())
    return BucketPlace{GP_TRY(ParseWebAddress(credentials.endpoint)), "/" + bucket};
  if (url.scheme == ObjectScheme::kGs)
    return BucketPlace{{true, "storage.googleapis.com", "443", "/"}, "/" + bucket};
  const std::string region = credentials.region.empty() ? kUsualRegion : credentials.region;
  const std::string host = "s3." + region + ".amazonaws.com";
  if (bucket.contains('.')) return BucketPlace{{true, host, "443", "/"}, "/" + bucket};
  return BucketPlace{{true, bucket + "." + host, "443", "/"}, ""};
}

Instant WallClockNow() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec * Duration::Seconds(1).ns + now.tv_nsec};
}

bool IsGood(int status) { return status >= 200 && status < 300; }

std::string ValueOf(const HttpHeaders& headers, std::string_view name) {
  const std::string* value = FindHeader(headers, name);
  return value ? *value : "";
}

bool IsHexSha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Of all of the object: what its uploader has noted, or what S3 has computed, which is the digest
// of the parts' digests where it has a dash.
std::string Sha256Of(const HttpHeaders& headers, bool is_whole) {
  const std::string noted = ValueOf(headers, kShaHeader);
  if (IsHexSha256(noted)) return noted;
  const auto computed = FromBase64(ValueOf(headers, "x-amz-checksum-sha256"));
  return is_whole && computed && computed->size() == 32 ? HexText(*computed) : "";
}

// The ETag is no MD5 then.
bool IsEncryptedByKey(const HttpHeaders& headers) {
  return ValueOf(headers, "x-amz-server-side-encryption").starts_with("aws:kms") ||
         !ValueOf(headers, "x-amz-server-side-encryption-customer-algorithm").empty();
}

std::string Md5Header(std::string_view bytes) {
  HashStream md5(HashStream::Kind::kMd5);
  md5.Add(bytes);
  return ToBase64(md5.End());
}

// The text, which must outlive it, is sent without a copy of it.
BodySource PiecesOf(const std::string& text) {
  const auto left = std::make_shared<std::string_view>(text);
  return {[left]() -> Result<std::string> {
            const std::string piece(left->substr(0, kSentPiece));
            left->remove_prefix(piece.size());
            return piece;
          },
          text.size()};
}

std::unexpected<Error> Answered(const WebResponse& response) {
  const std::string region = ValueOf(response.headers, "x-amz-bucket-region");
  const std::string code = ErrorCodeIn(response.body);
  if (response.status / 100 == 3 && !region.empty())
    return Fail(InvalidArgument("the bucket is in the region " + Printable(region, 40) +
                                ": write that as region into the secret"));
  return Fail(StatusError(response.status, code));
}

// "a/b" has the objects below "a/b/".
std::string PrefixOf(const ObjectUrl& url) {
  return url.path.empty() || url.path.ends_with('/') ? url.path : url.path + "/";
}

}  // namespace

S3Server::S3Server(ObjectCredentials credentials, WebAccess access, PartSizes sizes)
    : credentials_(std::move(credentials)),
      sizes_(sizes),
      objects_max_(access.objects_max),
      client_(std::move(access)) {}

// REQUIRES: the call outlives the request, which sends the call's body without a copy of it.
Result<WebRequest> S3Server::Request(const ObjectUrl& bucket, const Call& call) const {
  const BucketPlace place = GP_TRY(PlaceOf(bucket, credentials_));
  AwsRequest aws{.method = call.method,
                 .host = HostAndPort(place.address),
                 .path = place.path + "/" + call.key,
                 .query = call.query,
                 .headers = call.headers,
                 .payload_sha256 = ""};
  const bool is_covered = call.body.empty() || !place.address.is_encrypted;
  aws.payload_sha256 = is_covered ? Sha256(call.body) : std::string(kUnsignedPayload);
  WebRequest request;
  request.method = call.method;
  request.to = place.address;
  request.headers = call.headers;
  if (!call.body.empty()) request.source = PiecesOf(call.body);
  if (credentials_.keys.access_key.empty()) {
    request.to.target = TargetOf(aws);
    return request;
  }
  const std::string usual = bucket.scheme == ObjectScheme::kGs ? "auto" : kUsualRegion;
  const AwsScope scope{credentials_.region.empty() ? usual : credentials_.region, "s3"};
  const SignedAwsRequest signed_request =
      GP_TRY(SignAwsRequest(aws, credentials_.keys, scope, WallClockNow()));
  request.to.target = signed_request.target;
  request.headers.insert(request.headers.end(), signed_request.headers.begin(),
                         signed_request.headers.end());
  return request;
}

Result<WebResponse> S3Server::AskAny(const ObjectUrl& bucket, const Call& call) {
  return client_.Ask([&] { return Request(bucket, call); },
                     {.body_bytes_max = kS3DocumentBytesMax});
}

Result<WebResponse> S3Server::Ask(const ObjectUrl& bucket, const Call& call) {
  WebResponse response = GP_TRY(AskAny(bucket, call));
  if (!IsGood(response.status)) return Answered(response);
  return response;
}

Result<ObjectTree> S3Server::List(const ObjectUrl& root) {
  ObjectTree tree = GP_TRY(ListBelow(root, PrefixOf(root)));
  if (!tree.entries.empty()) return tree;
  const bool may_be_object = !root.path.empty() && !root.path.ends_with('/');
  const auto object = may_be_object ? GP_TRY(Look(root)) : std::nullopt;
  if (!object) return Fail(NotFound("there are no objects"));
  tree.entries.push_back(*object);
  return tree;
}

Result<ObjectTree> S3Server::ListBelow(const ObjectUrl& root, const std::string& prefix) {
  ObjectTree tree;
  Call call{.query = {{"list-type", "2"},
                      {"prefix", prefix},
                      {"max-keys", std::to_string(kListedMax)},
                      {"encoding-type", "url"}}};
  const size_t plain = call.query.size();
  std::string token;
  for (int page_number = 0; page_number < kPagesMax; ++page_number) {
    const WebResponse response = GP_TRY(Ask(root, call));
    ListingPage page = GP_TRY(ReadListing(response.body));
    for (ObjectEntry& entry : page.entries) {
      if (!entry.key.starts_with(prefix))
        return Fail(InvalidArgument("its list has an object of another place: " +
                                    Printable(entry.key, 100)));
      // What stands for a directory itself
      if (entry.key.ends_with('/') && entry.size == 0) continue;
      entry.name_at = prefix.size();
      if (tree.entries.size() >= objects_max_)
        return Fail({ErrorCode::kResourceExhausted,
                     "it has more than " + std::to_string(objects_max_) + " objects"});
      tree.entries.push_back(std::move(entry));
    }
    if (page.next.empty()) return tree;
    if (page.next == token) break;
    token = page.next;
    call.query.resize(plain);
    call.query.emplace_back("continuation-token", token);
  }
  return Fail(InvalidArgument("its list does not end"));
}

Result<ReadFacts> S3Server::Read(const ObjectUrl& root, const ObjectEntry& entry, int64_t offset,
                                 const ByteSink& sink) {
  Call call{.key = entry.key};
  if (root.scheme == ObjectScheme::kS3) call.headers = {{"x-amz-checksum-mode", "ENABLED"}};
  const RangedRead read{.request = GP_TRY(Request(root, call)),
                        .offset = offset,
                        .size = entry.size,
                        .version = entry.version,
                        .may_be_encoded = true};
  const HttpHeaders headers = GP_TRY(ReadRange(client_, read, sink));
  return ReadFacts{Sha256Of(headers, offset == 0), IsEncryptedByKey(headers)};
}

Result<std::optional<ObjectEntry>> S3Server::Look(const ObjectUrl& url) {
  Call call{.method = "HEAD", .key = url.path};
  if (url.scheme == ObjectScheme::kS3) call.headers = {{"x-amz-checksum-mode", "ENABLED"}};
  const WebResponse response = GP_TRY(AskAny(url, call));
  if (response.status == 404) return std::nullopt;
  if (!IsGood(response.status)) return Answered(response);
  const auto size = ParseCount(ValueOf(response.headers, "content-length"));
  if (!size) return Fail(InvalidArgument("it does not say how large the object is"));
  ObjectEntry entry;
  entry.key = url.path;
  entry.name_at = url.path.rfind('/') + 1;
  entry.size = *size;
  entry.version = WithoutQuotes(ValueOf(response.headers, "etag"));
  entry.sha256 = Sha256Of(response.headers, true);
  if (!IsEncryptedByKey(response.headers)) entry.md5 = Md5In(entry.version);
  return entry;
}

Status S3Server::Put(const ObjectUrl& url, const PutSource& source, const PutOptions& options) {
  if (source.size <= sizes_.whole_max) return PutWhole(url, source, options);
  return PutParts(url, source, options);
}

Status S3Server::PutWhole(const ObjectUrl& url, const PutSource& source,
                          const PutOptions& options) {
  Call call{.method = "PUT", .key = url.path};
  call.body = GP_TRY(source.read(0, static_cast<size_t>(source.size)));
  call.headers = {{"content-md5", Md5Header(call.body)}, {kShaHeader, source.sha256}};
  if (options.create_only) call.headers.emplace_back("if-none-match", "*");
  GP_TRY(Ask(url, call));
  return Ok();
}

Status S3Server::PutParts(const ObjectUrl& url, const PutSource& source,
                          const PutOptions& options) {
  const int64_t needed = (source.size + kPartsMax - 1) / kPartsMax;
  const int64_t part = std::max(sizes_.part_min, needed);
  if (part > sizes_.part_max)
    return Fail(InvalidArgument("the file is larger than " +
                                BytesToText(sizes_.part_max * kPartsMax) + ": write smaller ones"));
  const WebResponse begun = GP_TRY(Ask(url, {.method = "POST",
                                             .key = url.path,
                                             .query = {{"uploads", ""}},
                                             .headers = {{kShaHeader, source.sha256}},
                                             .body = ""}));
  const Upload upload{url, source, options, GP_TRY(ReadUploadId(begun.body)), part};
  Status sent = SendParts(upload);
  if (!sent)
    IgnoreResult(Ask(url, {.method = "DELETE",
                           .key = url.path,
                           .query = {{"uploadId", upload.id}},
                           .headers = {},
                           .body = ""}),
                 "the error of the upload says more, and stores drop old uploads by a rule");
  return sent;
}

Status S3Server::SendParts(const Upload& upload) {
  std::vector<std::string> etags;
  for (int64_t offset = 0; offset < upload.source.size; offset += upload.part_bytes)
    etags.push_back(GP_TRY(SendPart(upload, static_cast<int64_t>(etags.size()) + 1, offset)));
  return Complete(upload, etags);
}

Result<std::string> S3Server::SendPart(const Upload& upload, int64_t number, int64_t offset) {
  const int64_t bytes = std::min(upload.part_bytes, upload.source.size - offset);
  Call call{.method = "PUT", .key = upload.url.path};
  call.query = {{"partNumber", std::to_string(number)}, {"uploadId", upload.id}};
  call.body = GP_TRY(upload.source.read(offset, static_cast<size_t>(bytes)));
  call.headers = {{"content-md5", Md5Header(call.body)}};
  const WebResponse response = GP_TRY(Ask(upload.url, call));
  const std::string etag = ValueOf(response.headers, "etag");
  if (etag.empty() || etag.size() > 200)
    return Fail(InvalidArgument("it gives no ETag for a part of an upload"));
  return etag;
}

// A store may find out that it cannot do it after it has answered 200.
Status S3Server::Complete(const Upload& upload, const std::vector<std::string>& etags) {
  Call call{.method = "POST",
            .key = upload.url.path,
            .query = {{"uploadId", upload.id}},
            .headers = {},
            .body = CompletionText(etags)};
  if (upload.options.create_only) call.headers.emplace_back("if-none-match", "*");
  const WebResponse response = GP_TRY(AskAny(upload.url, call));
  const std::string code = ErrorCodeIn(response.body);
  if (IsGood(response.status) && code.empty()) return Ok();
  // The answer to an earlier try may have been lost.
  const auto object = GP_TRY(Look(upload.url));
  if (object && object->size == upload.source.size && object->sha256 == upload.source.sha256)
    return Ok();
  if (IsGood(response.status)) return Fail(Unavailable("it cannot complete the upload: " + code));
  return Answered(response);
}

Status S3Server::Delete(const ObjectUrl& url) {
  const WebResponse response = GP_TRY(
      AskAny(url, {.method = "DELETE", .key = url.path, .query = {}, .headers = {}, .body = ""}));
  if (!IsGood(response.status) && response.status != 404) return Answered(response);
  return Ok();
}

}  // namespace gp
