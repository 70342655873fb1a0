#include "fakes/nvml/machine_yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <stdexcept>

#include "fakes/nvml/mig_tables.h"

namespace gp {
namespace {

// Thrown inside this file only: the position in the document and the error.
[[noreturn]] void Refuse(const YAML::Node& node, const std::string& what) {
  const YAML::Mark mark = node.Mark();
  const std::string line = mark.is_null() ? "" : "line " + std::to_string(mark.line + 1) + ": ";
  throw std::runtime_error(line + what);
}

// A map whose keys must all be read; Done() refuses the rest.
class Section {
 public:
  Section(YAML::Node node, std::string name) : node_(std::move(node)), name_(std::move(name)) {
    if (node_.IsDefined() && !node_.IsMap()) Refuse(node_, name_ + " must be a map");
  }

  YAML::Node Child(const std::string& key) {
    asked_.insert(key);
    const YAML::Node& node = node_;  // reading a constant node adds no key
    if (!node.IsDefined() || !node[key].IsDefined()) return YAML::Node(YAML::NodeType::Undefined);
    return node[key];
  }
  Section Map(const std::string& key) { return Section(Child(key), name_ + "." + key); }

  template <typename T>
  void Read(const std::string& key, T* value) {
    const YAML::Node child = Child(key);
    if (!child.IsDefined() || child.IsNull()) return;
    try {
      *value = child.as<T>();
    } catch (const YAML::Exception&) {
      Refuse(child, name_ + "." + key + " has a value of the wrong kind");
    }
  }
  void Read(const std::string& key, std::optional<int>* value) {
    int number = 0;
    const YAML::Node child = Child(key);
    if (!child.IsDefined() || child.IsNull()) return;
    Read(key, &number);
    *value = number;
  }
  std::string Text(const std::string& key) {
    std::string text;
    Read(key, &text);
    return text;
  }

  void Done() const {
    if (!node_.IsDefined()) return;
    for (const auto& entry : node_) {
      const std::string key = entry.first.as<std::string>();
      if (!asked_.contains(key)) Refuse(entry.first, name_ + " has no key '" + key + "'");
    }
  }

  const YAML::Node& node() const { return node_; }
  const std::string& name() const { return name_; }

