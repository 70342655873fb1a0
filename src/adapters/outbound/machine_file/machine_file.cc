#include "adapters/outbound/machine_file/machine_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "adapters/outbound/machine_file/gpu_entry.h"
#include "adapters/outbound/machine_file/nvlinks.h"

namespace gp {
namespace {

constexpr char kVersion[] = "gpu-platform/v1";

NumaNode ReadNumaNode(YamlSection* section) {
  NumaNode node;
  node.id = static_cast<int>(section->Count("id").value_or(0));
  node.package = static_cast<int>(section->Count("package").value_or(0));
  node.memory_mib = section->Count("memory_mib").value_or(0);
  const Result<CpuSet> cpus = CpuSet::Parse(section->Text("cpus").value_or(""));
  if (cpus) {
    node.cpus = *cpus;
  } else {
    section->Refuse("cpus", "must be a list such as \"0-3,8\": " + cpus.error().message);
  }
  section->Done();
  return node;
}

void ReadHost(YamlSection* top, HostFacts* host) {
  host->hostname = top->Text("hostname").value_or("");
  host->packages = static_cast<int>(top->Count("packages").value_or(1));
  for (YamlSection& section : top->Maps("numa")) {
    NumaNode node = ReadNumaNode(&section);
    for (const NumaNode& other : host->numa_nodes) {
      if (other.id == node.id) section.Refuse("id", "is used twice: " + std::to_string(node.id));
      if (other.cpus.Intersects(node.cpus)) section.Refuse("cpus", "are partly another node's");
    }
    host->cpus = host->cpus.Union(node.cpus);
    host->memory_mib += node.memory_mib;
    host->numa_nodes.push_back(std::move(node));
  }
  if (host->numa_nodes.empty()) top->Refuse("numa", "must name at least one node");
  if (const std::optional<int64_t> memory = top->Count("memory_mib")) host->memory_mib = *memory;
  std::ranges::sort(host->numa_nodes, {}, &NumaNode::id);
}

void ReadGpus(YamlSection* top, MachineFile* machine) {
  GpuEntry defaults;
  YamlSection model = top->Map("gpu_defaults");
  ReadGpuModel(&model, &defaults);
  model.Done();
  std::set<std::string> uuids;
  for (YamlSection& section : top->Maps("gpus")) {
    const int index = static_cast<int>(machine->inventory.gpus.size());
    GpuEntry gpu = ReadGpuEntry(&section, defaults, index);
    if (!uuids.insert(gpu.identity.uuid).second) section.Refuse("uuid", "is another GPU's too");
    const auto has_id = [&](const NumaNode& node) { return node.id == gpu.place.numa_node; };
    if (gpu.place.numa_node && std::ranges::none_of(machine->host.numa_nodes, has_id)) {
      section.Refuse("numa", "is no node of this machine");
    }
    machine->buses.push_back(gpu.buses);
    machine->host.gpus.push_back(std::move(gpu.place));
    machine->inventory.gpus.push_back(std::move(gpu.identity));
  }
  std::ranges::sort(machine->host.gpus, {}, &PciGpu::pci_bus_id);
}

MachineFile ReadDocument(YamlSection* top) {
  MachineFile machine;
  if (top->Text("machine") != kVersion) {
    top->Refuse("machine", std::string("must be ") + kVersion);
    return machine;
  }
  YamlSection driver = top->Map("driver");
  machine.inventory.driver_version = driver.Text("version").value_or("");
  machine.inventory.cuda_version = driver.Text("cuda").value_or("");
  driver.Done();
  ReadHost(top, &machine.host);
  ReadGpus(top, &machine);
  const int gpu_count = static_cast<int>(machine.inventory.gpus.size());
  machine.inventory.links = ReadNvlinks(top->Map("nvlinks"), gpu_count);
  top->Done();
  return machine;
}

}  // namespace

Result<MachineFile> ParseMachineFile(const std::string& yaml, const std::string& file) {
  YamlFindings findings(file);
  try {
    YamlSection top(YAML::Load(yaml), "the machine", &findings);
    MachineFile machine = ReadDocument(&top);
    GP_CHECK_OK(findings.ToStatus());
    return machine;
  } catch (const YAML::Exception& error) {
    findings.Add(error.mark, error.msg);
    return Fail(findings.ToStatus().error());
  }
}

Result<MachineFile> ReadMachineFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(NotFound(path + ": cannot open this machine file"));
  return ParseMachineFile(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

}  // namespace gp
