#pragma once

// The API as JSON over HTTP: finds the operation, reads the request, asks, writes the answer.  Any thread.

#include "adapters/inbound/api/access_guard.h"
#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/rest/http.h"
#include "adapters/inbound/rest/routes.h"

namespace gp {

class RestApi {
 public:
  RestApi(ControlApi& api, AccessGuard& guard, const std::string& version);

  HttpReply Answer(const HttpRequest& request);
  // Whether the answer may take seconds.
  bool TakesLong(const HttpRequest& request) const;

 private:
  Result<Caller> Identify(const HttpRequest& request);
  HttpReply AnswerReadiness();
  HttpReply AnswerMetrics(const HttpRequest& request);
  HttpReply AnswerRoute(const HttpRequest& request, const MatchedRoute& matched, std::string_view query);

  ControlApi& api_;
  AccessGuard& guard_;
  const Routes routes_;
  const std::string openapi_;
};

}  // namespace gp
