#include "adapters/inbound/rest/rest_api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adapters/inbound/api/api.h"
#include "adapters/inbound/rest/connect_rpc.h"
#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/control/node_connections.h"

namespace gp {
namespace {

using Json = nlohmann::json;

const User kAna{"ana", 54'321, 54'321};
const User kRoot{"root", 0, 0};

struct Rig {
  ManualClock clock;
  MemoryJournal journal;
  std::unique_ptr<ControlLoop> loop;
  std::unique_ptr<NodeConnections> nodes;
  std::unique_ptr<Api> api;
  std::unique_ptr<RestApi> rest;

  Rig() {
    ControlOptions options;
    options.by_hand = true;
    loop = *ControlLoop::Open(journal, clock, options);
    nodes = std::make_unique<NodeConnections>(*loop);
    api = std::make_unique<Api>(
        *loop, *nodes, ControlApi::About{"0", [](const std::string& names) {
                                           return Result<std::string>("up" + names + " 1\n");
                                         }});
    for (CommitObserver* observer : api->Observers()) loop->AddObserver(observer);
    rest = std::make_unique<RestApi>(*api, "0");
  }
  HttpReply Ask(const std::string& method, const std::string& target, const std::string& body = "",
                const User& user = kAna) {
    HttpRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.from = "unix";
    request.peer = user;
    return rest->Answer(request);
  }
  Json Of(const HttpReply& reply) { return Json::parse(reply.body); }
};

const std::string kJob = R"({"specs": [{"name": "a", "command": ["true"], "gpus": {"count": 1}}]})";

TEST(RestApi, SubmitsListsAndStops) {
  Rig rig;
  const HttpReply submitted = rig.Ask("POST", "/api/v1/jobs", kJob);
  EXPECT_EQ(submitted.status, 201);
  EXPECT_EQ(submitted.content_type, "application/json");
  const std::string job = rig.Of(submitted)["job_ids"][0];
  EXPECT_EQ(rig.Of(rig.Ask("GET", "/api/v1/jobs/" + job))["spec"]["name"], "a");
  EXPECT_EQ(rig.Of(rig.Ask("GET", "/api/v1/jobs?states=QUEUED&limit=5"))["total"], 1);
  EXPECT_EQ(rig.Of(rig.Ask("GET", "/api/v1/jobs?states=RUNNING"))["total"], 0);
  EXPECT_EQ(rig.Ask("POST", "/api/v1/jobs/" + job + ":stop").status, 200);
  EXPECT_EQ(rig.Of(rig.Ask("GET", "/api/v1/jobs/" + job))["state"], "CANCELLED");
}

TEST(RestApi, RepeatsNothingUnderOneKey) {
  Rig rig;
  HttpRequest request{"POST", "/api/v1/jobs", {}, {}, "key-1", {}, {}, kJob, "unix", kAna};
  const HttpReply first = rig.rest->Answer(request);
  EXPECT_EQ(rig.rest->Answer(request).body, first.body);
  EXPECT_EQ(rig.Of(rig.Ask("GET", "/api/v1/jobs"))["total"], 1);
  ASSERT_EQ(
      rig.Ask("POST",
              "/api/v1/jobs/" + rig.Of(first)["job_ids"][0].get<std::string>() + ":prioritize",
              R"({"priority": 100})")
          .status,
      200);
  EXPECT_EQ(rig.rest->Answer(request).body, first.body);
  request.body = R"({"specs": [{"name": "b", "command": ["true"]}]})";
  EXPECT_EQ(rig.rest->Answer(request).status, 409);
  EXPECT_EQ(rig.Of(rig.Ask("GET", "/api/v1/jobs"))["total"], 1);
  request.idempotency_key = "array";
  request.body = R"({"specs": [{"command": ["true"], "array": {"count": 3}}]})";
  const HttpReply array = rig.rest->Answer(request);
  EXPECT_EQ(rig.rest->Answer(request).body, array.body);
  request.body = R"({"specs": [{"command": ["true"], "array": {"count": 4}}]})";
  EXPECT_EQ(rig.rest->Answer(request).status, 409);
  request.body = R"({"request_id": "x", "specs": []})";
  EXPECT_EQ(rig.rest->Answer(request).status, 400);
}

TEST(RestApi, MakesAChangeOnceUnderOneKey) {
  Rig rig;
  const auto ask = [&](const std::string& method, const std::string& target, const std::string& key,
                       const std::string& body) {
    HttpRequest request{method, target, {}, {}, key, {}, {}, body, "unix", kRoot};
    return rig.rest->Answer(request);
  };
  const std::string queue = "/api/v1/queues/nlp";
  const auto weight = [&] {
    return rig.Of(rig.Ask("GET", "/api/v1/queues"))["queues"][1]["weight"];
  };
  EXPECT_EQ(ask("PUT", queue, "k1", R"({"weight": 2})").status, 200);
  EXPECT_EQ(ask("PUT", queue, "k2", R"({"weight": 3})").status, 200);
  const HttpReply repeated = ask("PUT", queue, "k1", R"({"weight": 2})");
  EXPECT_EQ(repeated.status, 200) << "the present state answers it";
  EXPECT_EQ(weight(), 3);
  EXPECT_EQ(ask("PUT", queue, "k1", R"({"weight": 4})").status, 409);
  EXPECT_EQ(ask("PUT", queue, "k\t1", R"({"weight": 4})").status, 400);
  EXPECT_EQ(ask("PUT", queue, std::string(129, 'k'), R"({"weight": 4})").status, 400);
  EXPECT_EQ(weight(), 3);

  EXPECT_EQ(ask("DELETE", queue, "k3", "").status, 200);
  EXPECT_EQ(ask("DELETE", queue, "k3", "").status, 200);
  EXPECT_EQ(ask("DELETE", queue, "k4", "").status, 404);

  const HttpReply issued = ask("POST", "/api/v1/tokens", "k5", R"({"label": "x"})");
  EXPECT_EQ(issued.status, 201);
  const HttpReply again = ask("POST", "/api/v1/tokens", "k5", R"({"label": "x"})");
  EXPECT_EQ(again.status, 409) << "the secret is shown once";
  const std::string token = "/api/v1/tokens/" + rig.Of(issued)["token"]["id"].get<std::string>();
  EXPECT_EQ(ask("DELETE", token, "k6", "").status, 200);
  EXPECT_EQ(ask("DELETE", token, "k6", "").status, 200);
}

TEST(RestApi, HoldsEachJobOfAnArrayOnceUnderOneKey) {
  Rig rig;
  const std::string three = R"({"specs": [{"command": ["true"], "array": {"count": 3}}]})";
  const std::string array = rig.Of(rig.Ask("POST", "/api/v1/jobs", three))["job_ids"][0];
  const auto change = [&](const std::string& key, const std::string& action) {
    const std::string body = R"({"name": ")" + array + R"(", "action": ")" + action + R"("})";
    HttpRequest request{"POST", "/api/v1/jobs:change", {}, {}, key, {}, {}, body, "unix", kAna};
    return rig.Of(rig.rest->Answer(request))["total"];
  };
  const auto held = [&] {
    const Json jobs = rig.Of(rig.Ask("GET", "/api/v1/jobs"))["jobs"];
    return std::ranges::count_if(jobs, [](const Json& job) { return job["detail"] == "HELD"; });
  };
  EXPECT_EQ(change("k1", "HOLD"), 3);
  EXPECT_EQ(held(), 3);
  EXPECT_EQ(change("k2", "RELEASE"), 3);
  EXPECT_EQ(change("k1", "HOLD"), 3) << "answered alike, and nothing is held";
  EXPECT_EQ(held(), 0);
  EXPECT_TRUE(change("k1", "STOP").is_null()) << "the key was used for another request";
  const std::string body = R"({"name": ")" + array + R"([0]", "action": "RELEASE"})";
  HttpRequest one{"POST", "/api/v1/jobs:change", {}, {}, "k3", {}, {}, body, "unix", kAna};
  EXPECT_EQ(rig.rest->Answer(one).status, 409);
  EXPECT_EQ(rig.rest->Answer(one).status, 409) << "what was refused was not answered";
  EXPECT_EQ(rig.Of(rig.Ask("GET", "/api/v1/jobs"))["total"], 3);
}

TEST(RestApi, TellsProblemsWithTheirPlace) {
  Rig rig;
  const HttpReply wrong =
      rig.Ask("POST", "/api/v1/jobs", R"({"specs": [{"gpus": {"count": "x"}, "nam": 1}]})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.content_type, "application/problem+json");
  const Json problem = rig.Of(wrong);
  EXPECT_EQ(problem["status"], 400);
  EXPECT_EQ(problem["code"], "invalid-argument");
  EXPECT_EQ(problem["errors"].size(), 2u);
  EXPECT_EQ(problem["errors"][0]["pointer"], "/specs/0/gpus/count");
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs/job-9").status, 404);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/nothing").status, 404);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs?limit=x").status, 400);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs?limit=1&limit=2").status, 400);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs?states=RUNNING&states=FAILED").status, 200);
  EXPECT_EQ(rig.Ask("POST", "/api/v1/jobs?count=3", kJob).status, 400);
  EXPECT_EQ(rig.Ask("PUT", "/api/v1/queues/a", R"({"name": "b"})", kRoot).status, 400);
  const HttpReply other = rig.Ask("DELETE", "/api/v1/jobs");
  EXPECT_EQ(other.status, 405);
  EXPECT_EQ(other.headers.front().second, "POST, GET");
}

