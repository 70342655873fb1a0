#pragma once

#include <string>

#include "application/agent/pending_starts.h"

namespace gp {

// An AttemptRunner around another one, in which attempts wait until the other one may start them.
// What a derived class does not do itself is passed on.  One thread (the agent's) calls it.
class WrappingRunner : public AttemptRunner {
 public:
  ~WrappingRunner() override;
  WrappingRunner(const WrappingRunner&) = delete;
  WrappingRunner& operator=(const WrappingRunner&) = delete;

  void Renew(const std::string& key, int64_t lease_deadline_boot_ns) override;
  void FixImage(const std::string& key, const std::string& digest) override {
    runner_.FixImage(key, digest);
  }
  void Discard(const std::string& key, const std::string& directory,
               const std::vector<std::string>& paths) override {
    runner_.Discard(key, directory, paths);
  }
  void SetCopies(const std::string& key, const CopyOrders& orders) override {
    runner_.SetCopies(key, orders);
  }
  HostUse Used(const std::string& key) override { return runner_.Used(key); }
  bool IsEmpty() override { return pending_.IsEmpty() && runner_.IsEmpty(); }
  Result<ExecStreams> Exec(const std::string& key, const ExecSpec& spec) override;
  int EventDescriptor() const override { return events_fd_; }

 protected:
  // `awaited`: what attempts wait for, as in "its MIG instance".  `runner` outlives this one.
  WrappingRunner(AttemptRunner& runner, std::string awaited);

  // EventDescriptor is readable also when this descriptor is.  Does nothing the second time.
  void WakeAlsoBy(int descriptor);

  AttemptRunner& runner_;
  PendingStarts pending_;

 private:
  const std::string awaited_;
  const int events_fd_;
};

}  // namespace gp
