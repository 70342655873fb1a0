#pragma once

// What a transfer process is to do, and what it prints.  A task goes to the standard input of the
// process, for the arguments and the environment of a process can be seen by others.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/outbound/objects/download.h"
#include "base/result.h"
#include "base/time.h"

namespace gp {

inline constexpr size_t kTransferTaskBytesMax = 1 << 20;
inline constexpr size_t kTransferAnswerBytesMax = 1 << 20;

struct TransferTask {
  enum class Kind {
    kList,     // only reports what would be fetched
    kFetch,    // into the directory
    kRestore,  // what was put becomes the file or directory `directory`, unless it is so
    kPut,      // the file or directory `directory`, to below the URL
  };

  Kind kind = Kind::kFetch;
  std::string url;
  std::string directory;             // fetched into, or sent from
  std::vector<std::string> include;  // patterns of names; empty: all
  std::string sha256;                // of a single file, in hexadecimal digits; empty: unknown
  std::string credentials;           // the text of the secret (object_credentials.h); empty: none
  int64_t bytes_max = 0;
  bool create_only = false;
  std::string listing;               // of kFetch: the digest that kList reported; empty: unknown
  bool is_fixed = false;             // of kPut: a complete upload there is the same
  std::vector<std::string> staying;  // of kPut: of RemoveReplacedCopies
  std::vector<std::string> allowed_addresses;  // of the site (lib/http/address_rules.h)
  std::string authorities;                     // PEM file of CAs; empty: the host's own
  int objects_at_once = 4;
  Duration stall = Duration::Seconds(120);  // for how long there may be no progress
  bool operator==(const TransferTask&) const = default;
};

std::string TaskText(const TransferTask& task);
// kInvalidArgument: it is no task; the message contains nothing of it.
Result<TransferTask> ReadTask(const std::string& text);

// Lines that a process prints: the progress at most once a second, and one answer as the last one.
std::string ProgressLine(const TransferProgress& progress);
std::string AnswerLine(const Result<TransferReport>& report);

// nullopt: it is no line of progress.
std::optional<TransferProgress> ReadProgress(const std::string& line);
// Of all that a process has printed: the report, or the error that it met.  kInternal: there is
// none.
Result<TransferReport> ReadTransferAnswer(const std::string& printed);

}  // namespace gp
