#pragma once

// The API as JSON over HTTP: finds the operation, reads the request, asks, writes the answer.  Any thread.

#include <mutex>
#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/rest/http.h"
#include "adapters/inbound/rest/routes.h"

namespace gp {

class RestApi {
 public:
  RestApi(Api& api, const std::string& version);

  HttpReply Answer(const HttpRequest& request);
  // Whether the answer may take seconds.
  bool TakesLong(const HttpRequest& request) const;

 private:
  Result<Caller> Identify(const HttpRequest& request);
  const std::string& OpenApiText();
  HttpReply AnswerReadiness();
  HttpReply AnswerMetrics(const HttpRequest& request);
  HttpReply AnswerRoute(const HttpRequest& request, const MatchedRoute& matched, std::string_view query);
  HttpReply AnswerChanges(const HttpRequest& request, const MatchedRoute& matched, std::string_view query);

  ControlApi& api_;
  AccessGuard& guard_;
  const ChangeFeed& changes_;
  const Routes routes_;
  const std::string version_;
  std::once_flag openapi_once_;
  std::string openapi_;
};

}  // namespace gp
