#pragma once

#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/kernel_log/other_lines.h"
#include "adapters/outbound/kernel_log/parse_xid.h"
#include "base/result.h"

namespace gp {

inline constexpr const char* kKernelLogPath = "/dev/kmsg";

// The XIDs and other messages of the GPU driver in the kernel's log, from the moment of opening on.
// The kernel keeps a ring: a late reader loses the oldest records and is notified.  One thread at a
// time.
class KernelLog {
 public:
  using ReadCall = ssize_t (*)(int, void*, size_t);

  // kNotFound; kPermissionDenied (on most hosts reading requires root, or the capability for
  // syslog); kUnsupported: the file is not the kernel's log, as in some containers.
  // A plain file or FIFO of another name holds one record per line; it is for tests.
  // `read_call` is read(2); tests replace it to simulate the kernel's errors.
  static Result<std::unique_ptr<KernelLog>> Open(const std::string& path = kKernelLogPath,
                                                 bool accept_user = false,
                                                 ReadCall read_call = ::read);
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;

  // Readable when Take may have something.  For a plain file: when it was written to. -1: the
  // system gives no such notices, and the caller must poll.
  int EventDescriptor() const { return is_plain_ ? notices_ : descriptor_; }
  // All records so far, without waiting.  After very many it leaves the rest for the next call, so
  // that a flood cannot block its caller.
  std::vector<KernelXid> Take();
  // Whether records were lost since the last call.
  bool lost_records();

 private:
  KernelLog(int descriptor, bool is_plain, int notices, bool has_records, bool accept_user,
            ReadCall read_call)
      : descriptor_(descriptor),
        is_plain_(is_plain),
        notices_(notices),
        has_records_(has_records),
        accept_user_(accept_user),
        read_call_(read_call) {}
  void Parse(std::string_view record, std::vector<KernelXid>& found);
  void AddStream(std::string_view bytes, std::vector<KernelXid>& found);

  const int descriptor_;
  const bool is_plain_;     // a file, which can always be read
  const int notices_;       // of writes to it; or -1
  const bool has_records_;  // true: one read gives one record; false: lines
  const bool accept_user_;
  const ReadCall read_call_;
  bool lost_records_ = false;
  FallenNotice fallen_;
  std::string line_;           // an incomplete line
  bool is_line_long_ = false;  // its beginning was dropped
};

}  // namespace gp
