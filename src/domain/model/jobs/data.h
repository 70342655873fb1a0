#pragma once

// Data that a job brings and takes: what its nodes fetch before it starts, and what they copy when
// it has ended (docs/data.md).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"

namespace gp {

// An object, or all objects below a prefix, that each node of the job has before the job starts.
struct StagedData {
  std::string from;                  // URL (object_url.h)
  std::string to;                    // path where the job sees it, read-only
  std::vector<std::string> include;  // patterns of names, as of fnmatch; empty: all
  std::string credentials;           // secret of the source; empty: none.  The job does not get it
  std::string sha256;                // of an object, in hexadecimal; empty: not known
  bool operator==(const StagedData&) const = default;
};
GP_FIELDS(StagedData, v.from, v.to, v.include, v.credentials, v.sha256)

// A file or directory of the job's nodes that is copied when an attempt has ended.
struct Artifact {
  std::string from;         // path on the node; read as the job's user
  std::string to;           // URL; "${JOB_ID}" stands for the job's id
  std::string credentials;  // secret of the target; empty: none.  The job does not get it
  bool operator==(const Artifact&) const = default;
};
GP_FIELDS(Artifact, v.from, v.to, v.credentials)

// In the URL of an artifact it stands for the job's id.
inline constexpr std::string_view kJobIdInUrl = "${JOB_ID}";

inline constexpr size_t kStagedMax = 32;
inline constexpr size_t kArtifactsMax = 32;
inline constexpr size_t kIncludesMax = 32;

// What is wrong with it, and how to fix it.
std::optional<std::string> StagedDataFault(const StagedData& data);
std::optional<std::string> ArtifactFault(const Artifact& artifact);
// The same of a URL below which copies are made.
std::optional<std::string> CopyTargetFault(std::string_view url);

}  // namespace gp