 private:
  YAML::Node node_;
  std::string name_;
  std::set<std::string> asked_;
};

PciPlace Place(Section* section, const std::string& key) {
  const std::string text = section->Text(key);
  const std::optional<PciPlace> place = ParsePciPlace(text);
  if (!place) {
    Refuse(section->node(), section->name() + "." + key + " '" + text +
                                "' is not a PCI address such as \"0000:53:00.0\"");
  }
  return *place;
}

// "10de:2330" -> 0x233010de, as PCI configuration space holds it.
unsigned PciId(Section* section, const std::string& key) {
  const std::string text = section->Text(key);
  if (text.empty()) return 0;
  unsigned vendor = 0, device = 0;
  if (std::sscanf(text.c_str(), "%4x:%4x", &vendor, &device) != 2) {
    Refuse(section->node(), section->name() + "." + key + " '" + text + "' is not vendor:device");
  }
  return device << 16 | vendor;
}

void ReadMemory(Section section, MachineGpu* gpu) {
  section.Read("total", &gpu->memory_total_mib);
  section.Read("reserved", &gpu->memory_reserved_mib);
  section.Read("bar1", &gpu->memory_bar1_mib);
  section.Done();
}

void ReadPower(Section section, MachineGpu* gpu) {
  section.Read("idle", &gpu->power_idle);
  section.Read("limit", &gpu->power_limit);
  section.Read("min", &gpu->power_min);
  section.Read("max", &gpu->power_max);
  section.Done();
}

void ReadTemperature(Section section, MachineGpu* gpu) {
  section.Read("idle", &gpu->temperature);
  section.Read("memory", &gpu->temperature_memory);
  section.Read("slowdown", &gpu->slowdown);
  section.Read("shutdown", &gpu->shutdown);
  section.Read("gpu_max", &gpu->gpu_max);
  section.Read("memory_max", &gpu->memory_max);
  section.Read("margin_zero", &gpu->temperature_zero);
  section.Done();
}

void ReadClocks(Section section, MachineGpu* gpu) {
  section.Read("sm", &gpu->sm);
  section.Read("memory", &gpu->memory);
  section.Read("video", &gpu->video);
  section.Read("sm_max", &gpu->sm_max);
  section.Read("memory_max", &gpu->memory_max_clock);
  section.Read("video_max", &gpu->video_max);
  section.Done();
}

void ReadComputeCapability(Section* section, MachineGpu* gpu) {
  const std::string text = section->Text("compute_capability");
  if (text.empty()) return;
  if (std::sscanf(text.c_str(), "%d.%d", &gpu->compute_major, &gpu->compute_minor) != 2) {
    Refuse(section->node(), section->name() + ".compute_capability must be like \"9.0\"");
  }
}

void ReadConnections(Section* section, MachineGpu* gpu) {
  Section pcie = section->Map("pcie");
  pcie.Read("generation", &gpu->pcie_generation);
  pcie.Read("width", &gpu->pcie_width);
  pcie.Done();
  Section nvlink = section->Map("nvlink");
  nvlink.Read("version", &gpu->nvlink_version);
  nvlink.Read("mb_per_second", &gpu->nvlink_mb_per_second);
  nvlink.Done();
}

// Keys that gpu_defaults and a GPU's own entry share.
void ReadModel(Section* section, MachineGpu* gpu) {
  section->Read("name", &gpu->name);
  section->Read("brand", &gpu->brand);
  section->Read("architecture", &gpu->architecture);
  section->Read("vbios", &gpu->vbios);
  section->Read("part_number", &gpu->part_number);
  section->Read("inforom", &gpu->inforom);
  section->Read("mig", &gpu->mig);
  section->Read("cores", &gpu->cores);
  section->Read("ecc", &gpu->ecc);
  section->Read("remap_banks", &gpu->remap_banks);
  section->Read("fans", &gpu->fans);
  section->Read("fabric", &gpu->fabric);
  if (section->Child("pci_id").IsDefined()) gpu->pci_id = PciId(section, "pci_id");
  if (section->Child("pci_subsystem").IsDefined()) {
    gpu->pci_subsystem = PciId(section, "pci_subsystem");
  }
  ReadComputeCapability(section, gpu);
  ReadMemory(section->Map("memory_mib"), gpu);
  ReadPower(section->Map("power_watts"), gpu);
  ReadTemperature(section->Map("temperature_c"), gpu);
  ReadClocks(section->Map("clocks_mhz"), gpu);
  ReadConnections(section, gpu);
}

MachineGpu ReadGpu(const YAML::Node& node, const MachineGpu& defaults, size_t index) {
  MachineGpu gpu = defaults;
  Section section(node, "gpus[" + std::to_string(index) + "]");
  ReadModel(&section, &gpu);
  gpu.uuid = section.Text("uuid");
  gpu.serial = section.Text("serial");
  gpu.minor = static_cast<int>(index);
  section.Read("minor", &gpu.minor);
  section.Read("module", &gpu.module);
  section.Read("numa", &gpu.numa);
  gpu.root = section.Text("root");
  gpu.pci_switch = section.Text("switch");
  gpu.pci = Place(&section, "bus_id");
  section.Done();
  if (!gpu.uuid.starts_with("GPU-")) Refuse(node, section.name() + ".uuid must start with GPU-");
  if (gpu.memory_total_mib <= 0) Refuse(node, section.name() + ".memory_mib.total is missing");
  if (!gpu.mig.empty() && FindMigTable(gpu.mig) == nullptr) {
    Refuse(node, section.name() + ".mig '" + gpu.mig + "' is not a known placement table");
  }
  return gpu;
}

MachineNuma ReadNuma(const YAML::Node& node, size_t index) {
  MachineNuma numa;
  Section section(node, "numa[" + std::to_string(index) + "]");
  section.Read("id", &numa.id);
  section.Read("package", &numa.package);
  section.Read("memory_mib", &numa.memory_mib);
  const std::string cpus = section.Text("cpus");
  section.Done();
  Result<CpuSet> set = CpuSet::Parse(cpus);
  if (!set) Refuse(node, section.name() + ".cpus '" + cpus + "' is not a list such as \"0-3,8\"");
  numa.cpus = *set;
  return numa;
}

void AddPairLinks(const YAML::Node& node, Machine* machine) {
  Section section(node, "nvlinks.pairs[]");
  std::vector<size_t> gpus;
  int links = 1;
  section.Read("gpus", &gpus);
  section.Read("links", &links);
  section.Done();
  if (gpus.size() != 2 || std::ranges::max(gpus) >= machine->gpus.size() || gpus[0] == gpus[1]) {
    Refuse(node, "nvlinks.pairs[].gpus must be two different GPU indices");
  }
  MachineGpu& a = machine->gpus[gpus[0]];
  MachineGpu& b = machine->gpus[gpus[1]];
  for (int i = 0; i < links; ++i) {
    a.links.push_back({b.pci, false});
    b.links.push_back({a.pci, false});
  }
}

// Link i of each of `gpus` ends at switch i, round robin.
void AddSwitchLinks(const YAML::Node& where, const std::vector<int>& gpus,
                    const std::vector<std::string>& switches, int links, Machine* machine) {
  if (switches.empty()) Refuse(where, "nvlinks.all needs switches");
  for (const int index : gpus) {
    if (index < 0 || index >= static_cast<int>(machine->gpus.size())) {
      Refuse(where, "nvlinks names GPU " + std::to_string(index) + ", which does not exist");
    }
    for (int i = 0; i < links; ++i) {
      const auto place = ParsePciPlace(switches[static_cast<size_t>(i) % switches.size()]);
      if (!place) Refuse(where, "nvlinks.switches must contain only PCI addresses");
      machine->gpus[static_cast<size_t>(index)].links.push_back({*place, true});
    }
  }
}

void AddBoardLinks(const YAML::Node& node, int links, Machine* machine) {
  Section board(node, "nvlinks.boards[]");
  std::vector<std::string> switches;
  board.Read("switches", &switches);
  const Result<CpuSet> gpus = CpuSet::Parse(board.Text("gpus"));
  board.Done();
  if (!gpus) Refuse(node, "nvlinks.boards[].gpus is not a list such as \"0-7\"");
  AddSwitchLinks(node, gpus->Members(), switches, links, machine);
}

void ReadLinks(Section section, Machine* machine) {
  int all = 0;
  section.Read("all", &all);
  std::vector<std::string> switches;
  section.Read("switches", &switches);
  const YAML::Node boards = section.Child("boards");
  for (const YAML::Node& pair : section.Child("pairs")) AddPairLinks(pair, machine);
  section.Done();
  for (const YAML::Node& board : boards) AddBoardLinks(board, all, machine);
  if (all == 0 || boards.IsDefined()) return;
  std::vector<int> everyone(machine->gpus.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  AddSwitchLinks(section.node(), everyone, switches, all, machine);
}

Machine ReadDocument(const YAML::Node& document) {
  Machine machine;
  Section top(document, "machine file");
  if (top.Text("machine") != "gpu-platform/v1") {
    Refuse(document, "the first key must be `machine: gpu-platform/v1`");
  }
  int64_t memory_mib = 0;  // of the host; for readers other than a GPU driver
  machine.hostname = top.Text("hostname");
  top.Read("memory_mib", &memory_mib);
  top.Read("packages", &machine.packages);
  Section driver = top.Map("driver");
  machine.driver_version = driver.Text("version");
  machine.cuda_version = driver.Text("cuda");
  driver.Done();
  const YAML::Node numa = top.Child("numa");
  for (size_t i = 0; i < numa.size(); ++i) machine.numa.push_back(ReadNuma(numa[i], i));
  MachineGpu defaults;
  Section model = top.Map("gpu_defaults");
  ReadModel(&model, &defaults);
  model.Done();
  const YAML::Node gpus = top.Child("gpus");
  for (size_t i = 0; i < gpus.size(); ++i) machine.gpus.push_back(ReadGpu(gpus[i], defaults, i));
  ReadLinks(top.Map("nvlinks"), &machine);
  top.Done();
  return machine;
}

}  // namespace

Result<Machine> ReadMachineYaml(const std::string& path) {
  try {
    return ReadDocument(YAML::LoadFile(path));
  } catch (const YAML::BadFile&) {
    return Fail({ErrorCode::kNotFound, path + ": cannot be read"});
  } catch (const std::exception& error) {
    return Fail({ErrorCode::kInvalidArgument, path + ": " + error.what()});
  }
}

}  // namespace gp
