#include "adapters/outbound/objects/servers/ranged_read.h"

#include <algorithm>

#include "adapters/outbound/objects/servers/s3_documents.h"
#include "base/text.h"

namespace gp {
namespace {

std::string HeaderOf(const WebResponse& response, std::string_view name) {
  const std::string* value = FindHeader(response.headers, name);
  return value ? *value : "";
}

Error Changed(const std::string& before, const std::string& now) {
  return Conflict("it has changed: its version was " + Printable(before, 100) + " and is now " +
                  Printable(now, 100));
}

// Checks what a response says, and counts what it brings.
class RangeReceiver {
 public:
  RangeReceiver(const RangedRead& read, const ByteSink& sink) : read_(read), sink_(sink) {}

  Status TakeHead(const WebResponse& head) {
    if (head.status != 200 && head.status != 206) return Ok();  // an error, which others report
    const std::string etag = WithoutQuotes(HeaderOf(head, "etag"));
    if (!read_.version.empty() && !etag.empty() && etag != read_.version)
      return Fail(Changed(read_.version, etag));
    GP_CHECK_OK(CheckEncoding(HeaderOf(head, "content-encoding")));
    const bool is_part = head.status == 206;
    if (is_part) GP_CHECK_OK(CheckRange(HeaderOf(head, "content-range")));
    skipped_ = is_part ? 0 : read_.offset;
    return CheckLength(HeaderOf(head, "content-length"), is_part ? read_.offset : 0);
  }

  Status Take(std::string_view piece) {
    const auto dropped = std::min(skipped_, static_cast<int64_t>(piece.size()));
    skipped_ -= dropped;
    piece.remove_prefix(static_cast<size_t>(dropped));
    received_ += static_cast<int64_t>(piece.size());
    if (received_ > read_.size - read_.offset)
      return Fail(Conflict("it sends more than the " + std::to_string(read_.size) +
                           " bytes that it had said"));
    return piece.empty() ? Ok() : sink_(piece);
  }

  Status End() const {
    if (received_ == read_.size - read_.offset) return Ok();
    return Fail(Unavailable("it ended after " + std::to_string(read_.offset + received_) + " of " +
                            std::to_string(read_.size) + " bytes"));
  }

 private:
  Status CheckEncoding(const std::string& encoding) const {
    if (read_.may_be_encoded || encoding.empty() || encoding == "identity") return Ok();
    return Fail(InvalidArgument("it sends the content encoded as " + Printable(encoding, 40) +
                                ", which was not asked for"));
  }
  Status CheckRange(const std::string& range) const {
    const std::string begin =
        "bytes " + std::to_string(read_.offset) + "-" + std::to_string(read_.size - 1) + "/";
    if (read_.offset > 0 && (range == begin + std::to_string(read_.size) || range == begin + "*"))
      return Ok();
    return Fail(InvalidArgument("it sends another range than was asked for: \"" +
                                Printable(range, 80) + "\""));
  }
  Status CheckLength(const std::string& length, int64_t offset) const {
    if (length.empty() || length == std::to_string(read_.size - offset)) return Ok();
    return Fail(Conflict("it has " + Printable(length, 30) + " bytes from byte " +
                         std::to_string(offset) + " on, where " +
                         std::to_string(read_.size - offset) + " were expected"));
  }

  const RangedRead& read_;
  const ByteSink& sink_;
  int64_t skipped_ = 0;  // still to be dropped
  int64_t received_ = 0;
};

WebRequest RangeRequest(const RangedRead& read, bool has_condition) {
  WebRequest request = read.request;
  request.headers.emplace_back("Accept-Encoding", "identity");
  if (read.offset > 0)
    request.headers.emplace_back("Range", "bytes=" + std::to_string(read.offset) + "-");
  if (has_condition) request.headers.emplace_back("If-Match", "\"" + read.version + "\"");
  return request;
}

}  // namespace

Result<HttpHeaders> ReadRange(WebClient& client, const RangedRead& read, const ByteSink& sink) {
  // Where the condition fails, the same request without it names the new version.
  for (bool has_condition : {!read.version.empty() && !read.is_weak, false}) {
    RangeReceiver receiver(read, sink);
    const WebResponse response = GP_TRY(client.Send(
        RangeRequest(read, has_condition), {.redirects_max = read.redirects_max},
        [&](const WebResponse& head) { return receiver.TakeHead(head); },
        [&](std::string_view piece) { return receiver.Take(piece); }));
    if (response.status == 412 && has_condition) continue;
    if (response.status != 200 && response.status != 206)
      return Fail(StatusError(response.status, ErrorCodeIn(response.body)));
    GP_CHECK_OK(receiver.End());
    return response.headers;
  }
  return Fail(StatusError(412));
}

}  // namespace gp
