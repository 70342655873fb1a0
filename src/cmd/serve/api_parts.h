#pragma once

// The users' operations and the servers that offer them, as parts of a controller's start.

#include <memory>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/grpc/server.h"
#include "adapters/inbound/link/link_server.h"
#include "adapters/inbound/rest/rest_api.h"
#include "adapters/inbound/rest/server/http_server.h"
#include "cmd/serve/archive_part.h"
#include "cmd/serve/certificates_part.h"
#include "cmd/serve/control_parts.h"
#include "cmd/serve/observer_parts.h"
#include "cmd/serve/reload.h"

namespace gp {

// The users' operations, independent of how they are called.
class ApiPart : public Component {
 public:
  // The parts that the operations use.
  struct Uses {
    JournalPart& journal;
    LeadPart& lead;
    RecordsPart& records;
    RecoveryPart& recovery;
    NodesPart& nodes;
    NotifierPart& notifier;
    TelemetryPart& telemetry;
    ArchivePart& archive;
    std::function<void()> step_down;  // gives the lead up and ends the process
  };

  ApiPart(const ControllerConfig& config, Instant started_at, Uses uses)
      : config_(config), in_force_(config), started_at_(started_at), uses_(uses) {}
  Status Start() override;
  Api& api() { return *api_; }

 private:
  ControlApi::About AboutThisController();
  std::vector<MetricFamily> StandbyMetrics() const;
  Result<std::string> MetricsNow(const std::string& names);

  const ControllerConfig& config_;
  SettingsInForce in_force_;
  const Instant started_at_;
  const Uses uses_;
  std::unique_ptr<Api> api_;
};

// gRPC, for the connections that LinkServerPart accepts and passes on.
class GrpcPart : public Component {
 public:
  GrpcPart(const ControllerConfig& config, DirectoriesPart& directories,
           CertificatesPart& certificates, ApiPart& api, ApiPart::Uses uses)
      : config_(config),
        directories_(directories),
        certificates_(certificates),
        api_(api),
        uses_(uses) {}
  Status Start() override;
  void Stop() override { server_->Shutdown(); }
  Server& server() { return *server_; }

 private:
  const ControllerConfig& config_;
  DirectoriesPart& directories_;
  CertificatesPart& certificates_;
  ApiPart& api_;
  const ApiPart::Uses uses_;
  std::unique_ptr<Server> server_;
};

// The addresses for agents and for gRPC.
class LinkServerPart : public Component {
 public:
  LinkServerPart(const ControllerConfig& config, DirectoriesPart& directories,
                 CertificatesPart& certificates, ApiPart& api, GrpcPart& grpc, ApiPart::Uses uses)
      : config_(config),
        directories_(directories),
        certificates_(certificates),
        api_(api),
        grpc_(grpc),
        uses_(uses) {}
  Status Start() override;
  void Stop() override {
    server_->Shutdown();
    uses_.records.metrics().Stop();  // it calls connections of the server
  }
  int tcp_port() const { return server_->tcp_port(); }  // 0: none

 private:
  const ControllerConfig& config_;
  DirectoriesPart& directories_;
  CertificatesPart& certificates_;
  ApiPart& api_;
  GrpcPart& grpc_;
  const ApiPart::Uses uses_;
  std::unique_ptr<LinkServer> server_;
};

// REST, the dashboard and metrics over HTTP.
class HttpPart : public Component {
 public:
  HttpPart(const ControllerConfig& config, CertificatesPart& certificates, ApiPart& api,
           ReadsPart& reads)
      : config_(config), certificates_(certificates), api_(api), reads_(reads) {}
  Status Start() override;
  void Stop() override;
  int tcp_port() const { return http_->tcp_port(); }  // 0: none

 private:
  HttpReply Answer(const HttpRequest& request);
  Status NoteAddress() const;

  const ControllerConfig& config_;
  CertificatesPart& certificates_;
  ApiPart& api_;
  ReadsPart& reads_;
  std::unique_ptr<RestApi> rest_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace gp
