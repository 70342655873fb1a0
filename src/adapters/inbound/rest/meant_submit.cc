#include "adapters/inbound/rest/meant_submit.h"

#include <algorithm>
#include <string>

#include "adapters/wire/documents/from_document.h"
#include "domain/model/jobs/job_spec.h"
#include "gpu_platform/v1/job.pb.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kBodyBytesMax = 4096;
constexpr std::string_view kGpuWords[] = {"gpu", "gpus", "gpu_count", "num_gpus"};
constexpr std::string_view kCommandWords[] = {"command", "cmd", "run", "script"};

bool IsField(const std::string& name, const nlohmann::json& value) {
  nlohmann::json one;
  one[name] = value;
  gpu_platform::v1::JobSpec spec;
  return !value.is_null() && FromDocument(one, &spec).empty();
}

bool IsGpuCount(const nlohmann::json& value) {
  return value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t{kGpusPerNodeMax};
}

// False: `name` is not a known name of a job field.
bool Take(const std::string& name, const nlohmann::json& value, Json& spec) {
  const bool are_gpus = std::ranges::find(kGpuWords, name) != std::end(kGpuWords);
  const bool is_command = std::ranges::find(kCommandWords, name) != std::end(kCommandWords);
  if (are_gpus && IsGpuCount(value)) {
    spec["gpus"]["count"] = value;
  } else if (are_gpus && value.is_string()) {
    spec["gpus"]["models"] = Json::array({value});
  } else if (is_command && value.is_string()) {
    spec["command"] = Json::array({"/bin/sh", "-c", value});
  } else if (IsField(name, value)) {
    spec[name] = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<Json> MeantSubmit(std::string_view body) {
  if (body.size() > kBodyBytesMax) return std::nullopt;
  nlohmann::json document;
  if (!ParseJson(body, document).empty() || !document.is_object()) return std::nullopt;
  if (document.contains("specs")) return std::nullopt;
  Json spec;
  spec["name"] = "train";
  spec["command"] = Json::array({"python3", "train.py"});
  spec["gpus"]["count"] = 1;
  bool is_job = false;
  for (const auto& [name, value] : document.items()) is_job = Take(name, value, spec) || is_job;
  if (!is_job) return std::nullopt;
  Json request;
  request["specs"] = Json::array({spec});
  return request;
}

}  // namespace gp
