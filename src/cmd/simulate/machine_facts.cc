#include "cmd/simulate/machine_facts.h"

#include "application/agent/node_facts.h"
#include "domain/model/nodes/features.h"
#include "infrastructure/paths.h"

namespace gp {

Result<NamedMachine> ReadMachine(const std::string& name) {
  const std::string path = GP_TRY(MachineFilePath(name));
  NamedMachine machine{GP_TRY(ReadMachineFile(path)), {}};
  machine.facts =
      MakeNodeFacts(machine.file.host.hostname, true, machine.file.host, machine.file.inventory)
          .facts;
  machine.facts.features = AllFeatures();
  if (const Status valid = ValidateNodeFacts(machine.facts); !valid)
    return Fail(InvalidArgument(path + ": " + valid.error().message));
  return machine;
}

}  // namespace gp
