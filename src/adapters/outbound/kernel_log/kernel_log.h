#pragma once

// The XIDs in the kernel's log, and what else the driver says of GPUs there, from the moment of
// opening on.  The kernel keeps a ring: a reader that is late loses the oldest records, and is told
// so.  One thread at a time.

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

class KernelLog {
 public:
  using ReadCall = ssize_t (*)(int, void*, size_t);

  // kNotFound; kPermissionDenied (reading needs root, or the right to syslog, on most hosts);
  // kUnsupported: something else than the kernel's log, as containers put in its place.
  // A plain file or FIFO of another name holds one record a line; it is for tests.
  // `read_call` is read(2); tests play the kernel's errors with another one.
  static Result<std::unique_ptr<KernelLog>> Open(const std::string& path = kKernelLogPath,
                                                 bool accept_user = false,
                                                 ReadCall read_call = ::read);
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;

  // Readable when Take may have something.  Of a plain file: when something was written to it;
  // where the system gives no such notices -1, and who waits looks by himself from time to time.
  int EventDescriptor() const { return is_plain_ ? notices_ : descriptor_; }
  // All there are, without waiting.  After very many records it leaves the rest for the next call,
  // so that a flood cannot hold its caller.
  std::vector<KernelXid> Take();
  // Whether records were lost since this was last asked.
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
  const bool has_records_;  // one read, one record; else lines
  const bool accept_user_;
  const ReadCall read_call_;
  bool lost_records_ = false;
  FallenNotice fallen_;
  std::string line_;           // begun, its end not read yet
  bool is_line_long_ = false;  // its beginning was thrown away
};

}  // namespace gp
