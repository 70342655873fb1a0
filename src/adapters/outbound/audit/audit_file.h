#pragma once

// The audit trail as files of JSON lines below a directory: audit-000001.jsonl, the next where one
// is full.  One chain of hashes goes through all of them.  A thread of its own writes now and then:
// nobody waits for it or wakes it.

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

class AuditFile : public AuditTrail {
 public:
  static constexpr int64_t kFileBytesMax = 16 << 20;

  // Makes the directory if there is none; a line at the end that a crash has torn is cut off.
  // kInternal: it cannot be read or written, and why.
  static Result<std::unique_ptr<AuditFile>> Open(std::string directory,
                                                 int64_t file_bytes_max = kFileBytesMax);
  // All that was told is written.
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
  uint64_t last_number_ = 0;  // of Write's caller

  int file_number_ = 0;  // these three: of the thread
  std::unique_ptr<std::FILE, Closer> file_;
  std::string hash_;

  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::condition_variable written_;
  std::deque<AuditEntry> waiting_;
  bool is_broken_ = false;  // the disk takes nothing for long, or has failed: until the next start
  uint64_t written_number_ = 0;
  bool writing_ = false;
  bool hurry_ = false;  // somebody waits for what was told so far
  bool ends_ = false;
};

struct AuditVerdict {
  uint64_t entries = 0;
  std::string first_at;
  std::string last_at;
  std::string hash;    // of the last: keep it elsewhere, and nobody can write the past anew
  std::string broken;  // empty: the chain is whole; else where it is not, and how
};

// Follows the chain through all files of a directory.  kNotFound: there is none.
Result<AuditVerdict> VerifyAudit(const std::string& directory);

}  // namespace gp