TEST(RestApi, AnswersUnderTheNamesThatOthersKnow) {
  Rig rig;
  const std::string job = rig.Of(rig.Ask("POST", "/api/workloads/submit", kJob))["job_ids"][0];
  EXPECT_EQ(rig.Ask("GET", "/api/workloads/" + job + "/status").body,
            rig.Ask("GET", "/api/v1/jobs/" + job).body);
  EXPECT_EQ(rig.Ask("GET", "/api/gpu/resources").body, rig.Ask("GET", "/api/v1/cluster").body);
  EXPECT_EQ(rig.Ask("GET", "/api/monitoring/metrics").body, rig.Ask("GET", "/metrics").body);
}

TEST(RestApi, GivesTheFieldsThatAreWanted) {
  Rig rig;
  const std::string job = rig.Of(rig.Ask("POST", "/api/v1/jobs", kJob))["job_ids"][0];
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs/" + job + "?fields=id,spec.name").body,
            R"({"id":")" + job + R"(","spec":{"name":"a"}})");
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs?fields=total&limit=1").body, R"({"total":1})");
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs?fields=totl").status, 400);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs?fields=total&fields=next").status, 400);
  EXPECT_EQ(rig.Ask("POST", "/api/v1/jobs?fields=job_ids", kJob).status, 400);
}

