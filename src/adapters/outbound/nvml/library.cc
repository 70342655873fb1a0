#include "adapters/outbound/nvml/library.h"

#include <dlfcn.h>

namespace gp {
namespace {

constexpr char kWithoutGpus[] = "; to go on without GPUs, start with --simulate";

template <typename Function>
bool Find(void* handle, Function* function) {
  function->address = reinterpret_cast<decltype(function->address)>(dlsym(handle, function->name));
  return function->address != nullptr;
}

// What an operator can do about a driver that does not start.
std::string Advice(nvmlReturn_t result) {
  switch (result) {
    case NVML_ERROR_DRIVER_NOT_LOADED: return "; load it with `modprobe nvidia`";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
      return "; the driver was updated under a running kernel module: reboot, or reload the module";
    case NVML_ERROR_NO_PERMISSION:
      return "; /dev/nvidiactl must be readable and writable for this user";
    default: return "";
  }
}

}  // namespace

Result<std::shared_ptr<const NvmlLibrary>> NvmlLibrary::Open(const std::string& path) {
  std::shared_ptr<NvmlLibrary> library(new NvmlLibrary());
  GP_CHECK_OK(library->Load(path));
  GP_CHECK_OK(library->LookUp(path));
  GP_CHECK_OK(library->Initialise(path));
  return library;
}

NvmlLibrary::~NvmlLibrary() {
  if (initialised_) functions_.Shutdown();
  if (handle_ != nullptr) dlclose(handle_);
}

std::string NvmlLibrary::Explain(nvmlReturn_t result) const {
  const char* text = functions_.ErrorString == nullptr ? nullptr : functions_.ErrorString(result);
  return text != nullptr ? text : "NVML error " + std::to_string(result);
}

Status NvmlLibrary::Load(const std::string& path) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return Ok();
  const char* reason = dlerror();
  return Fail(Unavailable("cannot load NVIDIA's management library: " +
                          std::string(reason != nullptr ? reason : path.c_str()) +
                          "; install the NVIDIA driver" + kWithoutGpus));
}

Status NvmlLibrary::LookUp(const std::string& path) {
  std::string missing;
#define GP_NVML_REQUIRE(function) \
  if (!Find(handle_, &functions_.function)) missing = functions_.function.name;
#define GP_NVML_TRY(function) Find(handle_, &functions_.function);
  GP_NVML_INDISPENSABLE(GP_NVML_REQUIRE)
  GP_NVML_OPTIONAL(GP_NVML_TRY)
#undef GP_NVML_REQUIRE
#undef GP_NVML_TRY
  functions_.ErrorString =
      reinterpret_cast<decltype(functions_.ErrorString)>(dlsym(handle_, "nvmlErrorString"));
  if (missing.empty()) return Ok();
  return Fail(Unsupported(path + ": no " + missing +
                          " in it: not NVIDIA's management library, or of a driver older than 396" +
                          kWithoutGpus));
}

Status NvmlLibrary::Initialise(const std::string& path) {
  const nvmlReturn_t result = functions_.Init_v2();
  if (result == NVML_SUCCESS) {
    initialised_ = true;
    return Ok();
  }
  const std::string message = path + ": nvmlInit_v2: " + Explain(result) + Advice(result);
  if (result == NVML_ERROR_NO_PERMISSION) return Fail(PermissionDenied(message));
  return Fail(Unavailable(message + kWithoutGpus));
}

}  // namespace gp
