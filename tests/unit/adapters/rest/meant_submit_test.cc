#include "adapters/inbound/rest/meant_submit.h"

#include <gtest/gtest.h>

#include <string>

#include "adapters/wire/documents/from_document.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {
namespace {

std::string Meant(std::string_view body) {
  const auto meant = MeantSubmit(body);
  return meant ? meant->dump() : "";
}

TEST(MeantSubmit, AFlatJobIsPutWhereItBelongs) {
  EXPECT_EQ(Meant(R"({"name": "bert", "gpu": 2, "command": "python3 bert.py | tee log"})"),
            R"({"specs":[{"name":"bert","command":["/bin/sh","-c",)"
            R"("python3 bert.py | tee log"],"gpus":{"count":2}}]})");
  EXPECT_EQ(Meant(R"({"gpus": {"count": 8}, "nodes": 2, "command": ["torchrun", "train.py"]})"),
            R"({"specs":[{"name":"train","command":["torchrun","train.py"],)"
            R"("gpus":{"count":8},"nodes":2}]})");
}

TEST(MeantSubmit, WhatIsMissingOrCannotBeReadIsAnExample) {
  EXPECT_EQ(
      Meant(R"({"name": "bert", "gpu": -1, "command": 7, "user": "ana", "priority": "high"})"),
      R"({"specs":[{"name":"bert","command":["python3","train.py"],"gpus":{"count":1}}]})");
  EXPECT_EQ(Meant(R"({"gpu": "h100"})"),
            R"({"specs":[{"name":"train","command":["python3","train.py"],"gpus":{"count":1,)"
            R"("models":["h100"]}}]})");
}

// What is shown has to be taken when it is sent.
TEST(MeantSubmit, WhatIsShownCanBeRead) {
  for (const char* body :
       {R"({"name": "a", "gpu": 1, "command": "true"})", R"({"num_gpus": 64, "cmd": ""})",
        R"({"gpu": "", "labels": {"a": "b"}, "retry": {"retries_max": 2}})",
        R"({"name": null, "gpu": 65, "preemptible": true, "nodes": 1e9})"}) {
    const auto meant = MeantSubmit(body);
    ASSERT_TRUE(meant) << body;
    gpu_platform::v1::SubmitJobsRequest request;
    EXPECT_TRUE(FromDocument(nlohmann::json::parse(meant->dump()), &request).empty())
        << meant->dump();
    EXPECT_EQ(request.specs_size(), 1);
  }
}

TEST(MeantSubmit, WhatIsNoFlatJobHasNone) {
  const std::string long_one = R"({"name": ")" + std::string(5000, 'x') + "\"}";
  for (const std::string& body :
       {std::string(R"({"specs": [{"nodse": 1}]})"), std::string(R"({"spec": [{"name": "a"}]})"),
        std::string(R"(["true"])"), std::string(R"({"count": 2})"), std::string(R"({"name": )"),
        std::string(), long_one}) {
    EXPECT_EQ(Meant(body), "") << body;
  }
}

}  // namespace
}  // namespace gp
