#pragma once

// Where data of jobs is: "s3://bucket/prefix", "gs://bucket/prefix", "hf://org/name@v1/file",
// "https://host/path", "http://host/path", "file:///data/set".

#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

enum class ObjectScheme { kS3, kGs, kHf, kHttps, kHttp, kFile };

struct ObjectUrl {
  ObjectScheme scheme = ObjectScheme::kFile;
  // Of s3 and gs: the bucket.  Of hf: "org/name", "name", or either after "datasets/".  Of https
  // and http: the host, with its port if the URL has one.  Of file: empty.
  std::string host_or_bucket;
  // Of s3, gs and hf: without a slash before it, and empty for all of the bucket or repository.  Of
  // the others: begins with a slash; of https and http with the query, as it is sent.
  std::string path;
  std::string revision;  // of hf: a branch, tag or commit; empty: the main branch
  bool operator==(const ObjectUrl&) const = default;
};

// The first two parts of a path of hf are the owner and the name of its repository; a repository
// without an owner has a revision, or nothing, after its name.  A slash in a revision is written
// "%2F".  kInvalidArgument: it is no such URL, or it has credentials in it; the message says what
// to write, and contains nothing that might be a secret.
Result<ObjectUrl> ParseObjectUrl(std::string_view text);

// The text from which ParseObjectUrl reads the same URL.
std::string ToText(const ObjectUrl& url);

}  // namespace gp
