#include "adapters/outbound/nvml/inquiry.h"

#include <algorithm>

namespace gp {

void NvmlWarnings::Add(std::string text) {
  if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(std::move(text));
}

void GpuInquiry::Warn(const std::string& text) {
  if (warnings_ != nullptr) warnings_->Add("GPU " + std::to_string(index_) + ": " + text);
}

void GpuInquiry::WarnOfDriver(const std::string& text) {
  if (warnings_ != nullptr) warnings_->Add(text);
}

bool GpuInquiry::Note(const char* function, nvmlReturn_t result) {
  if (result == NVML_SUCCESS) return true;
  if (result == NVML_ERROR_NOT_SUPPORTED) return false;
  if (result == NVML_ERROR_FUNCTION_NOT_FOUND) {
    WarnOfDriver(std::string(function) + ": not in this driver");
  } else {
    Warn(std::string(function) + ": " + library_.Explain(result));
  }
  return false;
}

}  // namespace gp
