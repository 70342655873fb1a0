#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// A file or directory of this host that is copied to a store, read as the attempt's user.
struct DataCopy {
  std::string key;  // of the attempt
  std::string path;
  std::string url;          // below which its files are; complete once its manifest is there
  std::string credentials;  // as the user's secret has them; never written to disk
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::vector<uint32_t> groups;
  bool is_fixed = false;  // no other content ever has this URL: a complete copy there is this one
  // The copy is one of a job's, by the last part of its URL (CopyName).  When it is complete, the
  // job's copies that are older than one of these, and are none of them, are removed.
  std::vector<std::string> staying;
};

// Fetches the data of attempts and keeps it for later ones, and copies what attempts leave.  Takes
// minutes, so each call only starts it.  One thread (the agent's) calls it.
class DataStore {
 public:
  virtual ~DataStore() = default;

  // Starts to fetch the sources of `spec` at the first call for its key; later calls return where
  // they are, in order; empty for one that was restored.  nullopt: not finished yet.  They stay at
  // least until Release.  Errors: kInvalidArgument (a source is not there, not for the job's user,
  // or refused), kResourceExhausted (no room), kUnavailable (its store does not answer),
  // kInternal (by the host's fault).
  virtual std::optional<Result<std::vector<std::string>>> Prepare(const LaunchSpec& spec) = 0;
  // These are used by an attempt that was started before this program was.
  virtual void Keep(const std::string& key, const std::vector<std::string>& paths) = 0;
  // The attempt no longer needs its data; what is still fetched or copied for it ends.  Unknown
  // keys are ignored.
  virtual void Release(const std::string& key) = 0;
  // Starts to copy at the first call for its key and URL; later calls return the result.  nullopt:
  // not finished yet.  A copy that is complete already is not made again.  Errors as of Prepare.
  virtual std::optional<Status> Copy(const DataCopy& copy) = 0;
  // What is fetched or copied for the attempt now.
  virtual StagingProgress ProgressOf(const std::string& key) = 0;
  // Readable from when Prepare or Copy has a new result until ClearEvents; owned by this object.
  virtual int EventDescriptor() const = 0;
  // To be called before results are looked at: one that comes later makes it readable again.
  virtual void ClearEvents() = 0;
};

}  // namespace gp