TEST(RestApi, SendsNothingTwice) {
  Rig rig;
  rig.Ask("POST", "/api/v1/jobs", kJob);
  const auto tag = [](const HttpReply& reply) {
    for (const auto& [name, value] : reply.headers)
      if (name == "ETag") return value;
    return std::string();
  };
  const HttpReply first = rig.Ask("GET", "/api/v1/queues");
  ASSERT_EQ(tag(first).size(), 18u);
  HttpRequest again{"GET", "/api/v1/queues", {}, {}, {}, {}, {}, "", "unix", kAna};
  again.if_none_match = "\"other\", " + tag(first);
  const HttpReply known = rig.rest->Answer(again);
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body, "");
  EXPECT_EQ(tag(known), tag(first));
  ASSERT_EQ(rig.Ask("PUT", "/api/v1/queues/a", "{}", kRoot).status, 200);
  EXPECT_EQ(rig.rest->Answer(again).status, 200);
}

TEST(RestApi, FollowsJobs) {
  Rig rig;
  const std::string job = rig.Of(rig.Ask("POST", "/api/v1/jobs", kJob))["job_ids"][0];
  ASSERT_EQ(rig.Ask("POST", "/api/v1/jobs/" + job + ":stop").status, 200);
  const HttpReply events = rig.Ask("GET", "/api/v1/jobs/" + job + "/events");
  EXPECT_EQ(events.content_type, "text/event-stream");
  ASSERT_NE(events.stream, nullptr);
  std::string text;
  while (const auto piece = events.stream->Take()) text += *piece;
  EXPECT_TRUE(text.starts_with("event: job\ndata: {\"id\":\"" + job + "\"")) << text;
  EXPECT_TRUE(text.ends_with("\n\nevent: end\ndata: {}\n\n")) << text;
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs/job-9513/events").status, 404);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs/" + job + "/log", "", {"eva", 54'322, 54'322}).status,
            403);
  const HttpReply log = rig.Ask("GET", "/api/v1/jobs/" + job + "/log");
  ASSERT_NE(log.stream, nullptr);
  while (log.stream->Take()) {
  }
  // It never began
  EXPECT_EQ(log.stream->Failure().value_or(Internal("none")).code, ErrorCode::kConflict);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs/" + job + "/log?fields=data").status, 400);
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs/" + job + "/log?rnak=1").status, 400);
  HttpRequest back{"GET", "/api/v1/jobs/" + job + "/log", {}, {}, {}, {}, {}, "", "unix", kAna};
  back.accept = "text/event-stream";
  for (const char* wrong : {"", "1", "-", "1-", "-1", "0-5", "a-b", "1-2-3", "99999999-1"}) {
    back.last_event_id = wrong;
    EXPECT_EQ(rig.rest->Answer(back).status, 400) << wrong;
  }
  ASSERT_EQ(rig.Ask("PUT", "/api/v1/roles/ana", R"({"role": "none"})", kRoot).status, 200);
  ASSERT_EQ(rig.Ask("PUT", "/api/v1/roles/*", R"({"role": "none"})", kRoot).status, 200);
  EXPECT_EQ(events.stream->Heartbeat(), "");  // a reader who may see less by now gets nothing
  EXPECT_EQ(events.stream->Failure().value_or(Internal("none")).code, ErrorCode::kPermissionDenied);
}

