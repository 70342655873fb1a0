#pragma once

// The door for reads that may be a little old, as a part of a controller's start.

#include <atomic>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "adapters/inbound/rest/rest_api.h"
#include "adapters/inbound/rest/server/http_server.h"
#include "application/replication/replica.h"
#include "cmd/daemon/component.h"
#include "cmd/serve/certificates_part.h"
#include "cmd/serve/controller_config.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// Each of several controllers answers reads at an address of its own: as a standby from its copy of
// the state, whose age the answers tell; as the leader as always.  So readers cost the leader
// nothing.  Without such an address it does nothing.
class ReadsPart : public Component {
 public:
  ReadsPart(const ControllerConfig& config, OperatorLog& log, Clock& clock,
            CertificatesPart& certificates);
  ~ReadsPart() override;
  Status Start() override;
  void Stop() override;

  // Answers from the replica from now on, until EndFollowing.  Before Replica::Recover.
  void Follow(Replica& replica, const std::string& name);
  // Nobody new reads the replica; those who do already end by themselves.
  void EndFollowing();
  // Answers as the leader does, until EndLead.
  void Lead(RestApi& rest);
  void EndLead();

 private:
  struct Following;
  HttpReply Answer(const HttpRequest& request);
  HttpReply AnswerBy(RestApi& rest, std::optional<Duration> age, const HttpRequest& request);
  bool TakesLong(const HttpRequest& request);
  void Become(RestApi* leader, std::shared_ptr<Following> standby);

  const ControllerConfig& config_;
  OperatorLog& log_;
  Clock& clock_;
  CertificatesPart& certificates_;
  std::unique_ptr<HttpServer> door_;
  // Held shared while a request is answered as the leader does; `is_changing_` turns new ones away,
  // so that a change need not wait for more than those under way.  A standby's answers do not hold
  // it: a take-over must not wait for readers.
  std::shared_mutex answering_;
  std::atomic<bool> is_changing_ = false;
  std::shared_ptr<Following> standby_;
  RestApi* leader_ = nullptr;
};

}  // namespace gp
