#include "adapters/inbound/rest/rest_api.h"

#include <gtest/gtest.h>

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
    api = std::make_unique<Api>(*loop, *nodes, ControlApi::About{"0", [](const State&) { return std::string("up 1\n"); }});
    for (CommitObserver* observer : api->Observers()) loop->AddObserver(observer);
    rest = std::make_unique<RestApi>(*api, "0");
  }
  HttpReply Ask(const std::string& method, const std::string& target, const std::string& body = "", const User& user = kAna) {
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
  request.body = R"({"request_id": "x", "specs": []})";
  EXPECT_EQ(rig.rest->Answer(request).status, 400);
}

TEST(RestApi, TellsProblemsWithTheirPlace) {
  Rig rig;
  const HttpReply wrong = rig.Ask("POST", "/api/v1/jobs", R"({"specs": [{"gpus": {"count": "x"}, "nam": 1}]})");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.content_type, "application/problem+json");
  const Json problem = rig.Of(wrong);
  EXPECT_EQ(problem["status"], 400);
  EXPECT_EQ(problem["code"], "invalid-argument");
  EXPECT_EQ(problem["errors"].size(), 2u);
  EXPECT_EQ(problem["errors"][0]["pointer"], "/specs/0/gpus/count");
  EXPECT_EQ(rig.Ask("GET", "/api/v1/jobs/job-0009").status, 404);
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
  EXPECT_EQ(rig.Ask("POST", "/metrics").status, 404);
}

TEST(RestApi, AnswersNoPageOfAnotherSite) {
  Rig rig;
  HttpRequest request{"GET", "/api/v1/jobs", {}, {}, {}, "127.0.0.1:8080", "http://127.0.0.1:8080", "", "unix", kAna};
  EXPECT_EQ(rig.rest->Answer(request).status, 200);
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:8081", "http://127.0.0.1:8080.evil.example", ""}) {
    request.origin = origin;
    EXPECT_EQ(rig.rest->Answer(request).status, 403) << origin;
  }
}

TEST(RestApi, CallsAsTheConnectProtocolDoes) {
  Rig rig;
  HttpRequest request{"POST", "/gpu_platform.v1.Control/SubmitJobs", {}, "application/json", {}, {}, {}, kJob, "unix", kAna};
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
  get.set_job_id("job-0999");
  request.body = get.SerializeAsString();
  EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "not_found");
  request.content_type = "text/plain";
  EXPECT_EQ(rig.rest->Answer(request).status, 400);
  for (const char* name : {"WatchJob", "Nothing", ""}) {
    request.target = std::string(kConnectPrefix) + name;
    EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "unimplemented") << name;
  }
  request = {"POST", "/gpu_platform.v1.Control/SetQueue", {}, "application/json", {}, {}, {}, "{}", "unix", kAna};
  EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "permission_denied");
  request.peer.reset();
  EXPECT_EQ(rig.Of(rig.rest->Answer(request))["code"], "unauthenticated");
}

}  // namespace
}  // namespace gp
