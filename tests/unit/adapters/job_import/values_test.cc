#include <gtest/gtest.h>

#include "adapters/inbound/job_import/gpu_names.h"
#include "adapters/inbound/job_import/quantity.h"
#include "adapters/inbound/job_import/slurm_values.h"

namespace gp {
namespace {

TEST(SlurmSeconds, InAllSixForms) {
  EXPECT_EQ(SlurmSeconds("90"), 5'400);
  EXPECT_EQ(SlurmSeconds("1:30"), 90);
  EXPECT_EQ(SlurmSeconds("02:00:05"), 7'205);
  EXPECT_EQ(SlurmSeconds("1-12"), 129'600);
  EXPECT_EQ(SlurmSeconds("1-12:30"), 131'400);
  EXPECT_EQ(SlurmSeconds("1-00:00:01"), 86'401);
  EXPECT_EQ(SlurmSeconds("UNLIMITED"), 0);
  for (const char* text : {"", "x", "1:2:3:4", "-5", "1-", "1-2:3:4:5", "99999999999999999999"}) EXPECT_EQ(SlurmSeconds(text), std::nullopt) << text;
}

TEST(SlurmMebibytes, AreMebibytesWithoutAUnit) {
  EXPECT_EQ(SlurmMebibytes("4000"), 4'000);
  EXPECT_EQ(SlurmMebibytes("64G"), 65'536);
  EXPECT_EQ(SlurmMebibytes("64GB"), 65'536);
  EXPECT_EQ(SlurmMebibytes("1T"), 1'048'576);
  EXPECT_EQ(SlurmMebibytes("1025K"), 2);
  for (const char* text : {"", "G", "1.5G", "-1", "1X", "10B", "1000000000T"}) EXPECT_EQ(SlurmMebibytes(text), std::nullopt) << text;
}

TEST(ReadSlurmGpus, WithAndWithoutTheirModel) {
  EXPECT_EQ(ReadSlurmGpus("8"), (SlurmGpus{"", 8}));
  EXPECT_EQ(ReadSlurmGpus("h100:8"), (SlurmGpus{"h100", 8}));
  EXPECT_EQ(ReadSlurmGpus("h100"), (SlurmGpus{"h100", 1}));
  for (const char* text : {"", "a:b", "a:b:c", "8:8:8"}) EXPECT_EQ(ReadSlurmGpus(text), std::nullopt) << text;
}

TEST(GpuNames, SayModelAndMemory) {
  EXPECT_EQ(ModelWord("h100"), "H100");
  EXPECT_EQ(ModelWord("nvidia_h100_80gb_hbm3"), "H100");
  EXPECT_EQ(ModelWord("NVIDIA-A100-SXM4-40GB"), "A100");
  EXPECT_EQ(ModelWord("tesla"), "tesla");
  EXPECT_EQ(MemoryOfName("NVIDIA-A100-SXM4-40GB"), "40GB");
  EXPECT_EQ(MemoryOfName("Tesla-T4"), std::nullopt);
  EXPECT_EQ(MemoryOfInstance("2g.20gb"), "20GB");
  for (const char* text : {"h100", "g.20gb", "1g.gb", "1g.10gb.me", "2g.x"}) EXPECT_EQ(MemoryOfInstance(text), std::nullopt) << text;
}

TEST(ReadSlurmArray, RangesAlone) {
  EXPECT_EQ(ReadSlurmArray("0-99%10"), (SlurmArray{0, 1, 100, 10}));
  EXPECT_EQ(ReadSlurmArray("1-10:3"), (SlurmArray{1, 3, 4, 0}));
  EXPECT_EQ(ReadSlurmArray("7"), (SlurmArray{7, 1, 1, 0}));
  for (const char* text : {"", "1,2", "5-1", "1-5:0", "1-5%0", "%2", "1-x"}) EXPECT_EQ(ReadSlurmArray(text), std::nullopt) << text;
}

TEST(QuantityBytes, OfBothKinds) {
  EXPECT_EQ(QuantityBytes("900Gi"), int64_t{900} << 30);
  EXPECT_EQ(QuantityBytes("64G"), 64'000'000'000);
  EXPECT_EQ(QuantityBytes("1.5Ki"), 1'536);
  EXPECT_EQ(QuantityBytes("123"), 123);
  EXPECT_EQ(QuantityBytes("0.0001"), 1) << "rounded up";
  for (const char* text : {"", "Gi", "-1", "1e3", "99999999999999999Ti", "1.Gi"}) EXPECT_EQ(QuantityBytes(text), std::nullopt) << text;
}

TEST(QuantityCores, RoundUp) {
  EXPECT_EQ(QuantityCores("96"), 96);
  EXPECT_EQ(QuantityCores("500m"), 1);
  EXPECT_EQ(QuantityCores("2500m"), 3);
  EXPECT_EQ(QuantityCores("1.5"), 2);
  for (const char* text : {"", "m", "-1", "x"}) EXPECT_EQ(QuantityCores(text), std::nullopt) << text;
}

}  // namespace
}  // namespace gp
