#include "adapters/inbound/metrics/gpu_gauges.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/inbound/metrics/gpu_series.h"

namespace gp {
namespace {

constexpr double kMib = 1 << 20;
constexpr auto kCounter = MetricType::kCounter;

Labels With(const Labels& labels, const char* name, std::string value) {
  Labels more = labels;
  more.emplace_back(name, std::move(value));
  return more;
}

// What a GPU is, and what is granted of it.
class GrantFamilies {
 public:
  explicit GrantFamilies(GpuSeries& series)
      : info_(series.Add("gpu_platform_gpu_info", "1; the labels describe the GPU")),
        verdict_(series.Add(
            "gpu_platform_gpu_verdict",
            "1; the GPU's health (ok, WARN, FAIL or UNKNOWN) and the code of the finding")),
        share_(series.Add("gpu_platform_gpu_share_granted_ratio",
                          "The part of its compute that is granted to jobs; 1: all")),
        memory_(series.Add("gpu_platform_gpu_memory_bytes", "Memory that jobs can use")),
        memory_granted_(series.Add("gpu_platform_gpu_memory_granted_bytes",
                                   "Memory that is granted to jobs")) {}

  void Set(GpuSeries& series, const Labels& labels, const GpuSeries::One& gpu) const {
    series.Set(info_,
               {labels[0],
                labels[1],
                {"uuid", gpu.facts.uuid},
                {"model", gpu.facts.model},
                {"pool", gpu.node.pool},
                {"driver_version", gpu.node.facts->driver_version}},
               1);
    series.Set(verdict_,
               {labels[0], labels[1], {"verdict", gpu.now.verdict}, {"code", gpu.now.code}}, 1);
    series.Set(share_, labels, static_cast<double>(gpu.now.share_granted) / kWholeShare);
    series.Set(memory_, labels, static_cast<double>(gpu.facts.memory_mib) * kMib);
    series.Set(memory_granted_, labels, static_cast<double>(gpu.now.memory_granted_mib) * kMib);
  }

 private:
  int info_;
  int verdict_;
  int share_;
  int memory_;
  int memory_granted_;
};

// What the driver reported; what it did not report has no series.
class ReadingFamilies {
 public:
  explicit ReadingFamilies(GpuSeries& series)
      : age_(series.Add(
            "gpu_platform_gpu_readings_age_seconds",
            "Age of the GPU's latest readings; readings older than three intervals are left out")),
        memory_used_(series.Add("gpu_platform_gpu_memory_used_bytes",
                                "Memory in use, as the driver reports it")),
        busy_(series.Add(
            "gpu_platform_gpu_busy_ratio",
            "The part of recent time in which any kernel ran, whatever its share of the GPU")),
        temperature_(
            series.Add("gpu_platform_gpu_temperature_celsius", "Temperature of the GPU's core")),
        power_(series.Add("gpu_platform_gpu_power_watts", "Current power draw")),
        power_limit_(series.Add("gpu_platform_gpu_power_limit_watts", "The driver's power limit")),
        ecc_(series.Add("gpu_platform_gpu_ecc_errors_total",
                        "ECC errors since the driver was loaded", kCounter)),
        remap_(series.Add(
            "gpu_platform_gpu_row_remap",
            "1: rows wait to be remapped at the next reset (pending), or cannot be (failed)")),
        throttled_(
            series.Add("gpu_platform_gpu_throttled", "1: its clocks are reduced for this reason")),
        links_(series.Add("gpu_platform_gpu_nvlinks", "NVLinks: active, and all")) {}

  void Set(GpuSeries& series, const Labels& labels, const v1::GpuReadings& seen) const {
    if (seen.has_age_seconds()) series.Set(age_, labels, seen.age_seconds());
    if (seen.has_memory_used_bytes())
      series.Set(memory_used_, labels, static_cast<double>(seen.memory_used_bytes()));
    if (seen.has_utilization_percent())
      series.Set(busy_, labels, seen.utilization_percent() / 100.0);
    if (seen.has_temperature_celsius())
      series.Set(temperature_, labels, seen.temperature_celsius());
    if (seen.has_power_watts()) series.Set(power_, labels, seen.power_watts());
    if (seen.has_power_limit_watts()) series.Set(power_limit_, labels, seen.power_limit_watts());
    SetErrors(series, labels, seen);
    for (const std::string& reason : seen.throttle_reasons())
      series.Set(throttled_, With(labels, "reason", reason), 1);
    if (seen.has_nvlinks_active())
      series.Set(links_, With(labels, "state", "active"), seen.nvlinks_active());
    if (seen.has_nvlinks_total())
      series.Set(links_, With(labels, "state", "all"), seen.nvlinks_total());
  }

