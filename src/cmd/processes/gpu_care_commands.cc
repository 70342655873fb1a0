// Processes that the agent runs to care for one GPU: the built-in test, and the reset of a
// simulated GPU. Hidden.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/nvml_driver.h"
#include "application/agent/observe.h"
#include "cmd/cli.h"
#include "domain/faults/health.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

// A GPU needs some time to come back after a reset.
constexpr int kCareTries = 100;
constexpr int kTryMs = 200;
constexpr int kCoolMargin = 5;

// The problem of the GPU; empty: none.
std::string Complaint(const GpuHealth& health, const GpuIdentity& identity) {
  for (const HealthFinding& finding : Examine(ToVitals(health))) {
    if (DefaultHealthTable().at(finding.code) > HealthAction::kNoLinkedWork) return ToText(finding);
  }
  if (health.temperature_c && identity.temperature_slowdown_c &&
      *health.temperature_c > *identity.temperature_slowdown_c - kCoolMargin) {
    return std::to_string(*health.temperature_c) + " degrees, slows down at " +
           std::to_string(*identity.temperature_slowdown_c);
  }
  if (!health.processes.empty())
    return "process " + std::to_string(health.processes.front().pid) + " still uses it";
  return "";
}

std::string TestOnce(const std::string& library, const std::string& uuid) {
  auto driver = NvmlDriver::Open(library.empty() ? kNvmlLibraryName : library);
  if (!driver) return driver.error().message;
  const auto identity = (*driver)->IdentityOf(uuid);
  if (!identity) return identity.error().message;
  const auto health = (*driver)->HealthOf(uuid);
  if (!health) return health.error().message;
  if (health->uuid != uuid) return "the driver answers for another GPU: " + health->uuid;
  return Complaint(*health, *identity);
}

void TestGpu(const std::string& library, const std::string& program, const std::string& uuid,
             Cli& cli) {
  std::string complaint;
  for (int tries = 0; tries < kCareTries; ++tries) {
    complaint = TestOnce(library, uuid);
    if (complaint.empty()) break;
    poll(nullptr, 0, kTryMs);
  }
  if (complaint.empty() && !program.empty()) {
    // It ends when this test is ended
    const CommandEnd end = RunCommand(
        {program, uuid}, {.time_limit = Duration::Minutes(10), .group = CommandGroup::kOurs});
    if (!end.ok) complaint = program + ": " + end.output;
  }
  std::printf("%s\n", complaint.empty() ? "sound" : complaint.c_str());
  if (!complaint.empty()) cli.exit_code = kExitUnhealthy;
}

void ResetSimulated(const std::string& control, const std::string& uuid, Cli& cli) {
  const int file = open(control.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const std::string line = "reset gpu=" + uuid + "\n";
  const bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) cli.Complain(Internal(control + ": " + std::strerror(errno)));
  if (file >= 0) close(file);
}

}  // namespace

void AddGpuCare(CLI::App& app, Cli& cli) {
  CLI::App* test = app.add_subcommand("__test-gpu", "")->group("");
  auto library = std::make_shared<std::string>();
  auto program = std::make_shared<std::string>();
  auto uuid = std::make_shared<std::string>();
  test->add_option("--nvml", *library, "NVML library to load");
  test->add_option("--program", *program, "Another test, called with the UUID");
  test->add_option("uuid", *uuid, "UUID of the GPU")->required();
  test->callback([library, program, uuid, &cli] { TestGpu(*library, *program, *uuid, cli); });
  CLI::App* reset = app.add_subcommand("__reset-simulated-gpu", "")->group("");
  auto control = std::make_shared<std::string>();
  reset->add_option("control", *control, "Control file of the simulated driver")->required();
  reset->add_option("uuid", *uuid, "UUID of the GPU")->required();
  reset->callback([control, uuid, &cli] { ResetSimulated(*control, *uuid, cli); });
}

}  // namespace gp
