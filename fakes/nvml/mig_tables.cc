#include "fakes/nvml/mig_tables.h"

#include <array>

#include "adapters/outbound/nvml/abi_mig.h"

namespace gp {
namespace {

constexpr unsigned kEverySlice[] = {0, 1, 2, 3, 4, 5, 6};
constexpr unsigned kPairs[] = {0, 2, 4};
constexpr unsigned kWidePairs[] = {0, 2, 4, 6};
constexpr unsigned kHalves[] = {0, 4};
constexpr unsigned kStart[] = {0};
constexpr unsigned kQuarters[] = {0, 1, 2, 3};
constexpr unsigned kTwoHalves[] = {0, 2};

constexpr unsigned k1 = NVML_GPU_INSTANCE_PROFILE_1_SLICE;
constexpr unsigned k1Media = NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV1;
constexpr unsigned k1Wide = NVML_GPU_INSTANCE_PROFILE_1_SLICE_REV2;
constexpr unsigned k2 = NVML_GPU_INSTANCE_PROFILE_2_SLICE;
constexpr unsigned k2Media = NVML_GPU_INSTANCE_PROFILE_2_SLICE_REV1;
constexpr unsigned k3 = NVML_GPU_INSTANCE_PROFILE_3_SLICE;
constexpr unsigned k4 = NVML_GPU_INSTANCE_PROFILE_4_SLICE;
constexpr unsigned k7 = NVML_GPU_INSTANCE_PROFILE_7_SLICE;

// The seven-slice models differ in names, sizes and engines only.
struct SevenSlices {
  std::array<const char*, 7> names;
  std::array<unsigned, 7> multiprocessors;
  std::array<unsigned, 7> memory_mib;
  std::array<unsigned, 7> decoders;
  std::array<unsigned, 7> jpeg;
};

constexpr std::array<MigGpuProfile, 7> MakeSeven(const SevenSlices& m) {
  const auto row = [&m](size_t i, unsigned index, unsigned id, unsigned compute, unsigned memory,
                        unsigned most, std::span<const unsigned> starts) {
    const bool ofa = index == k1Media || index == k7;
    return MigGpuProfile{index,         id,        m.names[i],           compute,
                         memory,        most,      m.multiprocessors[i], compute,
                         m.decoders[i], m.jpeg[i], ofa ? 1u : 0u,        m.memory_mib[i],
                         starts};
  };
  return {row(0, k1, 19, 1, 1, 7, kEverySlice),    row(1, k1Media, 20, 1, 1, 1, kEverySlice),
          row(2, k1Wide, 15, 1, 2, 4, kWidePairs), row(3, k2, 14, 2, 2, 3, kPairs),
          row(4, k3, 9, 3, 4, 2, kHalves),         row(5, k4, 5, 4, 4, 1, kStart),
          row(6, k7, 0, 7, 8, 1, kStart)};
}

constexpr std::array<unsigned, 7> kAmpereProcessors = {14, 14, 14, 28, 42, 56, 98};

constexpr auto kA100_40 =
    MakeSeven({{"1g.5gb", "1g.5gb+me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"},
               kAmpereProcessors,
               {4864, 4864, 9856, 9856, 19968, 19968, 40192},
               {0, 1, 1, 1, 2, 2, 5},
               {0, 1, 0, 0, 0, 0, 1}});

constexpr auto kA100_80 =
    MakeSeven({{"1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"},
               kAmpereProcessors,
               {9856, 9856, 19968, 19968, 40192, 40192, 80384},
               {0, 1, 1, 1, 2, 2, 5},
               {0, 1, 0, 0, 0, 0, 1}});

constexpr auto kH100_80 =
    MakeSeven({{"1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb"},
               {16, 16, 26, 32, 60, 64, 132},
               {9984, 9984, 20096, 20096, 40448, 40448, 81152},
               {1, 1, 1, 2, 3, 4, 7},
               {1, 1, 1, 2, 3, 4, 7}});

// As `nvidia-smi mig -lgip` of driver 580 reports it.
constexpr auto kH200 =
    MakeSeven({{"1g.18gb", "1g.18gb+me", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"},
               {16, 16, 26, 32, 60, 64, 132},
               {16384, 16384, 33280, 33280, 71424, 71424, 143360},
               {1, 1, 1, 2, 3, 4, 7},
               {1, 1, 1, 2, 3, 4, 7}});

// Memory is in eighths of the model's total, rounded down to 128 MiB; real drivers reserve more.
constexpr auto kB200 =
    MakeSeven({{"1g.23gb", "1g.23gb+me", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb"},
               {18, 18, 30, 36, 70, 72, 148},
               {22784, 22784, 45568, 45568, 91136, 91136, 182272},
               {1, 1, 1, 2, 3, 4, 7},
               {1, 1, 1, 2, 3, 4, 7}});

constexpr MigGpuProfile kA30[] = {
    {k1, 14, "1g.6gb", 1, 1, 4, 14, 1, 0, 0, 0, 5836, kQuarters},
    {k1Media, 21, "1g.6gb+me", 1, 1, 1, 14, 1, 1, 1, 1, 5836, kQuarters},
    {k2, 5, "2g.12gb", 2, 2, 2, 28, 2, 2, 0, 0, 11672, kTwoHalves},
    {k2Media, 6, "2g.12gb+me", 2, 2, 1, 28, 2, 2, 1, 1, 11672, kTwoHalves},
    {k4, 0, "4g.24gb", 4, 4, 1, 56, 4, 4, 1, 1, 23344, kStart},
};

constexpr MigTable kTables[] = {
    {"a100-40gb", 7, 8, 14, kA100_40}, {"a100-80gb", 7, 8, 14, kA100_80},
    {"a30-24gb", 4, 4, 14, kA30},      {"h100-80gb", 7, 8, 16, kH100_80},
    {"h200-141gb", 7, 8, 16, kH200},   {"b200-180gb", 7, 8, 18, kB200},
};

constexpr MigComputeProfile kComputeProfiles[] = {
    {NVML_COMPUTE_INSTANCE_PROFILE_1_SLICE, 1, 1}, {NVML_COMPUTE_INSTANCE_PROFILE_2_SLICE, 2, 2},
    {NVML_COMPUTE_INSTANCE_PROFILE_3_SLICE, 3, 4}, {NVML_COMPUTE_INSTANCE_PROFILE_4_SLICE, 4, 4},
    {NVML_COMPUTE_INSTANCE_PROFILE_7_SLICE, 7, 7},
};

}  // namespace

const MigTable* FindMigTable(std::string_view key) {
  for (const MigTable& table : kTables) {
    if (table.key == key) return &table;
  }
  return nullptr;
}

const MigGpuProfile* FindProfileByIndex(const MigTable& table, unsigned index) {
  for (const MigGpuProfile& profile : table.profiles) {
    if (profile.index == index) return &profile;
  }
  return nullptr;
}

const MigGpuProfile* FindProfileById(const MigTable& table, unsigned id) {
  for (const MigGpuProfile& profile : table.profiles) {
    if (profile.id == id) return &profile;
  }
  return nullptr;
}

std::span<const MigComputeProfile> MigComputeProfiles() { return kComputeProfiles; }

const MigComputeProfile* FindComputeProfile(unsigned index) {
  for (const MigComputeProfile& profile : kComputeProfiles) {
    if (profile.index == index) return &profile;
  }
  return nullptr;
}

unsigned ComputeInstancesMax(const MigComputeProfile& profile, unsigned slices) {
  if (profile.slices > slices) return 0;
  return (slices - profile.slices) / profile.stride + 1;
}

}  // namespace gp