 private:
  void SetErrors(GpuSeries& series, const Labels& labels, const v1::GpuReadings& seen) const {
    if (seen.has_ecc_corrected())
      series.Set(ecc_, With(labels, "kind", "corrected"),
                 static_cast<double>(seen.ecc_corrected()));
    if (seen.has_ecc_uncorrected())
      series.Set(ecc_, With(labels, "kind", "uncorrected"),
                 static_cast<double>(seen.ecc_uncorrected()));
    if (seen.has_row_remap_pending())
      series.Set(remap_, With(labels, "state", "pending"), seen.row_remap_pending() ? 1 : 0);
    if (seen.has_row_remap_failed())
      series.Set(remap_, With(labels, "state", "failed"), seen.row_remap_failed() ? 1 : 0);
  }

  int age_;
  int memory_used_;
  int busy_;
  int temperature_;
  int power_;
  int power_limit_;
  int ecc_;
  int remap_;
  int throttled_;
  int links_;
};

// The value of a GPU in a family; nullopt: the driver did not report it.
using DcgmValue = std::optional<double> (*)(const GpuSeries::One& gpu, const v1::GpuReadings& seen);

struct DcgmFamily {
  const char* name;
  const char* help;
  DcgmValue value;
  MetricType type = MetricType::kGauge;
};

std::optional<double> Reported(bool is_reported, double value) {
  return is_reported ? std::optional(value) : std::nullopt;
}

double UsedMib(const v1::GpuReadings& seen) {
  return static_cast<double>(seen.memory_used_bytes()) / kMib;
}

constexpr DcgmFamily kDcgmFamilies[] = {
    {"DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C)",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_temperature_celsius(), seen.temperature_celsius());
     }},
    {"DCGM_FI_DEV_POWER_USAGE", "Power draw (in W)",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_power_watts(), seen.power_watts());
     }},
    {"DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %)",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_utilization_percent(), seen.utilization_percent());
     }},
    {"DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB)",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_memory_used_bytes(), UsedMib(seen));
     }},
    {"DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB)",
     [](const GpuSeries::One& gpu, const v1::GpuReadings& seen) {
       const double free_mib = static_cast<double>(gpu.facts.memory_mib) - UsedMib(seen);
       return Reported(seen.has_memory_used_bytes(), std::max(free_mib, 0.0));
     }},
    {"DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered",
     [](const GpuSeries::One& gpu, const v1::GpuReadings&) {
       return Reported(true, gpu.now.last_xid);
     }},
    {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "Single-bit volatile ECC errors",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_ecc_corrected(), static_cast<double>(seen.ecc_corrected()));
     },
     kCounter},
    {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "Double-bit volatile ECC errors",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_ecc_uncorrected(), static_cast<double>(seen.ecc_uncorrected()));
     },
     kCounter},
    {"DCGM_FI_DEV_ROW_REMAP_FAILURE", "Whether remapping of rows has failed",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_row_remap_failed(), seen.row_remap_failed() ? 1 : 0);
     }},
    {"DCGM_FI_DEV_ROW_REMAP_PENDING", "Whether rows wait to be remapped",
     [](const GpuSeries::One&, const v1::GpuReadings& seen) {
       return Reported(seen.has_row_remap_pending(), seen.row_remap_pending() ? 1 : 0);
     }},
};

Labels DcgmLabels(const GpuSeries::One& gpu) {
  return {{"gpu", std::to_string(gpu.index)},
          {"UUID", gpu.facts.uuid},
          {"pci_bus_id", gpu.facts.pci_bus_id},
          {"device", "nvidia" + std::to_string(gpu.facts.minor)},
          {"modelName", gpu.facts.model},
          {"Hostname", gpu.node.facts->name},
          {"DCGM_FI_DRIVER_VERSION", gpu.node.facts->driver_version}};
}

}  // namespace

std::vector<MetricFamily> GpuGauges(const MetricsPicture& picture,
                                    const GpuReadingsOf& readings_of) {
  GpuSeries series;
  const GrantFamilies grants(series);
  const ReadingFamilies readings(series);
  series.ForEach(picture, readings_of, [&](const GpuSeries::One& gpu, const v1::GpuReadings* seen) {
    const Labels labels{{"node", gpu.node.facts->name}, {"gpu", std::to_string(gpu.index)}};
    grants.Set(series, labels, gpu);
    if (seen != nullptr) readings.Set(series, labels, *seen);
  });
  return series.Take();
}

std::vector<MetricFamily> DcgmGauges(const MetricsPicture& picture,
                                     const GpuReadingsOf& readings_of) {
  GpuSeries series;
  std::vector<std::pair<int, DcgmValue>> families;
  for (const DcgmFamily& family : kDcgmFamilies)
    families.emplace_back(series.Add(family.name, family.help, family.type), family.value);
  series.ForEach(picture, readings_of, [&](const GpuSeries::One& gpu, const v1::GpuReadings* seen) {
    const Labels labels = DcgmLabels(gpu);
    const v1::GpuReadings& reported = seen == nullptr ? v1::GpuReadings::default_instance() : *seen;
    for (const auto& [family, value_of] : families) {
      if (const auto value = value_of(gpu, reported)) series.Set(family, labels, *value);
    }
  });
  return series.Take();
}

}  // namespace gp
