#include "fakes/nvml/driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace gp {
namespace {

// Once per process, because clients retry nvmlInit and the reason does not change.
void Complain(const std::string& why) {
  static std::once_flag once;
  std::call_once(once, [&] { std::fprintf(stderr, "fake libnvidia-ml: %s\n", why.c_str()); });
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

FakeDriver& FakeDriver::Get() {
  static FakeDriver* const driver = new FakeDriver;  // for threads that outlive main
  return *driver;
}

nvmlReturn_t FakeDriver::Init() {
  std::lock_guard lock(mutex_);
  if (users_ == 0) {
    const nvmlReturn_t loaded = Load();
    if (loaded != NVML_SUCCESS) return loaded;
  }
  ++users_;
  return NVML_SUCCESS;
}

nvmlReturn_t FakeDriver::Shutdown() {
  std::lock_guard lock(mutex_);
  if (users_ == 0) return NVML_ERROR_UNINITIALIZED;
  --users_;
  return NVML_SUCCESS;
}

nvmlReturn_t FakeDriver::Load() {
  const std::string path = Environment("GPU_PLATFORM_FAKE_NVML_MACHINE");
  if (path.empty()) {
    Complain("set GPU_PLATFORM_FAKE_NVML_MACHINE to a machine file; without one there is no GPU");
    return NVML_ERROR_DRIVER_NOT_LOADED;
  }
  const int node = std::atoi(Environment("GPU_PLATFORM_FAKE_NVML_NODE").c_str());
  Result<Machine> machine = LoadMachine(path, node);
  if (!machine) {
    Complain(machine.error().message);
    return machine.error().code == ErrorCode::kNotFound ? NVML_ERROR_DRIVER_NOT_LOADED
                                                        : NVML_ERROR_LIB_RM_VERSION_MISMATCH;
  }
  world_ = MakeFakeWorld(std::move(*machine));
  journal_ = std::make_shared<FakeJournal>(Environment("GPU_PLATFORM_FAKE_NVML_CONTROL"));
  Refresh();
  lost_at_init_.clear();
  listed_.clear();
  for (size_t i = 0; i < world_.gpus.size(); ++i) {
    if (world_.gpus[i].lost) lost_at_init_.insert(static_cast<int>(i));
    if (!world_.gpus[i].unlisted) listed_.push_back(static_cast<int>(i));
  }
  return NVML_SUCCESS;
}

bool FakeDriver::IsListed(int gpu) const {
  return std::ranges::find(listed_, gpu) != listed_.end();
}

int FakeDriver::GpuAt(unsigned index) const { return index < listed_.size() ? listed_[index] : -1; }

unsigned FakeDriver::IndexOf(int gpu) const {
  return static_cast<unsigned>(std::ranges::find(listed_, gpu) - listed_.begin());
}

void FakeDriver::Refresh() {
  for (const std::string& line : journal_->News()) Apply(line);
}

void FakeDriver::Apply(const std::string& line) {
  const Result<FakeCommand> command = ParseFakeCommand(line, RealTimeNs());
  const Status status = command ? CheckCommand(world_, *command) : Status(Fail(command.error()));
  if (!status) {
    std::fprintf(stderr, "fake libnvidia-ml: ignored '%s': %s\n", line.c_str(),
                 status.error().message.c_str());
    return;
  }
  ApplyCommand(*command, &world_);
}

int64_t FakeDriver::HangsUntil(const char* call, std::optional<int> gpu) const {
  const int64_t now = RealTimeNs();
  for (const FakeHang& hang : world_.hangs) {
    const bool meant = hang.call == call && (!gpu || !hang.gpu || *gpu == *hang.gpu);
    if (meant && hang.until_ns > now) return hang.until_ns;
  }
  return 0;
}

nvmlDevice_t FakeDriver::Device(int gpu) {
  nvmlDevice_st& device = devices_[{gpu, std::nullopt, std::nullopt}];
  device = {gpu, std::nullopt, std::nullopt};
  return {&device};
}

nvmlDevice_t FakeDriver::MigDevice(int gpu, unsigned gpu_instance, unsigned compute_instance) {
  nvmlDevice_st& device = devices_[{gpu, gpu_instance, compute_instance}];
  device = {gpu, gpu_instance, compute_instance};
  return {&device};
}

nvmlGpuInstance_t FakeDriver::GpuInstance(int gpu, unsigned id) {
  nvmlGpuInstance_st& instance = gpu_instances_[{gpu, id}];
  instance = {gpu, id};
  return {&instance};
}

nvmlComputeInstance_t FakeDriver::ComputeInstance(int gpu, unsigned gpu_instance, unsigned id) {
  nvmlComputeInstance_st& instance = compute_instances_[{gpu, gpu_instance, id}];
  instance = {gpu, gpu_instance, id};
  return {&instance};
}

const nvmlDevice_st* FakeDriver::Find(nvmlDevice_t device) const {
  for (const auto& [key, known] : devices_) {
    if (&known != device.handle || known.gpu >= static_cast<int>(world_.gpus.size())) continue;
    if (!known.IsMig()) return &known;
    const auto& instances = world_.gpus[static_cast<size_t>(known.gpu)].instances;
    return instances.contains(*known.gpu_instance) ? &known : nullptr;
  }
  return nullptr;
}

const nvmlGpuInstance_st* FakeDriver::Find(nvmlGpuInstance_t instance) const {
  for (const auto& [key, known] : gpu_instances_) {
    if (&known != instance.handle || known.gpu >= static_cast<int>(world_.gpus.size())) continue;
    const auto& instances = world_.gpus[static_cast<size_t>(known.gpu)].instances;
    return instances.contains(known.id) ? &known : nullptr;
  }
  return nullptr;
}

const nvmlComputeInstance_st* FakeDriver::Find(nvmlComputeInstance_t instance) const {
  for (const auto& [key, known] : compute_instances_) {
    if (&known != instance.handle || known.gpu >= static_cast<int>(world_.gpus.size())) continue;
    const auto& instances = world_.gpus[static_cast<size_t>(known.gpu)].instances;
    const auto found = instances.find(known.gpu_instance);
    if (found == instances.end()) return nullptr;
    for (const FakeComputeInstance& compute : found->second.compute) {
      if (compute.id == known.id) return &known;
    }
  }
  return nullptr;
}

void SleepUntil(int64_t real_time_ns) {
  const timespec until = {real_time_ns / 1'000'000'000, real_time_ns % 1'000'000'000};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr);
}

nvmlReturn_t CopyText(const std::string& text, char* buffer, unsigned length) {
  if (buffer == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (text.size() >= length) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(buffer, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

}  // namespace gp
