#include "domain/model/nodes/gpu_model.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(NamesModel, WithoutRegardToCaseAndSpaces) {
  for (const char* asked :
       {"Quadro RTX 8000", "RTX 8000", "RTX8000", "rtx8000", "rtx-8000", "quadro_rtx_8000"}) {
    EXPECT_TRUE(NamesModel(asked, "Quadro RTX 8000")) << asked;
  }
  for (const char* asked :
       {"P100", "p100", "teslap100", "Tesla P100", "Tesla P100-PCIE-16GB", "16GB", "pcie"}) {
    EXPECT_TRUE(NamesModel(asked, "Tesla P100-PCIE-16GB")) << asked;
  }
  EXPECT_TRUE(NamesModel("2080ti", "NVIDIA GeForce RTX 2080 Ti"));
  EXPECT_TRUE(NamesModel("RTX A", "NVIDIA RTX A4000"));
  EXPECT_TRUE(NamesModel("NVIDIA-H100-80GB-HBM3", "NVIDIA H100 80GB HBM3"))
      << "as Kubernetes labels it";
}

TEST(NamesModel, InWholeWordsAndNumbers) {
  EXPECT_FALSE(NamesModel("A10", "NVIDIA A100-SXM4-80GB"));
  EXPECT_FALSE(NamesModel("L4", "NVIDIA L40S"));
  EXPECT_FALSE(NamesModel("H20", "NVIDIA H200"));
  EXPECT_FALSE(NamesModel("H200", "NVIDIA GH200 480GB"));
  EXPECT_FALSE(NamesModel("T4", "NVIDIA T400"));
  EXPECT_FALSE(NamesModel("A2", "NVIDIA RTX A2000"));
  EXPECT_FALSE(NamesModel("8000", "Quadro RTX 80000"));
  EXPECT_TRUE(NamesModel("A10", "NVIDIA A10G")) << "a letter behind the number is another word";
  EXPECT_TRUE(NamesModel("L40", "NVIDIA L40S"));
  EXPECT_TRUE(NamesModel("100", "NVIDIA H100 80GB HBM3"));
}

TEST(NamesModel, OfNothingIsFalse) {
  EXPECT_FALSE(NamesModel("H100", ""));
  EXPECT_FALSE(NamesModel("H100 PCIe", "NVIDIA H100"));
}

}  // namespace
}  // namespace gp
