#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "adapters/inbound/job_import/gpu_names.h"
#include "adapters/inbound/job_import/kubernetes/quantity.h"
#include "adapters/inbound/job_import/slurm/slurm_values.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/nodes/gpu_model.h"
#include "tests/unit/adapters/job_import/imported.h"

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
  for (const char* text : {"", "x", "1:2:3:4", "-5", "1-", "1-2:3:4:5", "99999999999999999999"})
    EXPECT_EQ(SlurmSeconds(text), std::nullopt) << text;
}

TEST(SlurmMebibytes, AreMebibytesWithoutAUnit) {
  EXPECT_EQ(SlurmMebibytes("4000"), 4'000);
  EXPECT_EQ(SlurmMebibytes("64G"), 65'536);
  EXPECT_EQ(SlurmMebibytes("64GB"), 65'536);
  EXPECT_EQ(SlurmMebibytes("1T"), 1'048'576);
  EXPECT_EQ(SlurmMebibytes("1025K"), 2);
  for (const char* text : {"", "G", "1.5G", "-1", "1X", "10B", "1000000000T"})
    EXPECT_EQ(SlurmMebibytes(text), std::nullopt) << text;
}

TEST(ReadSlurmGpus, WithAndWithoutTheirModel) {
  EXPECT_EQ(ReadSlurmGpus("8"), (SlurmGpus{"", 8}));
  EXPECT_EQ(ReadSlurmGpus("h100:8"), (SlurmGpus{"h100", 8}));
  EXPECT_EQ(ReadSlurmGpus("h100"), (SlurmGpus{"h100", 1}));
  for (const char* text : {"", "a:b", "a:b:c", "8:8:8"})
    EXPECT_EQ(ReadSlurmGpus(text), std::nullopt) << text;
}

TEST(ReadSlurmSignal, WithReceiverNumberAndTime) {
  EXPECT_EQ(ReadSlurmSignal("B:USR1@120"), (SlurmSignal{"SIGUSR1", 120}));
  EXPECT_EQ(ReadSlurmSignal("SIGTERM"), (SlurmSignal{"SIGTERM", 60}));
  EXPECT_EQ(ReadSlurmSignal("RB:12@1"), (SlurmSignal{"SIGUSR2", 1}));
  EXPECT_EQ(ReadSlurmSignal("1@65535"), (SlurmSignal{"SIGHUP", 65'535}));
  for (const char* text : {"", "KILL", "9", "X:USR1", "USR1@", "USR1@0", "USR1@65536", "USR1@x"})
    EXPECT_EQ(ReadSlurmSignal(text), std::nullopt) << text;
}

TEST(GpuNames, SayModelAndMemory) {
  struct Row {
    const char* name;
    const char* model;
    const char* memory;
  };
  constexpr Row kRows[] = {
      {"h100", "H100", ""},
      {"nvidia_h100_80gb_hbm3", "H100", "80GB"},
      {"NVIDIA-A100-SXM4-40GB", "A100", "40GB"},
      {"Tesla-T4", "T4", ""},
      {"teslap100", "P100", ""},
      {"teslah100", "H100", ""},
      {"tesla_v100-sxm2-32gb", "V100", "32GB"},
      {"rtx8000", "RTX 8000", ""},
      {"quadro_rtx_6000", "RTX 6000", ""},
      {"nvidia_geforce_rtx_2080_ti", "RTX 2080 Ti", ""},
      {"2080ti", "RTX 2080 Ti", ""},
      {"3090", "RTX 3090", ""},
      {"gtx1080ti", "GTX 1080 Ti", ""},
      {"a6000", "RTX A6000", ""},
      {"titanrtx", "TITAN RTX", ""},
      {"v100_32", "V100", "32GB"},
      {"v100-32g", "V100", "32GB"},
      {"a100l", "A100", ""},
      {"v100l", "V100", ""},
      {"l40s", "L40S", ""},
      {"a10g", "A10G", ""},
      {"NVIDIA-GH200-480GB", "GH200", ""},
      {"gb200", "GB200", ""},
      {"NVIDIA-A100-SXM4-40GB-SHARED", "A100", "40GB"},
      {"gaudi2", "GAUDI2", ""},
  };
  for (const Row& row : kRows) {
    const NamedGpu gpu = ReadGpuName(row.name);
    EXPECT_EQ(gpu.models, Texts{row.model}) << row.name;
    EXPECT_EQ(gpu.memory.value_or(""), row.memory) << row.name;
    EXPECT_EQ(gpu.mig, std::nullopt) << row.name;
  }
  EXPECT_EQ(ReadGpuName("tesla").models, Texts());
  EXPECT_EQ(
      ReadGpuName("a100l").meaning,
      "is any GPU with A100 in its name; L is left out, as only the site knows what it means");
  EXPECT_EQ(ReadGpuName("v100_32").meaning, "is any GPU with V100 in its name and 32GB or more");
}

TEST(GpuNames, AFoundModelStandsInTheNamesThatDriversGive) {
  const std::pair<const char*, const char*> kPairs[] = {
      {"teslap100", "Tesla P100-PCIE-16GB"},
      {"rtx8000", "Quadro RTX 8000"},
      {"a6000", "NVIDIA RTX A6000"},
      {"2080ti", "NVIDIA GeForce RTX 2080 Ti"},
      {"titanrtx", "NVIDIA TITAN RTX"},
      {"l40s", "NVIDIA L40S"},
      {"v100_32", "Tesla V100-SXM2-32GB"},
      {"teslah100", "NVIDIA H100 80GB HBM3"},
      {"rtx6000ada", "NVIDIA RTX 6000 Ada Generation"},
      {"a100l.2g.20gb", "NVIDIA A100-SXM4-80GB"},
  };
  for (const auto& [site, driver] : kPairs) {
    ASSERT_EQ(ReadGpuName(site).models.size(), 1u) << site;
    EXPECT_TRUE(NamesModel(ReadGpuName(site).models.front(), driver)) << site;
  }
}

TEST(GpuNames, MigInstancesOfAModel) {
  struct Row {
    const char* name;
    Texts models;
    const char* profile;
  };
  const Row rows[] = {
      {"2g.20gb", {}, "2g.20gb"},
      {"a100_1g.5gb", {"A100"}, "1g.5gb"},
      {"a100l.2g.20gb", {"A100"}, "2g.20gb"},
      {"nvidia_h100_80gb_hbm3_1g.10gb", {"H100"}, "1g.10gb"},
      {"h100-3g.40gb", {"H100"}, "3g.40gb"},
      {"a30_2g.12gb.me", {"A30"}, "2g.12gb"},
      {"1g.10gb+me", {}, "1g.10gb"},
      {"NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", {"A100"}, "1g.5gb"},
      {"h200_1g.18gb", {"H200"}, "1g.18gb"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ReadGpuName(row.name).models, row.models) << row.name;
    EXPECT_EQ(ReadGpuName(row.name).mig, row.profile) << row.name;
  }
  for (const char* text : {"h100", "g.20gb", "1g.gb", "2g.x"})
    EXPECT_EQ(ReadGpuName(text).mig, std::nullopt) << text;
}

TEST(GpuNames, FamiliesAreTheirModels) {
  for (const auto& [family, member, stranger] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"kepler", "Tesla K80", "Tesla P100-PCIE-16GB"},
           {"pascal", "NVIDIA GeForce GTX 1080 Ti", "Tesla V100-SXM2-32GB"},
           {"volta", "Tesla V100-SXM2-32GB", "Tesla T4"},
           {"turing", "Quadro RTX 8000", "NVIDIA RTX 6000 Ada Generation"},
           {"nvidia_ampere", "NVIDIA RTX A4000", "NVIDIA H100 PCIe"},
           {"ada", "NVIDIA L40S", "NVIDIA A40"},
           {"hopper", "NVIDIA H200", "NVIDIA B200"},
           {"blackwell", "NVIDIA GB200", "NVIDIA GH200 480GB"},
       }) {
    const Texts models = ReadGpuName(family).models;
    const auto any = [&](const char* name) {
      return std::ranges::any_of(models,
                                 [&](const std::string& model) { return NamesModel(model, name); });
    };
    EXPECT_TRUE(any(member)) << family;
    EXPECT_FALSE(any(stranger)) << family;
    EXPECT_LE(models.size(), kModelsMax) << family;
  }
}

TEST(ReadSlurmArray, RangesAndLists) {
  const auto runs = [](const char* text) {
    return ReadSlurmArray(text).value_or(SlurmArray()).runs;
  };
  using Runs = std::vector<SlurmArray::Run>;
  EXPECT_EQ(runs("0-99"), (Runs{{0, 1, 100}}));
  EXPECT_EQ(runs("1-10:3"), (Runs{{1, 3, 4}}));
  EXPECT_EQ(runs("7"), (Runs{{7, 1, 1}}));
  EXPECT_EQ(runs("1,3,7-9"), (Runs{{1, 2, 2}, {7, 1, 3}}));
  EXPECT_EQ(runs("5,1,5,9"), (Runs{{1, 4, 3}})) << "in order, each once";
  EXPECT_EQ(runs("0-2,10,20-22:2"), (Runs{{0, 1, 3}, {10, 10, 2}, {22, 1, 1}}));
  EXPECT_EQ(ReadSlurmArray("0-99%10")->max_parallel, 10);
  EXPECT_EQ(ReadSlurmArray("1,3,7-9%2")->Count(), 5);
  for (const char* text : {"", "1,", "5-1", "1-5:0", "1-5%0", "%2", "1-x", "0-999999999,7"})
    EXPECT_EQ(ReadSlurmArray(text), std::nullopt) << text;
}

TEST(QuantityBytes, OfBothKinds) {
  EXPECT_EQ(QuantityBytes("900Gi"), int64_t{900} << 30);
  EXPECT_EQ(QuantityBytes("64G"), 64'000'000'000);
  EXPECT_EQ(QuantityBytes("1.5Ki"), 1'536);
  EXPECT_EQ(QuantityBytes("123"), 123);
  EXPECT_EQ(QuantityBytes("0.0001"), 1) << "rounded up";
  for (const char* text : {"", "Gi", "-1", "1e3", "99999999999999999Ti", "1.Gi"})
    EXPECT_EQ(QuantityBytes(text), std::nullopt) << text;
}

TEST(QuantityCores, RoundUp) {
  EXPECT_EQ(QuantityCores("96"), 96);
  EXPECT_EQ(QuantityCores("500m"), 1);
  EXPECT_EQ(QuantityCores("2500m"), 3);
  EXPECT_EQ(QuantityCores("1.5"), 2);
  for (const char* text : {"", "m", "-1", "x"})
    EXPECT_EQ(QuantityCores(text), std::nullopt) << text;
}

}  // namespace
}  // namespace gp
