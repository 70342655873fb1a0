#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/rest/http.h"
#include "adapters/inbound/rest/job_streams.h"
#include "adapters/inbound/rest/routes.h"

namespace gp {

// The API as JSON over HTTP: finds the operation, parses the request, calls ControlApi, writes the
// answer.  Any thread.
class RestApi {
 public:
  RestApi(Api& api, const std::string& version);

  HttpReply Answer(const HttpRequest& request);
  // Ends streaming answers; call it before the feeds that they wait for are destroyed.
  void EndStreams() { pumps_.Abandon(); }
  // Whether the call may take seconds.
  bool TakesLong(const HttpRequest& request) const;
  // The operation that the request asks for; empty: none, such as a page.
  std::string OperationOf(const HttpRequest& request) const;

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
  Result<OpenedStream> OpenChanges(const HttpRequest& request, const Caller& caller,
                                   v1::WatchChangesRequest& changes);
  Result<OpenedStream> OpenJob(const HttpRequest& request, const Caller& caller,
                               const v1::GetJobRequest& job);
  Result<OpenedStream> OpenLog(const HttpRequest& request, const Caller& caller,
                               v1::ReadLogRequest& log);
  Result<OpenedStream> OpenMetrics(const HttpRequest& request, const Caller& caller,
                                   v1::WatchJobMetricsRequest& metrics);
  // Identifies the caller of the request whenever it is called.
  std::function<Result<Caller>()> Identifier(const HttpRequest& request);
  using MayAct = Status (ControlApi::*)(const Caller& caller, const std::string& job);
  // Checks whenever it is called that the caller of the request may still use the operation for the
  // job.
  std::function<Status()> AccessCheck(const HttpRequest& request, const std::string& operation,
                                      MayAct may, const std::string& job);
  // The same of an operation that is for no job.
  std::function<Status()> RoleCheck(const HttpRequest& request, const std::string& operation);

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
