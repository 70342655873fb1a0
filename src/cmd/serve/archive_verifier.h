#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "application/archive/archiver.h"
#include "cmd/serve/controller_config.h"
#include "files/descriptor.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// Verifies the archive when the last verification is old enough: by a process of its own, so that
// neither its memory nor its use of the processor is the controller's.
class ArchiveVerifier {
 public:
  // `status`: of the archiver.  All outlive it.
  ArchiveVerifier(const ArchiveConfig& config, std::function<ArchiveStatus()> status,
                  OperatorLog& log, Clock& clock);
  // Ends a verification that runs.
  ~ArchiveVerifier();

 private:
  void Run();
  bool IsDue() const;
  void Verify();

  const ArchiveConfig& config_;
  const std::function<ArchiveStatus()> status_;
  OperatorLog& log_;
  Clock& clock_;
  int64_t not_before_ns_;  // boot time of the next verification
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  Descriptor stop_;  // readable when a verification is to stop
  std::thread thread_;
};

}  // namespace gp
