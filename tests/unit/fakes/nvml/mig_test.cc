// MIG through the library's calls, as a client that reconfigures a GPU makes them.

#include <sys/wait.h>

#include <map>

#include "tests/unit/fakes/nvml/fake_library.h"

namespace gp {
namespace {

// Profile ids that all seven-slice models share.
constexpr unsigned k1g = 19, k1gMedia = 20, k1gWide = 15, k2g = 14, k3g = 9, k4g = 5, k7g = 0;

class FakeNvmlMig : public FakeNvmlTest {
 protected:
  static nvmlReturn_t SetMode(unsigned gpu, unsigned mode) {
    nvmlReturn_t activation = NVML_ERROR_UNKNOWN;
    const nvmlReturn_t result = NVML(nvmlDeviceSetMigMode)(Gpu(gpu), mode, &activation);
    return result == NVML_SUCCESS ? activation : result;
  }
  static nvmlReturn_t Create(unsigned profile, unsigned start, unsigned size) {
    const nvmlGpuInstancePlacement_t placement = {start, size};
    nvmlGpuInstance_t instance = {};
    return NVML(nvmlDeviceCreateGpuInstanceWithPlacement)(Gpu(0), profile, &placement, &instance);
  }
  static nvmlReturn_t CreateAnywhere(unsigned profile, nvmlGpuInstance_t* instance) {
    return NVML(nvmlDeviceCreateGpuInstance)(Gpu(0), profile, instance);
  }
  static unsigned Remaining(unsigned profile) {
    unsigned count = 99;
    EXPECT_EQ(NVML(nvmlDeviceGetGpuInstanceRemainingCapacity)(Gpu(0), profile, &count),
              NVML_SUCCESS);
    return count;
  }
  static nvmlDevice_t MakeMigDevice(unsigned profile, unsigned compute_profile) {
    nvmlGpuInstance_t instance = {};
    nvmlComputeInstance_t compute = {};
    EXPECT_EQ(CreateAnywhere(profile, &instance), NVML_SUCCESS);
    EXPECT_EQ(NVML(nvmlGpuInstanceCreateComputeInstance)(instance, compute_profile, &compute),
              NVML_SUCCESS);
    nvmlDevice_t device = {};
    EXPECT_EQ(NVML(nvmlDeviceGetMigDeviceHandleByIndex)(Gpu(0), 0, &device), NVML_SUCCESS);
    return device;
  }
};

class SevenSliceModel : public FakeNvmlMig, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    FakeNvmlTest::SetUp();
    StartMachine(GetParam());
    ASSERT_EQ(SetMode(0, NVML_DEVICE_MIG_ENABLE), NVML_SUCCESS);
  }
};

