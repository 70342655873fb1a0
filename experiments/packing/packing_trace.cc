#include "experiments/packing/packing_trace.h"

#include "adapters/inbound/trace/csv_table.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kCpuMilliMax = 100'000'000;
constexpr int64_t kMemoryMibMax = int64_t{1} << 40;
constexpr size_t kModelsMax = 32;  // bits of Shape::models

using Models = std::map<std::string, int>;

Result<Bin> ReadBin(const CsvTable& nodes, size_t row, Models& models) {
  Bin bin;
  bin.cpu_milli = GP_TRY(nodes.Number(row, "cpu_milli", 0, kCpuMilliMax));
  bin.memory_mib = GP_TRY(nodes.Number(row, "memory_mib", 0, kMemoryMibMax));
  bin.gpus = static_cast<int>(GP_TRY(nodes.Number(row, "gpu", 0, kBinGpusMax)));
  for (int i = 0; i < bin.gpus; ++i) bin.free[static_cast<size_t>(i)] = kWholeGpu;
  if (!nodes.Has("model")) return bin;
  bin.model = models.emplace(nodes.Text(row, "model"), models.size()).first->second;
  if (models.size() > kModelsMax)
    return Fail(nodes.At(row, "model", "more than 32 different models"));
  return bin;
}

// Models that no node has are ignored; a tenant that requests only such models is an error.
Result<uint32_t> ReadModels(const CsvTable& tenants, size_t row, const Models& models) {
  const std::string& text = tenants.Text(row, "gpu_spec");
  if (text.empty()) return uint32_t{0};
  uint32_t mask = 0;
  for (const std::string& name : Split(text, '|')) {
    const auto found = models.find(name);
    if (found != models.end()) mask |= uint32_t{1} << found->second;
  }
  if (mask == 0)
    return Fail(tenants.At(row, "gpu_spec", "no node has any of \"" + Printable(text, 60) + "\""));
  return mask;
}

Result<Shape> ReadShape(const CsvTable& tenants, size_t row, const Models& models) {
  Shape shape;
  shape.cpu_milli = GP_TRY(tenants.Number(row, "cpu_milli", 0, kCpuMilliMax));
  shape.memory_mib = GP_TRY(tenants.Number(row, "memory_mib", 0, kMemoryMibMax));
  shape.gpus = static_cast<int>(GP_TRY(tenants.Number(row, "num_gpu", 0, kBinGpusMax)));
  if (shape.gpus == 0) return shape;
  shape.share = static_cast<int>(GP_TRY(tenants.Number(row, "gpu_milli", 1, kWholeGpu)));
  if (shape.gpus > 1 && shape.share < kWholeGpu) {
    return Fail(tenants.At(row, "gpu_milli", "parts of several GPUs cannot be requested"));
  }
  if (tenants.Has("gpu_spec")) shape.models = GP_TRY(ReadModels(tenants, row, models));
  return shape;
}

}  // namespace

Result<PackingWorkload> ReadPackingWorkload(const std::string& nodes_path,
                                            const std::string& tenants_path) {
  const CsvTable nodes = GP_TRY(CsvTable::Read(nodes_path));
  const CsvTable tenants = GP_TRY(CsvTable::Read(tenants_path));
  if (nodes.rows() == 0) return Fail(InvalidArgument(nodes_path + ": lists no node"));
  if (tenants.rows() == 0) return Fail(InvalidArgument(tenants_path + ": lists no tenant"));
  PackingWorkload workload;
  Models models;
  for (size_t row = 0; row < nodes.rows(); ++row)
    workload.bins.push_back(GP_TRY(ReadBin(nodes, row, models)));
  for (size_t row = 0; row < tenants.rows(); ++row) {
    workload.shapes.push_back(GP_TRY(ReadShape(tenants, row, models)));
  }
  return workload;
}

}  // namespace gp
