#include "adapters/inbound/rest/routes.h"

#include <gtest/gtest.h>

#include <set>

#include "adapters/inbound/api/operations/operations.h"

namespace gp {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const Routes& All() {
  static const Routes routes;
  return routes;
}

std::string Found(std::string_view method, std::string_view path) {
  const auto matched = All().Find(method, path);
  if (!matched) return std::string(ErrorCodeName(matched.error().code));
  std::string text(matched->route->operation);
  for (const auto& [name, value] : matched->fields) text += " " + name + "=" + value;
  return text;
}

TEST(Routes, LeadToTheirOperations) {
  EXPECT_EQ(Found("GET", "/api/v1/jobs"), "ListJobs");
  EXPECT_EQ(Found("POST", "/api/v1/jobs"), "SubmitJobs");
  EXPECT_EQ(Found("POST", "/api/v1/jobs:explain"), "ExplainJob");
  EXPECT_EQ(Found("GET", "/api/v1/jobs/job-1"), "GetJob job_id=job-1");
  EXPECT_EQ(Found("POST", "/api/v1/jobs/job-1:stop"), "StopJob job_id=job-1");
  EXPECT_EQ(Found("POST", "/api/v1/jobs/job-5%5B3%5D:hold"), "HoldJob job_id=job-5[3]");
  EXPECT_EQ(Found("PUT", "/api/v1/queues/research%2Fnlp"), "SetQueue name=research/nlp");
}

TEST(Routes, RefuseWhatThereIsNot) {
  for (const char* path : {"", "/", "/api/v1", "/api/v1/", "/api/v1/jobs/", "/api/v1/jobs/a/b",
                           "/api/v1/job", "/api/v2/jobs", "/api/v1/jobs/job-1:eat",
                           "/api/v1/jobs/:stop", "//api/v1/jobs", "/api/v1/jobs/a:b"}) {
    EXPECT_EQ(Found("GET", path), "not-found") << path;
  }
  EXPECT_EQ(All().Find("DELETE", "/api/v1/jobs").error().message, "POST, GET");
  EXPECT_EQ(Found("get", "/api/v1/jobs"), "unsupported");
  EXPECT_EQ(Found("GET", "/api/v1/jobs/job%"), "invalid-argument");
  EXPECT_EQ(Found("GET", "/api/v1/jobs/job%g0"), "invalid-argument");
}

// Two routes that a request could mean would be a riddle, and a field that is not there a crash.
TEST(Routes, AreSound) {
  std::set<std::string> seen;
  std::set<std::string> operations;
  const auto* service = v1::SubmitJobsRequest::descriptor()->file()->FindServiceByName("Control");
  for (const Route& route : All().all()) {
    const auto* method = service->FindMethodByName(route.operation);
    ASSERT_NE(method, nullptr) << route.path;
    ASSERT_EQ(route.call == nullptr, method->server_streaming()) << route.path;
    EXPECT_TRUE(seen.insert(route.method + " " + route.path).second) << route.path;
    EXPECT_EQ(operations.insert(route.operation).second, route.alias_of.empty()) << route.path;
    for (size_t open = route.path.find('{'); open != std::string::npos;
         open = route.path.find('{', open + 1)) {
      const auto* field = method->input_type()->FindFieldByName(
          route.path.substr(open + 1, route.path.find('}', open) - open - 1));
      ASSERT_NE(field, nullptr) << route.path;
      EXPECT_EQ(field->cpp_type(), google::protobuf::FieldDescriptor::CPPTYPE_STRING) << route.path;
      EXPECT_FALSE(field->is_repeated()) << route.path;
    }
  }
  // All but exec, which speaks both ways, and the metrics, which have their own place.
  std::set<std::string> missing;
  for (const Operation& operation : AllOperations()) {
    if (!operations.contains(std::string(operation.name)))
      missing.insert(std::string(operation.name));
  }
  EXPECT_EQ(missing, (std::set<std::string>{"Exec", "GetMetrics"}));
}

TEST(PercentDecoded, ReadsWhatBrowsersWrite) {
  EXPECT_EQ(*PercentDecoded("a%2Fb%c3%a4+c"), "a/b\xc3\xa4+c");
  EXPECT_EQ(*PercentDecoded("a+b", true), "a b");
  for (const char* wrong : {"%", "%1", "%zz", "a%2", "%%20"})
    EXPECT_FALSE(PercentDecoded(wrong)) << wrong;
}

TEST(ParseQuery, KeepsTheOrder) {
  EXPECT_EQ(*ParseQuery("a=1&b=x%26y&a=2"), (Fields{{"a", "1"}, {"b", "x&y"}, {"a", "2"}}));
  EXPECT_EQ(*ParseQuery(""), Fields{});
  EXPECT_EQ(*ParseQuery("a="), (Fields{{"a", ""}}));
  EXPECT_FALSE(ParseQuery("a"));
  std::string many;
  for (int i = 0; i < 200; ++i) many += "a=1&";
  EXPECT_FALSE(ParseQuery(many));
}

}  // namespace
}  // namespace gp
