#pragma once

// The API as JSON over HTTP: finds the operation, reads the request, asks, writes the answer.  Any
// thread.

#include <mutex>
#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/rest/http.h"
#include "adapters/inbound/rest/job_streams.h"
#include "adapters/inbound/rest/routes.h"

namespace gp {

class RestApi {
 public:
  RestApi(Api& api, const std::string& version);

  HttpReply Answer(const HttpRequest& request);
  // Answers that go on end; before what they wait for ends.
  void EndStreams() { pumps_.Abandon(); }
  // Whether the answer may take seconds.
  bool TakesLong(const HttpRequest& request) const;

 private:
  Result<Caller> Identify(const HttpRequest& request);
  const std::string& OpenApiText();
  const std::string& DocsText();
  HttpReply AnswerReadiness();
  HttpReply AnswerMetrics(const HttpRequest& request, std::string_view query);
  HttpReply AnswerRoute(const HttpRequest& request, const MatchedRoute& matched,
                        std::string_view query);
  HttpReply AnswerStream(const HttpRequest& request, const MatchedRoute& matched,
                         std::string_view query);
  Result<OpenedStream> Open(const HttpRequest& request, const Route& route, const Caller& caller,
                            google::protobuf::Message& message);

  ControlApi& api_;
  AccessGuard& guard_;
  const ChangeFeed& changes_;
  const Routes routes_;
  const std::string version_;
  std::once_flag openapi_once_;
  std::string openapi_;
  std::once_flag docs_once_;
  std::string docs_;
  Pumps pumps_;
};

}  // namespace gp
