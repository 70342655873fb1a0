// How long it takes to learn a host.  Goal: a DGX H100, everything together, in under 100 ms.  The
// fake driver answers at once, so this is the time of our own code and of loading the library; a
// real driver adds its own.

#include <benchmark/benchmark.h>

#include <cstdlib>

#include "adapters/outbound/hwloc/hwloc_topology.h"
#include "adapters/outbound/machine_file/machine_file_topology.h"
#include "adapters/outbound/nvml/nvml_driver.h"

namespace gp {
namespace {

constexpr char kDgxH100[] = GP_SOURCE_DIR "/data/machines/dgx-h100.yaml";
constexpr char kDgx2[] = GP_SOURCE_DIR "/data/topologies/dgx2h-16xV100-nvswitch.xml";

std::unique_ptr<NvmlDriver> OpenDriver(benchmark::State& state) {
  setenv("GPU_PLATFORM_FAKE_NVML_MACHINE", kDgxH100, 1);
  auto driver = NvmlDriver::Open(GP_FAKE_NVML);
  if (!driver) state.SkipWithError(driver.error().message.c_str());
  return driver ? *std::move(driver) : nullptr;
}

// What an agent does when it starts: load the driver's library, list the GPUs, read the host.
void BM_DiscoverDgxH100(benchmark::State& state) {
  for (auto _ : state) {
    const auto driver = OpenDriver(state);
    const auto topology = MachineFileTopology::Open(kDgxH100);
    if (driver == nullptr || !topology) return;
    auto inventory = driver->Inventory();
    auto host = (*topology)->Read();
    if (!inventory || inventory->gpus.size() != 8 || !host) {
      state.SkipWithError("discovery failed");
      return;
    }
    benchmark::DoNotOptimize(inventory);
    benchmark::DoNotOptimize(host);
  }
}
BENCHMARK(BM_DiscoverDgxH100)->Unit(benchmark::kMillisecond);

void BM_InventoryOfLoadedDriver(benchmark::State& state) {
  const auto driver = OpenDriver(state);
  if (driver == nullptr) return;
  for (auto _ : state) benchmark::DoNotOptimize(driver->Inventory());
}
BENCHMARK(BM_InventoryOfLoadedDriver)->Unit(benchmark::kMillisecond);

// What an agent does every few seconds.
void BM_HealthOfEightGpus(benchmark::State& state) {
  const auto driver = OpenDriver(state);
  if (driver == nullptr) return;
  for (auto _ : state) benchmark::DoNotOptimize(driver->Health());
}
BENCHMARK(BM_HealthOfEightGpus)->Unit(benchmark::kMillisecond);

void BM_HwlocReadsDgx2FromXml(benchmark::State& state) {
  const auto topology = HwlocTopology::OpenXmlFile(kDgx2);
  if (!topology) return state.SkipWithError(topology.error().message.c_str());
  for (auto _ : state) benchmark::DoNotOptimize((*topology)->Read());
}
BENCHMARK(BM_HwlocReadsDgx2FromXml)->Unit(benchmark::kMillisecond);

void BM_HwlocReadsThisMachine(benchmark::State& state) {
  const auto topology = HwlocTopology::OpenLive();
  for (auto _ : state) benchmark::DoNotOptimize(topology->Read());
}
BENCHMARK(BM_HwlocReadsThisMachine)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gp
