#include <fmt/format.h>

#include <cstdio>

#include "adapters/outbound/machine_file/machine_file.h"
#include "adapters/outbound/machine_file/write_machine_file.h"
#include "cmd/agent/machine_sources.h"
#include "cmd/cli.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

struct CaptureFlags {
  std::string file;
  std::string simulate;
  std::string nvml;
};

struct Captured {
  std::string text;
  size_t gpus = 0;
  std::vector<std::string> warnings;
};

Result<Captured> CaptureMachine(const CaptureFlags& flags) {
  const MachineSources sources = GP_TRY(
      flags.simulate.empty() ? OpenThisMachine(flags.nvml) : OpenSimulatedMachine(flags.simulate));
  const HostFacts host = GP_TRY(sources.host->Read());
  const DriverInventory inventory = GP_TRY(sources.driver->Inventory());
  const std::vector<GpuHealth> health = GP_TRY(sources.driver->Health());
  if (inventory.gpus.empty()) return Fail(NotFound("the driver knows of no GPU on this machine"));
  Captured captured{WriteMachineFile(host, inventory, health), inventory.gpus.size(),
                    host.warnings};
  captured.warnings.insert(captured.warnings.end(), inventory.warnings.begin(),
                           inventory.warnings.end());
  // A file that cannot be parsed again is useless.
  GP_TRY(ParseMachineFile(captured.text, "the captured machine"));
  return captured;
}

void Capture(const CaptureFlags& flags, Cli& cli) {
  const auto captured = CaptureMachine(flags);
  if (!captured) return cli.Complain(captured.error().Within("nothing captured"));
  for (const std::string& warning : captured->warnings) cli.Say("warning: " + warning);
  if (flags.file.empty() || flags.file == "-") {
    std::fputs(captured->text.c_str(), stdout);
    return;
  }
  const Status written = WriteTextFile(flags.file, captured->text, 0644);
  if (!written) return cli.Complain(written.error().Within(flags.file));
  const std::string name =
      flags.file.find('/') == std::string::npos ? "./" + flags.file : flags.file;
  cli.Say(fmt::format("{} GPU{} written; to simulate it: gpu-platform serve --simulate {}",
                      captured->gpus, captured->gpus == 1 ? "" : "s", name));
}

}  // namespace

void AddCapture(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "capture", "Capture this machine's hardware in a machine file, to simulate it elsewhere");
  auto flags = std::make_shared<CaptureFlags>();
  sub->add_option("file", flags->file, "Output file; default: standard output");
  sub->add_option("--simulate", flags->simulate,
                  "Capture a simulated machine: a name (dgx-h100) or a machine file")
      ->type_name("MACHINE");
  sub->add_option("--nvml", flags->nvml, "NVML library to load")->type_name("FILE");
  sub->callback([flags, &cli] { Capture(*flags, cli); });
}

}  // namespace gp
