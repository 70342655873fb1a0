#pragma once

// The members of an etcd: a channel to each, which of them is asked, and the token of this
// program's user.  Any thread.

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/outbound/etcd/call_watch.h"
#include "adapters/outbound/etcd/etcd_options.h"
#include "base/result.h"
#include "base/time.h"
#include "etcd_api.grpc.pb.h"

namespace gp {

// One member, by a connection of its own.
struct EtcdMember {
  EtcdMember(size_t the_index, std::string the_endpoint,
             std::shared_ptr<grpc::Channel> the_channel);

  // Gives a broken connection a moment.  gRPC makes progress with connecting only while somebody
  // waits, and a call through a broken connection fails at once: without this, a member that is
  // back might never be reached.
  void AwaitConnection();

  const size_t index;
  const std::string endpoint;
  const std::shared_ptr<grpc::Channel> channel;
  etcdserverpb::KV::Stub kv;
  etcdserverpb::Lease::Stub lease;
  etcdserverpb::Watch::Stub watch;
  etcdserverpb::Auth::Stub auth;
  etcdserverpb::Maintenance::Stub maintenance;
};

// All members, one of which is the present one: asked until it does not answer.
class EtcdMembers {
 public:
  using Call = std::function<grpc::Status(EtcdMember&, grpc::ClientContext&)>;

  // REQUIRES: CheckEtcdOptions accepts the options.  Connects when it is first asked.
  explicit EtcdMembers(const EtcdOptions& options);

  // The one to ask, and the one to ask after `member`.
  EtcdMember& Present() { return *members_[present_]; }
  EtcdMember& After(const EtcdMember& member);

  // Asks the present member.  Without an answer, later calls ask the next one.  The call is made a
  // second time only when etcd has refused its token, and with it the call.
  Status Ask(Duration time_max, const Call& call);
  // Asks each member once until one answers, for about a second in all.
  // REQUIRES: the call may be carried out several times.
  Status AskEach(const Call& call);

  // Asks every member, whichever is the present one, for about a second in all.
  void AskAll(const Call& call,
              const std::function<void(const EtcdMember&, const grpc::Status&)>& take);

  // The token that etcd gave to the user; empty: no user is set.  It may have to ask `member`.
  std::expected<std::string, grpc::Status> Token(EtcdMember& member, Duration time_max);
  // This one is no longer accepted.
  void Forget(const std::string& token);

 private:
  grpc::Status CallOne(EtcdMember& member, Duration time_max, const Call& call);
  void Leave(const EtcdMember& member);

  const std::string user_;
  const std::string password_;
  std::vector<std::unique_ptr<EtcdMember>> members_;
  CallWatch watch_;
  std::atomic<size_t> present_ = 0;
  std::mutex mutex_;
  std::string token_;
};

}  // namespace gp
