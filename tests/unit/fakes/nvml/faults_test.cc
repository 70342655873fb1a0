// Commands of the control file arrive in a library that is already running.

#include <sys/wait.h>

#include <ctime>
#include <thread>

#include "tests/unit/fakes/nvml/fake_library.h"

namespace gp {
namespace {

class FakeNvmlFaults : public FakeNvmlTest {
 protected:
  void SetUp() override {
    FakeNvmlTest::SetUp();
    StartMachine("dgx-h100");
  }

  static nvmlEventSet_t Listen(unsigned gpu, unsigned long long types) {
    nvmlEventSet_t set = {};
    EXPECT_EQ(NVML(nvmlEventSetCreate)(&set), NVML_SUCCESS);
    EXPECT_EQ(NVML(nvmlDeviceRegisterEvents)(Gpu(gpu), types, set), NVML_SUCCESS);
    return set;
  }
  static unsigned Field(unsigned gpu, unsigned id) {
    nvmlFieldValue_t value = {};
    value.fieldId = id;
    EXPECT_EQ(NVML(nvmlDeviceGetFieldValues)(Gpu(gpu), 1, &value), NVML_SUCCESS);
    EXPECT_EQ(value.nvmlReturn, NVML_SUCCESS);
    return value.value.uiVal;
  }
  static unsigned long long Errors(unsigned gpu, nvmlMemoryErrorType_t type,
                                   nvmlEccCounterType_t counter) {
    unsigned long long count = 0;
    EXPECT_EQ(NVML(nvmlDeviceGetTotalEccErrors)(Gpu(gpu), type, counter, &count), NVML_SUCCESS);
    return count;
  }
  static unsigned Count() {
    unsigned count = 0;
    EXPECT_EQ(NVML(nvmlDeviceGetCount_v2)(&count), NVML_SUCCESS);
    return count;
  }
  static nvmlReturn_t FindByUuid(const std::string& uuid, nvmlDevice_t* device) {
    return NVML(nvmlDeviceGetHandleByUUID)(uuid.c_str(), device);
  }
  // As a process that begins now.
  void Restart() {
    NVML(nvmlShutdown)();
    StartMachine("dgx-h100");
  }
  static unsigned Temperature(unsigned gpu) {
    unsigned celsius = 0;
    NVML(nvmlDeviceGetTemperature)(Gpu(gpu), NVML_TEMPERATURE_GPU, &celsius);
    return celsius;
  }
};

TEST_F(FakeNvmlFaults, XidReachesAWaiterOfThatGpuOnly) {
  const nvmlEventSet_t third = Listen(3, nvmlEventTypeXidCriticalError);
  const nvmlEventSet_t fifth = Listen(5, nvmlEventTypeXidCriticalError);
  std::thread teller([this] { Tell("xid gpu=3 code=94 gi=2 ci=1"); });
  nvmlEventData_t data = {};
  EXPECT_EQ(NVML(nvmlEventSetWait_v2)(third, &data, 20'000), NVML_SUCCESS);
  teller.join();
  EXPECT_EQ(data.device.handle, Gpu(3).handle);
  EXPECT_EQ(data.eventType, nvmlEventTypeXidCriticalError);
  EXPECT_EQ(data.eventData, 94u);
  EXPECT_EQ(data.gpuInstanceId, 2u);
  EXPECT_EQ(data.computeInstanceId, 1u);
  EXPECT_EQ(NVML(nvmlEventSetWait_v2)(fifth, &data, 1), NVML_ERROR_TIMEOUT);
  NVML(nvmlEventSetFree)(third);
  EXPECT_EQ(NVML(nvmlEventSetWait_v2)(third, &data, 1), NVML_ERROR_INVALID_ARGUMENT);
}

TEST_F(FakeNvmlFaults, EventsOfThePastAreNotDelivered) {
  Tell("xid gpu=0 code=31");
  const nvmlEventSet_t set = Listen(0, nvmlEventTypeXidCriticalError);
  Tell("xid gpu=0 code=43");
  nvmlEventData_t data = {};
  ASSERT_EQ(NVML(nvmlEventSetWait_v2)(set, &data, 20'000), NVML_SUCCESS);
  EXPECT_EQ(data.eventData, 43u);
  EXPECT_EQ(data.gpuInstanceId, kNvmlNoInstance);
}

TEST_F(FakeNvmlFaults, EccErrorsCountAndAreToldApart) {
  Tell("ecc gpu=1 corrected=5 uncorrected=2");
  EXPECT_EQ(Errors(1, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC), 5u);
  EXPECT_EQ(Errors(1, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC), 2u);
  EXPECT_EQ(Errors(0, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC), 0u);
}

TEST_F(FakeNvmlFaults, ReadingsFollowCommands) {
  EXPECT_EQ(Temperature(0), 29u);
  Tell("temperature gpu=0 celsius=91");
  Tell("throttle gpu=0 reasons=hw-thermal,hw-slowdown");
  Tell("utilization gpu=0 percent=77 memory_percent=12");
  Tell("process gpu=0 pid=4711 memory_mib=2048 name=\"python train.py\"");
  EXPECT_EQ(Temperature(0), 91u);
  unsigned long long reasons = 0;
  NVML(nvmlDeviceGetCurrentClocksEventReasons)(Gpu(0), &reasons);
  EXPECT_EQ(reasons, 0x48u);
  nvmlMarginTemperature_v1_t margin = {NvmlStructVersion<nvmlMarginTemperature_v1_t>(1), 0};
  NVML(nvmlDeviceGetMarginTemperature)(Gpu(0), &margin);
  EXPECT_EQ(margin.marginTemperature, 87 - 91);
  nvmlUtilization_t load = {};
  NVML(nvmlDeviceGetUtilizationRates)(Gpu(0), &load);
  EXPECT_EQ(load.gpu, 77u);
  unsigned count = 0;
  EXPECT_EQ(NVML(nvmlDeviceGetComputeRunningProcesses_v3)(Gpu(0), &count, nullptr),
            NVML_ERROR_INSUFFICIENT_SIZE);
  nvmlProcessInfo_t process = {};
  EXPECT_EQ(NVML(nvmlDeviceGetComputeRunningProcesses_v3)(Gpu(0), &count, &process), NVML_SUCCESS);
  EXPECT_EQ(process.pid, 4711u);
  EXPECT_EQ(process.usedGpuMemory, 2048ull << 20);
  char name[64] = "";
  NVML(nvmlSystemGetProcessName)(4711, name, sizeof name);
  EXPECT_STREQ(name, "python train.py");
}

TEST_F(FakeNvmlFaults, ALinkGoesDownAndUp) {
  nvmlEnableState_t state = NVML_FEATURE_DISABLED;
  Tell("link gpu=2 link=7 state=down");
  NVML(nvmlDeviceGetNvLinkState)(Gpu(2), 7, &state);
  EXPECT_EQ(state, NVML_FEATURE_DISABLED);
  EXPECT_EQ(Field(2, NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT), 17u);
  Tell("link gpu=2 link=7 state=up");
  NVML(nvmlDeviceGetNvLinkState)(Gpu(2), 7, &state);
  EXPECT_EQ(state, NVML_FEATURE_ENABLED);
}

TEST_F(FakeNvmlFaults, ResetMendsWhatAResetMends) {
  Tell("xid gpu=4 code=95");
  Tell("ecc gpu=4 uncorrected=3");
  Tell("remap gpu=4 uncorrected=1 pending=yes");
  EXPECT_EQ(Field(4, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION),
            static_cast<unsigned>(NVML_GPU_RECOVERY_ACTION_GPU_RESET));
  Tell("reset gpu=4 seconds=0");
  EXPECT_EQ(Field(4, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION), 0u);
  EXPECT_EQ(Errors(4, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC), 0u);
  EXPECT_EQ(Errors(4, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC), 3u);
  unsigned corrected = 9, uncorrected = 9, pending = 9, failed = 9;
  NVML(nvmlDeviceGetRemappedRows)(Gpu(4), &corrected, &uncorrected, &pending, &failed);
  EXPECT_EQ(uncorrected, 1u);
  EXPECT_EQ(pending, 0u);
}

TEST_F(FakeNvmlFaults, AGpuInUseIsNotReset) {
  Tell("recovery gpu=4 action=reset");
  Tell("process gpu=4 pid=1 memory_mib=1");
  Tell("reset gpu=4");
  EXPECT_EQ(Field(4, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION), 1u);
  Tell("process-end gpu=4 pid=all");
  Tell("reset gpu=4 outcome=fail");
  EXPECT_EQ(Field(4, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION), 1u);
  Tell("reset gpu=4");
  EXPECT_EQ(Field(4, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION), 0u);
}

TEST_F(FakeNvmlFaults, AGpuInResetDoesNotAnswer) {
  const nvmlDevice_t gpu = Gpu(6);
  Tell("reset gpu=6 seconds=3600");
  nvmlMemory_t memory = {};
  EXPECT_EQ(NVML(nvmlDeviceGetMemoryInfo)(gpu, &memory), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(NVML(nvmlDeviceGetMemoryInfo)(Gpu(5), &memory), NVML_SUCCESS);
}

TEST_F(FakeNvmlFaults, OffTheBusMeansLostUntilReboot) {
  const nvmlDevice_t gpu = Gpu(7);
  const std::string uuid = Uuid(gpu);
  Tell("xid gpu=7 code=79");
  nvmlMemory_t memory = {};
  EXPECT_EQ(NVML(nvmlDeviceGetMemoryInfo)(gpu, &memory), NVML_ERROR_GPU_IS_LOST);
  EXPECT_EQ(Uuid(gpu), uuid);
  Tell("reset gpu=7");
  EXPECT_EQ(NVML(nvmlDeviceGetMemoryInfo)(gpu, &memory), NVML_ERROR_GPU_IS_LOST);
  // Whoever comes later does not even get a handle.
  NVML(nvmlShutdown)();
  StartMachine("dgx-h100");
  nvmlDevice_t again = {};
  EXPECT_EQ(NVML(nvmlDeviceGetHandleByIndex_v2)(7, &again), NVML_ERROR_GPU_IS_LOST);
  Tell("reboot");
  NVML(nvmlShutdown)();
  StartMachine("dgx-h100");
  EXPECT_EQ(NVML(nvmlDeviceGetMemoryInfo)(Gpu(7), &memory), NVML_SUCCESS);
}

TEST_F(FakeNvmlFaults, WhoComesAfterARenumberingCountsOneLess) {
  const std::string lost = Uuid(Gpu(2));
  const std::string next = Uuid(Gpu(3));
  Tell("temperature gpu=3 celsius=44");
  Tell("lost gpu=2 renumber=yes");
  EXPECT_EQ(Count(), 8u);  // a process that runs keeps its numbers
  EXPECT_EQ(Temperature(3), 44u);
  Restart();
  EXPECT_EQ(Count(), 7u);
  EXPECT_EQ(Uuid(Gpu(2)), next);
  EXPECT_EQ(Temperature(2), 44u);
  nvmlDevice_t device = {};
  EXPECT_EQ(NVML(nvmlDeviceGetHandleByIndex_v2)(7, &device), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(FindByUuid(lost, &device), NVML_ERROR_NOT_FOUND);
  ASSERT_EQ(FindByUuid(next, &device), NVML_SUCCESS);
  unsigned index = 99;
  EXPECT_EQ(NVML(nvmlDeviceGetIndex)(device, &index), NVML_SUCCESS);
  EXPECT_EQ(index, 2u);
  // Commands go on to mean the machine file's positions.
  Tell("temperature gpu=3 celsius=45");
  EXPECT_EQ(Temperature(2), 45u);
  Tell("reboot");
  Restart();
  EXPECT_EQ(Count(), 8u);
  EXPECT_EQ(Uuid(Gpu(2)), lost);
}

TEST_F(FakeNvmlFaults, ACommandMayNameItsGpuByUuid) {
  Tell("temperature gpu=" + Uuid(Gpu(3)) + " celsius=44");
  Tell("temperature gpu=GPU-of-nobody celsius=99");
  for (unsigned gpu = 0; gpu < 8; ++gpu) EXPECT_EQ(Temperature(gpu), gpu == 3 ? 44u : 29u) << gpu;
}

TEST_F(FakeNvmlFaults, ANamedCallHangsUntilItsTime) {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::string began = std::to_string(now.tv_sec) + "000000000";
  Tell("@" + began + " hang gpu=0 call=nvmlDeviceGetTemperature seconds=2");
  EXPECT_EQ(Temperature(1), 29u);  // of another GPU: answers
  EXPECT_EQ(Temperature(0), 29u);
  timespec after = {};
  clock_gettime(CLOCK_REALTIME, &after);
  EXPECT_GE(after.tv_sec, now.tv_sec + 2);  // the promise is "not before"
}

TEST_F(FakeNvmlFaults, NonsenseIsIgnoredAndTheRestGoesOn) {
  Tell("explode gpu=0");
  Tell("temperature gpu=99 celsius=5");
  Tell("temperature gpu=0 kelvin=5");
  Tell("temperature gpu=0");
  Tell("@yesterday temperature gpu=0 celsius=5");
  Tell("temperature gpu=0 celsius=50");
  EXPECT_EQ(Temperature(0), 50u);
}

TEST_F(FakeNvmlFaults, HalfALineWaitsForItsRest) {
  std::ofstream(control_, std::ios::app) << "temperature gpu=0 cels";
  EXPECT_EQ(Temperature(0), 29u);
  std::ofstream(control_, std::ios::app) << "ius=55\n";
  EXPECT_EQ(Temperature(0), 55u);
}

TEST_F(FakeNvmlFaults, TheControlToolChecksBeforeItWrites) {
  const std::string tool = GP_BINARY_DIR "/bin/fake-nvml-ctl --control " + control_ +
                           " --machine " + MachinePath("dgx-h100") + " ";
  EXPECT_EQ(std::system((tool + "temperature gpu=3 celsius=44").c_str()), 0);
  EXPECT_EQ(Temperature(3), 44u);
  const auto size = std::filesystem::file_size(control_);
  EXPECT_EQ(WEXITSTATUS(std::system((tool + "temperature gpu=8 celsius=44 2>&1").c_str())), 2);
  EXPECT_EQ(WEXITSTATUS(std::system((tool + "process gpu=3 pid=9").c_str())), 0);
  EXPECT_EQ(WEXITSTATUS(std::system((tool + "reset gpu=3 2>&1").c_str())), 1);
  EXPECT_GT(std::filesystem::file_size(control_), size);
}

}  // namespace
}  // namespace gp
