#include "adapters/outbound/machine_file/machine_file_topology.h"

#include "adapters/outbound/machine_file/machine_file.h"

namespace gp {

Result<std::unique_ptr<MachineFileTopology>> MachineFileTopology::Open(const std::string& path) {
  MachineFile machine = GP_TRY(ReadMachineFile(path));
  return std::unique_ptr<MachineFileTopology>(new MachineFileTopology(std::move(machine.host)));
}

}  // namespace gp
