#include "domain/model/jobs/job_name.h"

#include <gtest/gtest.h>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

TEST(JobName, IsTheStemOfThePath) {
  EXPECT_EQ(JobNameFromPath("/home/ana/train.gpu.yaml"), "train");
  EXPECT_EQ(JobNameFromPath("./train.py"), "train");
  EXPECT_EQ(JobNameFromPath("my train (2).sh"), "my-train-2");
  EXPECT_EQ(JobNameFromPath(""), "job");
  EXPECT_EQ(JobNameFromPath("/"), "job");
}

TEST(JobName, IsAlwaysLegal) {
  for (const std::string& path : {std::string(500, 'x'), std::string("__a"), std::string("-"),
                                  std::string("\x1b[2J"), std::string("ü"), std::string("..")}) {
    EXPECT_EQ(NameFault(JobNameFromPath(path)), std::nullopt) << JobNameFromPath(path);
    EXPECT_LE(JobNameFromPath(path).size(), kNameLengthMax) << path;
  }
}

}  // namespace
}  // namespace gp
