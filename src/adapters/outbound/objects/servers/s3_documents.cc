#include "adapters/outbound/objects/servers/s3_documents.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "adapters/outbound/objects/servers/xml_reader.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kMd5Digits = 32;
constexpr size_t kCodeMax = 60;
constexpr size_t kTokenMax = 8'000;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Keys are encoded as in a query, so that XML can hold each of them.
Result<std::string> UrlDecoded(const std::string& text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low < 0) return Fail(InvalidArgument("its list has a key that is badly encoded"));
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

// Takes the elements of a listing, in the order in which they end.
class ListingReading {
 public:
  Status Take(const std::string& path, const std::string& text) {
    constexpr std::string_view kRoot = "ListBucketResult";
    if (!path.starts_with(kRoot)) return Fail(InvalidArgument("its answer is no list of objects"));
    const std::string_view name = std::string_view(path).substr(kRoot.size());
    if (name == "/Contents/Key") entry_.key = text;
    if (name == "/Contents/ETag") entry_.version = WithoutQuotes(text);
    if (name == "/Contents/Size") return TakeSize(text);
    if (name == "/Contents") return EndEntry();
    if (name == "/IsTruncated") is_truncated_ = text == "true";
    if (name == "/NextContinuationToken") page_.next = text;
    if (name == "/EncodingType") is_encoded_ = text == "url";
    return Ok();
  }

  Result<ListingPage> End() {
    if (is_truncated_ == page_.next.empty() || page_.next.size() > kTokenMax)
      return Fail(InvalidArgument("its list does not say where it goes on"));
    if (!is_encoded_) return std::move(page_);
    for (ObjectEntry& entry : page_.entries) entry.key = GP_TRY(UrlDecoded(entry.key));
    return std::move(page_);
  }

 private:
  Status TakeSize(const std::string& text) {
    const auto size = ParseCount(text);
    if (!size) return Fail(InvalidArgument("its list has the size " + Printable(text, 40)));
    entry_.size = *size;
    has_size_ = true;
    return Ok();
  }
  Status EndEntry() {
    if (entry_.key.empty() || !has_size_)
      return Fail(InvalidArgument("its list has an object without a key or a size"));
    if (page_.entries.size() >= kListedMax)
      return Fail(InvalidArgument("its list has more objects than were asked for"));
    entry_.md5 = Md5In(entry_.version);
    page_.entries.push_back(std::exchange(entry_, {}));
    has_size_ = false;
    return Ok();
  }

  ListingPage page_;
  ObjectEntry entry_;
  bool has_size_ = false;
  bool is_truncated_ = false;
  bool is_encoded_ = false;
};

}  // namespace

Result<ListingPage> ReadListing(std::string_view document) {
  ListingReading reading;
  GP_CHECK_OK(ReadXml(document, [&](const std::string& path, const std::string& text) {
    return reading.Take(path, text);
  }));
  return reading.End();
}

Result<std::string> ReadUploadId(std::string_view document) {
  std::string id;
  GP_CHECK_OK(ReadXml(document, [&](const std::string& path, const std::string& text) {
    if (path == "InitiateMultipartUploadResult/UploadId") id = text;
    return Ok();
  }));
  if (!id.empty()) return id;
  return Fail(InvalidArgument("its answer names no upload"));
}

std::string CompletionText(const std::vector<std::string>& etags) {
  std::string text = "<CompleteMultipartUpload>";
  for (size_t i = 0; i < etags.size(); ++i)
    text += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" +
            XmlEscaped(etags[i]) + "</ETag></Part>";
  return text + "</CompleteMultipartUpload>";
}

std::string ErrorCodeIn(std::string_view document) {
  std::string code;
  const Status read = ReadXml(document, [&](const std::string& path, const std::string& text) {
    if (path == "Error/Code") code = text;
    return Ok();
  });
  const bool is_code = code.size() <= kCodeMax && std::ranges::all_of(code, [](char c) {
                         return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
                       });
  return read && is_code ? code : "";
}

std::string WithoutQuotes(std::string_view etag) {
  if (etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"'))
    etag = etag.substr(1, etag.size() - 2);
  return std::string(etag);
}

std::string Md5In(std::string_view etag) {
  const bool is_md5 = etag.size() == kMd5Digits &&
                      etag.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_md5 ? std::string(etag) : "";
}

}  // namespace gp
