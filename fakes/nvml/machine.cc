#include "fakes/nvml/machine.h"

#include <cstdio>

#include "base/digest.h"
#include "fakes/nvml/machine_yaml.h"

namespace gp {
namespace {

// Replaces digits but keeps length and leading zeros, so that the result looks like a serial
// number.
std::string DerivedSerial(const std::string& from, unsigned salt) {
  std::string serial = from;
  uint64_t digest = Digest64(from, salt);
  for (char& c : serial) {
    if (c < '0' || c > '9') continue;
    c = static_cast<char>('0' + digest % 10);
    digest = digest / 10 + digest * 0x9e3779b97f4a7c15ull;
  }
  return serial;
}

void MoveToNode(Machine* machine, int node) {
  machine->hostname += "-" + std::to_string(node);
  for (MachineGpu& gpu : machine->gpus) {
    const unsigned salt = static_cast<unsigned>(node);
    gpu.minor += node * kMinorsPerNode;
    gpu.uuid = "GPU-" + DerivedUuid(gpu.uuid, salt);
    if (!gpu.serial.empty()) gpu.serial = DerivedSerial(gpu.serial, salt);
  }
}

}  // namespace

Result<Machine> LoadMachine(const std::string& path, int node) {
  Machine machine = GP_TRY(ReadMachineYaml(path));
  if (node > 0) MoveToNode(&machine, node);
  return machine;
}

std::optional<PciPlace> ParsePciPlace(const std::string& text) {
  PciPlace place;
  unsigned function = 0;
  int used = 0;
  const int size = static_cast<int>(text.size());
  const char* s = text.c_str();
  if (std::sscanf(s, "%8x:%2x:%2x.%1x%n", &place.domain, &place.bus, &place.device, &function,
                  &used) == 4 &&
      used == size) {
    return place;
  }
  place.domain = 0;
  if (std::sscanf(s, "%2x:%2x.%1x%n", &place.bus, &place.device, &function, &used) == 3 &&
      used == size) {
    return place;
  }
  return std::nullopt;
}

std::string PciBusId(const PciPlace& place) {
  char text[32];
  std::snprintf(text, sizeof text, "%08X:%02X:%02X.0", place.domain, place.bus, place.device);
  return text;
}

std::string PciBusIdLegacy(const PciPlace& place) {
  char text[32];
  std::snprintf(text, sizeof text, "%04X:%02X:%02X.0", place.domain & 0xffffu, place.bus,
                place.device);
  return text;
}

std::string DerivedUuid(const std::string& from, unsigned salt) {
  const uint64_t high = Digest64(from, 2ull * salt + 1);
  const uint64_t low = Digest64(from, 2ull * salt + 2);
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(high >> 32),
                static_cast<unsigned>(high >> 16 & 0xffff), static_cast<unsigned>(high & 0xffff),
                static_cast<unsigned>(low >> 48),
                static_cast<unsigned long long>(low & 0xffffffffffffull));
  return text;
}

}  // namespace gp
