#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "ports/outbound/quorum_store.h"

namespace grpc {
class ClientContext;
}

namespace gp {

class EtcdMembers;
struct EtcdMember;

// Follows a range of keys at one member, and at the next one when that breaks off or is silent.  A
// thread of its own calls `changed`, which must not destroy the watch.
class EtcdWatch final : public StoreWatch {
 public:
  EtcdWatch(std::shared_ptr<EtcdMembers> members, KeyRange range, std::function<void()> changed);
  ~EtcdWatch() override;

 private:
  void Run();
  bool Follow(EtcdMember& member);

  const std::shared_ptr<EtcdMembers> members_;
  const KeyRange range_;
  const std::function<void()> changed_;

  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;
  grpc::ClientContext* under_way_ = nullptr;  // the call to cancel
  std::thread thread_;
};

}  // namespace gp
