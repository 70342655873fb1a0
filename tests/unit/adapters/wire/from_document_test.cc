#include "adapters/wire/documents/from_document.h"

#include <gtest/gtest.h>

#include "adapters/wire/documents/document.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {
namespace {

namespace v1 = gpu_platform::v1;

template <typename Message>
std::string Errors(const std::string& text, Message message = {}) {
  nlohmann::json document;
  auto errors = ParseJson(text, document);
  if (errors.empty()) errors = FromDocument(document, &message);
  std::string told;
  for (const FieldError& error : errors)
    told += (told.empty() ? "" : "; ") + error.pointer + " " + error.detail;
  return told;
}

TEST(FromDocument, IsTheReverseOfToDocument) {
  v1::SubmitJobsRequest request;
  request.set_request_id("r1");
  request.set_count(3);
  v1::JobSpec& spec = *request.add_specs();
  spec.set_name("train");
  spec.add_command("python");
  spec.add_command("train.py");
  (*spec.mutable_environment())["A"] = "1";
  (*spec.mutable_environment())["B/~"] = "\xc3\xa4";
  spec.mutable_gpus()->set_count(4);
  spec.mutable_gpus()->set_isolation(v1::ISOLATION_MPS);
  v1::SubmitJobsRequest back;
  EXPECT_TRUE(FromDocument(nlohmann::json::parse(ToDocument(request).dump()), &back).empty());
  EXPECT_EQ(back.SerializeAsString().size(), request.SerializeAsString().size());
  EXPECT_EQ(ToDocument(back), ToDocument(request));
}

TEST(FromDocument, NamesThePlaceAndTheFix) {
  EXPECT_EQ(Errors<v1::SubmitJobsRequest>(R"([])"), " must be an object");
  EXPECT_EQ(Errors<v1::SubmitJobsRequest>(R"({"spec": []})"),
            "/spec is not known: is specs meant?");
  EXPECT_EQ(Errors<v1::SubmitJobsRequest>(R"({"specs": {}})"), "/specs must be a list");
  EXPECT_EQ(Errors<v1::SubmitJobsRequest>(R"({"specs": [{"gpus": {"count": "two"}}]})"),
            "/specs/0/gpus/count must be a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(
      Errors<v1::SubmitJobsRequest>(R"({"specs": [{"gpus": {"isolation": "mps"}}]})").substr(0, 58),
      "/specs/0/gpus/isolation must be one of ISOLATION_EXCLUSIVE");
  EXPECT_EQ(Errors<v1::SubmitJobsRequest>(R"({"specs": [{"command": "ls"}, {"name": 1}]})"),
            "/specs/0/command must be a list; /specs/1/name must be a string");
  EXPECT_EQ(Errors<v1::SubmitJobsRequest>(R"({"specs": [{"environment": {"a/b": 1}}]})"),
            "/specs/0/environment/a~1b must be a string");
  EXPECT_EQ(Errors<v1::ListJobsRequest>(R"({"all": "yes"})"), "/all must be true or false");
  EXPECT_EQ(Errors<v1::ExplainJobRequest>(R"({"job_id": "job-1", "spec": {}})"),
            "/spec only one of what can be given");
}

TEST(FromDocument, TakesNumbersAsJsonDoes) {
  for (const char* good : {"3", "3.0", "0", "-1", "2147483647", "1e2", "null"})
    EXPECT_EQ(Errors<v1::ListJobsRequest>("{\"limit\": " + std::string(good) + "}"), "") << good;
  for (const char* bad : {"3.5", "2147483648", "-2147483649", "1e10", "1e300", "\"3\"", "true",
                          "[3]", "{}", "18446744073709551615"}) {
    EXPECT_NE(Errors<v1::ListJobsRequest>("{\"limit\": " + std::string(bad) + "}"), "") << bad;
  }
  EXPECT_EQ(Errors<v1::ListAuditRequest>(R"({"before": 9223372036854775807})"), "");
  EXPECT_NE(Errors<v1::ListAuditRequest>(R"({"before": 9223372036854775808})"), "");
}

TEST(ParseJson, RefusesRiddles) {
  EXPECT_NE(Errors<v1::ListJobsRequest>(R"({"limit": 1, "limit": 2})").find("\"limit\" twice"),
            std::string::npos);
  EXPECT_EQ(Errors<v1::SubmitJobsRequest>(R"({"specs": [{"name": "a"}, {"name": "b"}]})"), "");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[";
  EXPECT_NE(Errors<v1::ListJobsRequest>(deep), "");
  EXPECT_NE(Errors<v1::ListJobsRequest>("{\"a\":" + deep + std::string(100'000, ']') + "}")
                .find("nested deeper"),
            std::string::npos);
  for (const char* bad :
       {"", "{", "{\"limit\":}", "{limit: 1}", "{\"limit\": 01}", "{\"limit\": NaN}",
        "{\"name\": \"\xff\"}", "{} {}", "{\"limit\": 1e999}"}) {
    EXPECT_NE(Errors<v1::ListJobsRequest>(bad).find("is no JSON"), std::string::npos) << bad;
  }
}

TEST(FromText, ReadsPathsAndQueries) {
  v1::ListJobsRequest request;
  EXPECT_TRUE(FromText("limit", "5", &request).empty());
  EXPECT_TRUE(FromText("all", "true", &request).empty());
  EXPECT_TRUE(FromText("states", "RUNNING", &request).empty());
  EXPECT_TRUE(FromText("states", "FAILED", &request).empty());
  EXPECT_TRUE(FromText("user", "", &request).empty());
  EXPECT_EQ(request.limit(), 5);
  EXPECT_EQ(request.states_size(), 2);
  EXPECT_FALSE(FromText("limit", "five", &request).empty());
  EXPECT_FALSE(FromText("limit", "", &request).empty());
  EXPECT_FALSE(FromText("all", "1", &request).empty());
  EXPECT_EQ(FromText("user", "\xff", &request).front().detail, "is no UTF-8");
  EXPECT_FALSE(FromText("states", "running", &request).empty());
  EXPECT_EQ(FromText("limits", "5", &request).front().detail, "is not known: is limit meant?");
  v1::SubmitJobsRequest submit;
  EXPECT_FALSE(FromText("specs", "x", &submit).empty());
}

}  // namespace
}  // namespace gp
