#pragma once

// The XML documents of S3.  Pure.

#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/objects/servers/object_server.h"
#include "base/result.h"

namespace gp {

inline constexpr size_t kListedMax = 1'000;               // objects in one page
inline constexpr uint64_t kS3DocumentBytesMax = 4 << 20;  // keys have up to 1,024 bytes

struct ListingPage {
  std::vector<ObjectEntry> entries;  // with whole keys, and name_at of 0
  std::string next;                  // the token of the next page; empty: this is the last one
};

// Of ListObjectsV2.  kInvalidArgument: it is none, or has numbers that no listing has.
Result<ListingPage> ReadListing(std::string_view document);

// The id that a multipart upload received.
Result<std::string> ReadUploadId(std::string_view document);

// By which the parts of an upload become an object; `etags`: of the parts, in their order.
std::string CompletionText(const std::vector<std::string>& etags);

// "NoSuchBucket": the code of an error; empty: there is none, or it does not look like one.
std::string ErrorCodeIn(std::string_view document);

// The version that an ETag stands for, without its quotes.
std::string WithoutQuotes(std::string_view etag);
// The MD5 of the content, which the ETag of an object that was sent in one piece usually is; else
// empty.
std::string Md5In(std::string_view etag);

}  // namespace gp