TEST(RestApi, AsksWhoCallsBeforeItReads) {
  Rig rig;
  HttpRequest request{"POST", "/api/v1/jobs", {}, {}, {}, {}, {}, "{ no json", "127.0.0.1:1", {}};
  EXPECT_EQ(rig.rest->Answer(request).status, 401);
  for (const char* wrong : {"Basic YTpi", "Bearer x", "bearer x", "Bearer", ""}) {
    request.authorization = wrong;
    EXPECT_EQ(rig.rest->Answer(request).status, 401) << wrong;
  }
  EXPECT_EQ(rig.Ask("PUT", "/api/v1/queues/a", "{ no json").status, 403);
  EXPECT_EQ(rig.Ask("PUT", "/api/v1/queues/a", "{}", kRoot).status, 200);
}

TEST(RestApi, TellsWhetherItLives) {
  Rig rig;
  HttpRequest request{"GET", "/livez", {}, {}, {}, {}, {}, "", "127.0.0.1:1", {}};
  EXPECT_EQ(rig.rest->Answer(request).body, "ok\n");
  request.target = "/readyz";
  EXPECT_EQ(rig.rest->Answer(request).status, 200);
  request.target = "/metrics";  // what runs here is nobody's business
  EXPECT_EQ(rig.rest->Answer(request).status, 401);
  EXPECT_EQ(rig.Ask("GET", "/metrics").body, "up 1\n");
  EXPECT_EQ(rig.Ask("GET", "/metrics?names=dcgm").body, "updcgm 1\n");
  EXPECT_EQ(rig.Ask("GET", "/metrics?name=dcgm").status, 400);
  EXPECT_EQ(rig.Ask("POST", "/metrics").status, 404);
}

