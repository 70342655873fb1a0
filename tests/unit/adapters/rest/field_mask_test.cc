#include "adapters/inbound/rest/field_mask.h"

#include <gtest/gtest.h>

#include "gpu_platform/v1/control.pb.h"

namespace gp {
namespace {

using Document = nlohmann::ordered_json;
namespace v1 = gpu_platform::v1;

std::string Masked(const char* mask, Document document,
                   const google::protobuf::Descriptor* type = v1::ListJobsReply::descriptor()) {
  const auto parsed = FieldMask::Parse(mask, *type);
  if (!parsed) return parsed.error().message;
  parsed->Apply(document);
  return document.dump();
}

const Document kJobs =
    Document::parse(R"({"jobs": [{"id": "a", "user": "u", "spec": {"name": "n", "queue": "q"}}, )"
                    R"({"id": "b", "user": "v", "spec": null}], )"
                    R"("next": "", "total": 2})");

TEST(FieldMask, KeepsWhatIsAskedFor) {
  EXPECT_EQ(Masked("total", kJobs), R"({"total":2})");
  EXPECT_EQ(Masked("total,jobs.id", kJobs), R"({"jobs":[{"id":"a"},{"id":"b"}],"total":2})");
  EXPECT_EQ(Masked("jobs.spec.name", kJobs), R"({"jobs":[{"spec":{"name":"n"}},{"spec":null}]})");
  EXPECT_EQ(Masked("jobs", kJobs), Masked("jobs,jobs.id", kJobs));
  EXPECT_EQ(Masked("jobs", kJobs), Masked("jobs.id,jobs", kJobs));
  EXPECT_EQ(Masked("jobs,next,total", kJobs), kJobs.dump());
}

TEST(FieldMask, OfAMapMeansEachValue) {
  const Document queue =
      Document::parse(R"({"name": "q", "users": {"ana": {"gpus": 1.0, "jobs": 2}, )"
                      R"("name": {"gpus": 3.0, "jobs": 4}}})");
  EXPECT_EQ(Masked("users.jobs", queue, v1::Queue::descriptor()),
            R"({"users":{"ana":{"jobs":2},"name":{"jobs":4}}})");
  EXPECT_EQ(Masked("users", queue, v1::Queue::descriptor()),
            R"({"users":{"ana":{"gpus":1.0,"jobs":2},)"
            R"("name":{"gpus":3.0,"jobs":4}}})");
}

TEST(FieldMask, RefusesWhatIsNotThere) {
  EXPECT_EQ(Masked("totl", kJobs), "fields: there is no \"totl\": is total meant?");
  EXPECT_EQ(Masked("jobs.usr", kJobs), "fields: there is no \"usr\": is user meant?");
  for (const char* wrong : {"", ",", "jobs.", ".jobs", "jobs..id", "total.id", "jobs,", "Jobs"}) {
    EXPECT_TRUE(Masked(wrong, kJobs).starts_with("fields: there is no")) << wrong;
  }
  std::string many = "total";
  for (int i = 0; i < 100; ++i) many += ",total";
  EXPECT_EQ(Masked(many.c_str(), kJobs), "fields: at most 100");
}

}  // namespace
}  // namespace gp
