#pragma once

// Real etcd processes on the loopback interface, for tests.  They end with this object, or with the
// thread that started them.

#include <sys/types.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/outbound/etcd/etcd_store.h"
#include "base/time.h"

namespace gp {

// Skips the test where Debian's package etcd-server is missing; in CI it fails.
#define GP_NEED_ETCD()                                                                       \
  do {                                                                                       \
    if (!HasEtcd()) {                                                                        \
      const char* gp_ci = std::getenv("CI");                                                 \
      ASSERT_TRUE(gp_ci == nullptr || std::string_view(gp_ci) != "true") << "CI needs etcd"; \
      GTEST_SKIP() << "no etcd: apt-get install etcd-server etcd-client";                    \
    }                                                                                        \
  } while (false)

bool HasEtcd();

// Asks again and again, for what the processes do takes time.
bool AwaitReal(const std::function<bool()>& holds, Duration time_max = Duration::Seconds(30));

class EtcdCluster {
 public:
  struct Settings {
    size_t members = 1;
    std::string scheme = "http";
    std::vector<std::string> flags;  // more of them, for each member
  };

  explicit EtcdCluster(Settings settings);
  ~EtcdCluster();
  EtcdCluster(const EtcdCluster&) = delete;
  EtcdCluster& operator=(const EtcdCluster&) = delete;

  // A member answers on its port.  False: none of several tries came that far.
  bool is_up() const { return is_up_; }

  size_t size() const { return members_.size(); }
  const std::string& endpoint(size_t member) const { return members_[member].endpoint; }
  // All endpoints; `first` comes first, the others in their order.
  EtcdOptions Options(size_t first = 0) const;
  std::unique_ptr<EtcdStore> Store(size_t first = 0) const;
  // Waits until each member reads and writes; only without TLS and users.
  bool AwaitHealth() const;
  // The index of the present leader.  Only without TLS.
  size_t Leader() const;

  void Kill(size_t member);
  void Start(size_t member);  // after Kill, with the same ports and files
  void Hang(size_t member);
  void Wake(size_t member);
  std::string Log(size_t member) const;

 private:
  struct Member {
    std::string name;
    std::string endpoint;
    std::string peer;
    pid_t pid = -1;
  };

  void Place();
  bool AwaitPorts();
  std::vector<std::string> Words(const Member& member) const;

  const Settings settings_;
  std::string directory_;
  std::vector<Member> members_;
  bool is_up_ = false;
};

}  // namespace gp