TEST(RestApi, HasAPageOfAllCalls) {
  Rig rig;
  const HttpReply docs =
      rig.rest->Answer({"GET", "/docs", {}, {}, {}, {}, {}, "", "127.0.0.1:1", {}});
  EXPECT_EQ(docs.status, 200);
  EXPECT_EQ(docs.content_type, "text/html; charset=utf-8");
  const auto openapi = nlohmann::json::parse(
      rig.rest->Answer({"GET", "/openapi.json", {}, {}, {}, {}, {}, "", "127.0.0.1:1", {}}).body);
  for (const auto& [path, operations] : openapi["paths"].items()) {
    EXPECT_NE(docs.body.find("<code>" + path + "</code>"), std::string::npos) << path;
    for (const auto& [method, operation] : operations.items()) {
      EXPECT_NE(docs.body.find("id=\"" + operation["operationId"].get<std::string>() + "\""),
                std::string::npos)
          << method << ' ' << path;
    }
  }
  EXPECT_EQ(docs.body.find("\"Bearer \""), std::string::npos) << "text is escaped";
  EXPECT_NE(docs.body.find("&quot;Bearer &quot;"), std::string::npos);
  EXPECT_NE(docs.body.find("src=\"/docs.js\""), std::string::npos);
  EXPECT_EQ(rig.rest->Answer({"GET", "/docs.js", {}, {}, {}, {}, {}, "", "127.0.0.1:1", {}}).status,
            200);
}

TEST(RestApi, AnswersNoPageOfAnotherSite) {
  Rig rig;
  HttpRequest request{"GET", "/api/v1/jobs", {},  {}, {}, "127.0.0.1:8080", "http://127.0.0.1:8080",
                      "",    "unix",         kAna};
  EXPECT_EQ(rig.rest->Answer(request).status, 200);
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:8081",
                             "http://127.0.0.1:8080.evil.example", ""}) {
    request.origin = origin;
    EXPECT_EQ(rig.rest->Answer(request).status, 403) << origin;
  }
}

TEST(RestApi, CallsAsTheConnectProtocolDoes) {
  Rig rig;
  HttpRequest request{"POST", "/gpu_platform.v1.Control/SubmitJobs",
                      {},     "application/json",
                      {},     {},
                      {},     kJob,
                      "unix", kAna};
  const HttpReply submitted = rig.rest->Answer(request);
  EXPECT_EQ(submitted.status, 200);
  const std::string job = rig.Of(submitted)["job_ids"][0];
  v1::GetJobRequest get;
  get.set_job_id(job);
  request.target = "/gpu_platform.v1.Control/GetJob";
  request.content_type = "application/proto";
  request.body = get.SerializeAsString();
  v1::Job told;
  ASSERT_TRUE(told.ParseFromString(rig.rest->Answer(request).body));
  EXPECT_EQ(told.id(), job);
  request.body = "\xff";
  EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "invalid_argument");
  get.set_job_id("job-9513");
  request.body = get.SerializeAsString();
  EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "not_found");
  request.content_type = "text/plain";
  EXPECT_EQ(rig.rest->Answer(request).status, 400);
  for (const char* name : {"WatchJob", "Nothing", ""}) {
    request.target = std::string(kConnectPrefix) + name;
    EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "unimplemented") << name;
  }
  request = {
      "POST", "/gpu_platform.v1.Control/SetQueue", {}, "application/json", {}, {}, {}, "{}", "unix",
      kAna};
  EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "permission_denied");
  request.peer.reset();
  EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "unauthenticated");
}

}  // namespace
}  // namespace gp
