#include "adapters/inbound/rest/stale_reads.h"

#include <gtest/gtest.h>

#include "adapters/inbound/rest/routes.h"

namespace gp {
namespace {

HttpRequest Get(const std::string& target) {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  return request;
}

// Shows what was asked.
HttpReply Echo(const HttpRequest& request) { return {200, "text/plain", request.target, {}}; }

std::string AgeIn(const HttpReply& reply) {
  for (const auto& [name, value] : reply.headers)
    if (name == kAgeHeader) return value;
  return "";
}

TEST(StaleReads, AreAnsweredWithTheirAge) {
  const HttpReply reply =
      AnswerStale(Get("/api/v1/jobs?limit=5&stale=2s&all=true"), Duration::Milliseconds(213), Echo);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "/api/v1/jobs?limit=5&all=true");
  EXPECT_EQ(AgeIn(reply), "0.213");
  EXPECT_EQ(AnswerStale(Get("/api/v1/jobs?stale=2s"), Duration(), Echo).body, "/api/v1/jobs");
}

TEST(StaleReads, AreRefusedIfTheStateIsOlderThanAsked) {
  const auto status = [](const std::string& target, Duration age) {
    return AnswerStale(Get(target), age, Echo).status;
  };
  EXPECT_EQ(status("/api/v1/jobs?stale=2s", Duration::Seconds(2)), 200);
  EXPECT_EQ(status("/api/v1/jobs?stale=2s", Duration::Milliseconds(2'001)), 503);
  EXPECT_EQ(status("/api/v1/jobs", kStaleUnlessSaid), 200);
  EXPECT_EQ(status("/api/v1/jobs", kStaleUnlessSaid + Duration::Milliseconds(1)), 503);
  const HttpReply refused = AnswerStale(Get("/a?stale=1s"), Duration::Seconds(7), Echo);
  EXPECT_EQ(AgeIn(refused), "7.000");
  EXPECT_NE(refused.body.find("7.000 s old"), std::string::npos) << refused.body;
}

TEST(StaleReads, NeedAStateThatHadTheWholeLog) {
  EXPECT_EQ(AnswerStale(Get("/api/v1/jobs?stale=60s"), std::nullopt, Echo).status, 503);
}

TEST(StaleReads, AreOnlyReads) {
  HttpRequest request = Get("/api/v1/jobs?stale=2s");
  request.method = "POST";
  const HttpReply reply = AnswerStale(request, Duration(), Echo);
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.headers.front(), std::pair(std::string("Allow"), std::string("GET")));
}

TEST(StaleReads, SayHowOldInOneDuration) {
  for (const char* query : {"?stale=soon", "?stale=1s&stale=1s", "?stale=", "?stale=61s"})
    EXPECT_EQ(AnswerStale(Get(std::string("/api/v1/jobs") + query), Duration(), Echo).status, 400)
        << query;
}

TEST(StaleReads, AreAskedForByTheirParameter) {
  EXPECT_TRUE(AsksForStale(Get("/api/v1/jobs?stale=2s")));
  EXPECT_TRUE(AsksForStale(Get("/api/v1/jobs?a=b&stale=soon")));  // for an error that says so
  EXPECT_FALSE(AsksForStale(Get("/api/v1/jobs?name=stale=2s")));
  EXPECT_FALSE(AsksForStale(Get("/api/v1/jobs?limit=5")));
  EXPECT_FALSE(AsksForStale(Get("/api/v1/jobs")));
}

// A name that is no operation would be offered to nobody.
TEST(StaleReads, NameOperationsThatThereAre) {
  int answered = 0;
  for (const UnaryMethod& method : UnaryMethods()) answered += IsAnsweredFromLog(method.name);
  EXPECT_EQ(answered, 12);
  EXPECT_FALSE(IsAnsweredFromLog(""));
  EXPECT_FALSE(IsAnsweredFromLog("ListSecrets"));
}

}  // namespace
}  // namespace gp
