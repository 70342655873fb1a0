#pragma once

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "ports/outbound/audit_trail.h"

namespace gp {

// The audit trail as files of JSON lines in a directory: audit-000001.jsonl, and the next number
// when a file is full.  One chain of hashes covers all of them.  An own thread writes at intervals:
// callers neither wait for it nor wake it.
class AuditFile : public AuditTrail {
 public:
  static constexpr int64_t kFileBytesMax = 16 << 20;

  // Creates the directory if absent; removes a last line that a crash left incomplete.
  // kInternal: the directory cannot be read or written; the message says why.
  static Result<std::unique_ptr<AuditFile>> Open(std::string directory,
                                                 int64_t file_bytes_max = kFileBytesMax);
  // When it returns, every entry is written.
  ~AuditFile() override;

  void Write(AuditEntry entry) override;
  uint64_t LastNumber() const override { return last_number_; }
  uint64_t WrittenUntil() const override;
  Result<std::vector<WrittenAuditEntry>> Read(const AuditQuery& query) override;

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  AuditFile(std::string directory, int64_t file_bytes_max)
      : directory_(std::move(directory)), file_bytes_max_(file_bytes_max) {}
  Status Resume();
  Status OpenFile();
  void Run();
  bool WriteAll(const std::deque<AuditEntry>& batch);
  void Append(const AuditEntry& entry);
  void Flush();
  void GiveUp(const Error& error);

  const std::string directory_;
  const int64_t file_bytes_max_;
  std::thread thread_;
  uint64_t last_number_ = 0;  // used only by the caller of Write

  int file_number_ = 0;  // these three: used only by the writing thread
  std::unique_ptr<std::FILE, Closer> file_;
  std::string hash_;

  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::condition_variable written_;
  std::deque<AuditEntry> waiting_;
  bool is_broken_ = false;  // the disk has stalled or failed; stays set until the next start
  uint64_t written_number_ = 0;
  bool writing_ = false;
  bool hurry_ = false;  // a reader waits for the entries so far
  bool ends_ = false;
};

// The result of a check of the chain.
struct AuditVerdict {
  uint64_t entries = 0;
  std::string first_at;
  std::string last_at;
  std::string hash;    // of the last entry: a copy elsewhere reveals a rewritten past
  std::string broken;  // empty: the chain is intact; else where it breaks, and how
};

// Checks the chain through all files of a directory. kNotFound: there are none.
Result<AuditVerdict> VerifyAudit(const std::string& directory);

}  // namespace gp
