#include "fakes/nvml/kernel_line.h"

#include <cstdio>

#include "fakes/nvml/commands.h"

namespace gp {
namespace {

std::string TwoDigits(const char* label, std::optional<unsigned> id) {
  if (!id) return "";
  char text[32];
  std::snprintf(text, sizeof text, " %s:%02u", label, *id);
  return text;
}

}  // namespace

std::string KernelLine(const MachineGpu& gpu, const FakeCommand& xid) {
  constexpr size_t kNameLength = 15;  // of a process, in the kernel
  const CommandArguments arguments(xid);
  char place[32];
  std::snprintf(place, sizeof place, "%04x:%02x:%02x", gpu.pci.domain, gpu.pci.bus, gpu.pci.device);
  std::string line =
      std::string("NVRM: Xid (PCI:") + place + TwoDigits("GPU-I", arguments.Instance("gi")) +
      TwoDigits("GPU-CI", arguments.Instance("ci")) + "): " + arguments.Text("code") + ", ";
  if (arguments.Has("pid")) {
    line += "pid=" + arguments.Text("pid") +
            ", name=" + arguments.Text("name", "python3").substr(0, kNameLength) + ", ";
  }
  return line + arguments.Text("text", "made by the fake driver");
}

}  // namespace gp