INSTANTIATE_TEST_SUITE_P(Models, SevenSliceModel,
                         testing::Values("dgx-a100", "dgx-h100", "hgx-h200", "dgx-b200"),
                         [](const auto& machine) {
                           std::string name = machine.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(SevenSliceModel, OffersTheKnownProfiles) {
  const std::map<unsigned, unsigned> kMost = {{k1g, 7}, {k1gMedia, 1}, {k1gWide, 4}, {k2g, 3},
                                              {k3g, 2}, {k4g, 1},      {k7g, 1}};
  std::map<unsigned, unsigned> found;
  for (unsigned profile = 0; profile < NVML_GPU_INSTANCE_PROFILE_COUNT; ++profile) {
    nvmlGpuInstanceProfileInfo_v2_t info = {};
    info.version = NvmlStructVersion<nvmlGpuInstanceProfileInfo_v2_t>(2);
    if (NVML(nvmlDeviceGetGpuInstanceProfileInfoV)(Gpu(0), profile, &info) != NVML_SUCCESS)
      continue;
    found[info.id] = info.instanceCount;
    EXPECT_TRUE(
        std::string(info.name).starts_with("MIG " + std::to_string(info.sliceCount) + "g."));
    EXPECT_EQ(Remaining(info.id), info.instanceCount) << info.name;
  }
  EXPECT_EQ(found, kMost);
}

TEST_P(SevenSliceModel, InstancesMustNotOverlap) {
  EXPECT_EQ(Create(k3g, 0, 4), NVML_SUCCESS);
  EXPECT_EQ(Create(k3g, 0, 4), NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(Create(k4g, 0, 4), NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(Create(k7g, 0, 8), NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(Create(k1g, 3, 1), NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(Create(k2g, 4, 2), NVML_SUCCESS);
  EXPECT_EQ(Create(k1g, 6, 1), NVML_SUCCESS);
  EXPECT_EQ(Remaining(k1g), 0u);
}

TEST_P(SevenSliceModel, PlacesBesideATakenOneStayFree) {
  EXPECT_EQ(Create(k3g, 4, 4), NVML_SUCCESS);
  EXPECT_EQ(Create(k1g, 3, 1), NVML_SUCCESS);
  EXPECT_EQ(Create(k2g, 0, 2), NVML_SUCCESS);
  EXPECT_EQ(Remaining(k1g), 1u);
}

TEST_P(SevenSliceModel, OnlyTheModelsPlacesAreLegal) {
  EXPECT_EQ(Create(k3g, 2, 4), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Create(k2g, 1, 2), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Create(k1g, 7, 1), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Create(k4g, 4, 4), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Create(k3g, 0, 3), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Create(77, 0, 1), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_P(SevenSliceModel, SlicesNeverHoldMoreThanTheGpu) {
  nvmlMemory_t memory = {};
  NVML(nvmlDeviceGetMemoryInfo)(Gpu(0), &memory);
  for (unsigned profile = 0; profile < NVML_GPU_INSTANCE_PROFILE_COUNT; ++profile) {
    nvmlGpuInstanceProfileInfo_t info = {};
    if (NVML(nvmlDeviceGetGpuInstanceProfileInfo)(Gpu(0), profile, &info) != NVML_SUCCESS) continue;
    EXPECT_LE(info.memorySizeMB * info.instanceCount, memory.total >> 20) << info.id;
  }
}

class H100Mig : public FakeNvmlMig {
 protected:
  void SetUp() override {
    FakeNvmlTest::SetUp();
    StartMachine("dgx-h100");
  }
};

TEST_F(H100Mig, NothingIsCreatedWhileTheModeIsOff) {
  nvmlGpuInstance_t instance = {};
  EXPECT_EQ(CreateAnywhere(k1g, &instance), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(H100Mig, ABusyGpuKeepsItsMode) {
  Tell("process gpu=0 pid=12 memory_mib=100");
  EXPECT_EQ(SetMode(0, NVML_DEVICE_MIG_ENABLE), NVML_ERROR_IN_USE);
  unsigned current = 9, pending = 9;
  NVML(nvmlDeviceGetMigMode)(Gpu(0), &current, &pending);
  EXPECT_EQ(current, NVML_DEVICE_MIG_DISABLE);
  EXPECT_EQ(pending, NVML_DEVICE_MIG_ENABLE);
  Tell("process-end gpu=0 pid=12");
  Tell("reset gpu=0");
  NVML(nvmlDeviceGetMigMode)(Gpu(0), &current, &pending);
  EXPECT_EQ(current, NVML_DEVICE_MIG_ENABLE);
}

TEST_F(H100Mig, ADeviceHasItsSharesAndItsParent) {
  SetMode(0, NVML_DEVICE_MIG_ENABLE);
  const nvmlDevice_t device = MakeMigDevice(k3g, NVML_COMPUTE_INSTANCE_PROFILE_1_SLICE);
  EXPECT_TRUE(Uuid(device).starts_with("MIG-"));
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE] = "";
  NVML(nvmlDeviceGetName)(device, name, sizeof name);
  EXPECT_STREQ(name, "NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb");
  nvmlDeviceAttributes_t attributes = {};
  ASSERT_EQ(NVML(nvmlDeviceGetAttributes_v2)(device, &attributes), NVML_SUCCESS);
  EXPECT_EQ(attributes.gpuInstanceSliceCount, 3u);
  EXPECT_EQ(attributes.computeInstanceSliceCount, 1u);
  EXPECT_EQ(attributes.multiprocessorCount, 16u);
  EXPECT_EQ(attributes.memorySizeMB, 40448u);
  nvmlDevice_t parent = {}, again = {};
  NVML(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(device, &parent);
  EXPECT_EQ(parent.handle, Gpu(0).handle);
  NVML(nvmlDeviceGetHandleByUUID)(Uuid(device).c_str(), &again);
  EXPECT_EQ(again.handle, device.handle);
}

TEST_F(H100Mig, MemoryIsAccountedPerInstance) {
  SetMode(0, NVML_DEVICE_MIG_ENABLE);
  const nvmlDevice_t device = MakeMigDevice(k3g, NVML_COMPUTE_INSTANCE_PROFILE_3_SLICE);
  Tell("process gpu=0 pid=1 memory_mib=300 gi=1 ci=0");
  Tell("process gpu=0 pid=2 memory_mib=50 gi=11 ci=0");
  nvmlMemory_t memory = {};
  ASSERT_EQ(NVML(nvmlDeviceGetMemoryInfo)(device, &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.used >> 20, 300u);
  EXPECT_EQ(memory.total >> 20, 40448u);
  unsigned count = 0;
  NVML(nvmlDeviceGetComputeRunningProcesses_v3)(device, &count, nullptr);
  EXPECT_EQ(count, 1u);
  nvmlUtilization_t load = {};
  EXPECT_EQ(NVML(nvmlDeviceGetUtilizationRates)(Gpu(0), &load), NVML_ERROR_NOT_SUPPORTED);
}

TEST_F(H100Mig, InstancesGoFromTheInsideOut) {
  SetMode(0, NVML_DEVICE_MIG_ENABLE);
  nvmlGpuInstance_t instance = {};
  ASSERT_EQ(CreateAnywhere(k2g, &instance), NVML_SUCCESS);
  nvmlComputeInstance_t compute = {}, second = {};
  ASSERT_EQ(NVML(nvmlGpuInstanceCreateComputeInstance)(instance, 0, &compute), NVML_SUCCESS);
  ASSERT_EQ(NVML(nvmlGpuInstanceCreateComputeInstance)(instance, 0, &second), NVML_SUCCESS);
  EXPECT_EQ(NVML(nvmlGpuInstanceCreateComputeInstance)(instance, 0, &second),
            NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(NVML(nvmlGpuInstanceDestroy)(instance), NVML_ERROR_IN_USE);
  EXPECT_EQ(NVML(nvmlComputeInstanceDestroy)(compute), NVML_SUCCESS);
  EXPECT_EQ(NVML(nvmlComputeInstanceDestroy)(second), NVML_SUCCESS);
  EXPECT_EQ(NVML(nvmlGpuInstanceDestroy)(instance), NVML_SUCCESS);
  EXPECT_EQ(NVML(nvmlGpuInstanceDestroy)(instance), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(H100Mig, AnotherProcessSeesTheSameInstances) {
  SetMode(0, NVML_DEVICE_MIG_ENABLE);
  const pid_t child = fork();
  if (child == 0) {
    const nvmlReturn_t created = Create(k4g, 0, 4);
    _exit(created == NVML_SUCCESS ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(Create(k7g, 0, 8), NVML_ERROR_INSUFFICIENT_RESOURCES);
  nvmlGpuInstance_t instance = {};
  EXPECT_EQ(NVML(nvmlDeviceGetGpuInstanceById)(Gpu(0), 1, &instance), NVML_SUCCESS);
}

TEST_F(FakeNvmlMig, AnA30HasFourSlices) {
  const std::string path = control_ + ".yaml";
  std::ofstream(path) << "machine: gpu-platform/v1\ngpus:\n  - {uuid: GPU-30, mig: a30-24gb, "
                         "bus_id: \"0000:01:00.0\", memory_mib: {total: 24576}}\n";
  ASSERT_EQ(Start(path), NVML_SUCCESS);
  std::filesystem::remove(path);
  ASSERT_EQ(SetMode(0, NVML_DEVICE_MIG_ENABLE), NVML_SUCCESS);
  EXPECT_EQ(Create(5, 1, 2), NVML_ERROR_INVALID_ARGUMENT);  // 2g.12gb stands at 0 or 2
  EXPECT_EQ(Create(5, 2, 2), NVML_SUCCESS);
  EXPECT_EQ(Create(14, 1, 1), NVML_SUCCESS);  // 1g.6gb
  EXPECT_EQ(Create(0, 0, 4), NVML_ERROR_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(Remaining(14), 1u);
}

TEST_F(FakeNvmlTest, AModelWithoutMigSaysSo) {
  StartMachine("l40s-4");
  unsigned current = 0, pending = 0;
  EXPECT_EQ(NVML(nvmlDeviceGetMigMode)(Gpu(0), &current, &pending), NVML_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace gp
