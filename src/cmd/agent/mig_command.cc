// A process that the agent runs to divide one GPU, because the driver may block. Hidden.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/mig_division.h"
#include "adapters/outbound/nvml/nvml_driver.h"
#include "cmd/cli.h"

namespace gp {
namespace {

struct MigWords {
  std::string library = kNvmlLibraryName;
  std::string uuid;
  unsigned profile = 0;
  unsigned start = 0;
  std::vector<unsigned> stands;  // start and size of each
};

Result<MigDivision> OpenGpu(const MigWords& words) {
  return MigDivision::Open(GP_TRY(NvmlLibrary::Open(words.library)), words.uuid);
}

Status MakeInstance(const MigWords& words) {
  MigDivision gpu = GP_TRY(OpenGpu(words));
  const MadeInstance made = GP_TRY(gpu.Make(words.profile, words.start));
  std::printf("%s %u %u\n", made.uuid.c_str(), made.gpu_instance, made.compute_instance);
  return Ok();
}

std::vector<MigStand> StandsOf(const MigWords& words) {
  std::vector<MigStand> stands;
  for (size_t i = 0; i + 1 < words.stands.size(); i += 2)
    stands.push_back({words.stands[i], words.stands[i + 1]});
  return stands;
}

Status RemoveInstances(const MigWords& words) {
  MigDivision gpu = GP_TRY(OpenGpu(words));
  for (const MigStand& stand : StandsOf(words)) GP_CHECK_OK(gpu.Remove(stand));
  return Ok();
}

Status KeepInstances(const MigWords& words) {
  MigDivision gpu = GP_TRY(OpenGpu(words));
  return gpu.KeepOnly(StandsOf(words));
}

}  // namespace

void AddMig(CLI::App& app, Cli& cli) {
  CLI::App* mig = app.add_subcommand("__mig", "")->group("")->require_subcommand(1);
  auto words = std::make_shared<MigWords>();
  mig->add_option("--nvml", words->library, "NVML library to load");
  const auto add = [&](const char* name, Status (*run)(const MigWords&)) {
    CLI::App* command = mig->add_subcommand(name, "");
    command->add_option("uuid", words->uuid, "UUID of the GPU")->required();
    command->callback([words, run, &cli] {
      if (const Status done = run(*words); !done) cli.Complain(done.error());
    });
    return command;
  };
  CLI::App* make = add("make", MakeInstance);
  make->add_option("profile", words->profile, "NVML's id of the kind of instance")->required();
  make->add_option("start", words->start, "Its first memory slice")->required();
  add("remove", RemoveInstances)
      ->add_option("stands", words->stands, "Start and size of each")
      ->required();
  add("keep", KeepInstances)->add_option("stands", words->stands, "Start and size of each");
}

}  // namespace gp
