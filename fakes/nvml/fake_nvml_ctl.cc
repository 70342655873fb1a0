// Appends one command to the control file of running fake drivers, after checking it against the
// machine and its current state.  docs/how-to/fake_driver.md lists the commands.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "fakes/nvml/commands.h"
#include "fakes/nvml/kernel_line.h"
#include "fakes/nvml/world.h"

namespace gp {
namespace {

constexpr const char* kUsage =
    "usage: fake-nvml-ctl [--machine FILE] [--node N] [--control FILE] [--kmsg FILE] COMMAND "
    "[key=value ...]\n"
    "  The fake's environment variables are the defaults: GPU_PLATFORM_FAKE_NVML_MACHINE, _NODE,\n"
    "  _CONTROL.  gpu=all, or no gpu=, means every GPU.  --kmsg also writes an XID as a kernel "
    "line.\n"
    "commands:\n";

struct Invocation {
  std::string machine, control, kmsg;
  int node = 0;
  FakeCommand command;
};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void PrintUsage() {
  std::fputs(kUsage, stderr);
  for (const auto rows : {FaultCommands(), ReadingCommands(), MigCommands()}) {
    for (const CommandRow& row : rows) {
      std::fprintf(stderr, "  %s", std::string(row.verb).c_str());
      for (std::string_view key : row.needs) std::fprintf(stderr, " %s=", key.data());
      for (std::string_view key : row.allows) std::fprintf(stderr, " [%s=]", key.data());
      std::fputc('\n', stderr);
    }
  }
}

Result<Invocation> Parse(const std::vector<std::string>& words) {
  Invocation invocation;
  invocation.machine = Environment("GPU_PLATFORM_FAKE_NVML_MACHINE");
  invocation.control = Environment("GPU_PLATFORM_FAKE_NVML_CONTROL");
  invocation.node = std::atoi(Environment("GPU_PLATFORM_FAKE_NVML_NODE").c_str());
  invocation.command.time_ns = RealTimeNs();
  size_t i = 0;
  for (; i + 1 < words.size() && words[i].starts_with("--"); i += 2) {
    if (words[i] == "--machine") {
      invocation.machine = words[i + 1];
    } else if (words[i] == "--control") {
      invocation.control = words[i + 1];
    } else if (words[i] == "--node") {
      invocation.node = std::atoi(words[i + 1].c_str());
    } else if (words[i] == "--kmsg") {
      invocation.kmsg = words[i + 1];
    } else {
      return Fail(InvalidArgument("unknown option " + words[i]));
    }
  }
  if (i >= words.size()) return Fail(InvalidArgument("a command is missing"));
  invocation.command.verb = words[i++];
  for (; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) return Fail(InvalidArgument(words[i] + " is not key=value"));
    invocation.command.arguments[words[i].substr(0, equals)] = words[i].substr(equals + 1);
  }
  if (invocation.machine.empty() || invocation.control.empty()) {
    return Fail(InvalidArgument("--machine and --control (or their variables) are required"));
  }
  return invocation;
}

Status TellKernelLog(const std::string& path, const std::string& line) {
  std::ofstream log(path, std::ios::app);
  log << line << '\n' << std::flush;
  return log.good() ? Ok() : Status(Fail(Unavailable(path + ": cannot be written")));
}

Status Run(const Invocation& invocation) {
  FakeWorld world = MakeFakeWorld(GP_TRY(LoadMachine(invocation.machine, invocation.node)));
  FakeJournal journal(invocation.control);
  Status appended = Ok();
  GP_CHECK_OK(journal.Locked([&] {
    for (const std::string& line : journal.News()) {
      const auto earlier = ParseFakeCommand(line, 0);
      if (earlier && CheckCommand(world, *earlier)) ApplyCommand(*earlier, &world);
    }
    appended = CheckCommand(world, invocation.command);
    if (appended) appended = journal.Append(FormatFakeCommand(invocation.command));
  }));
  GP_CHECK_OK(appended);
  if (invocation.command.verb != "xid") return Ok();
  // For all GPUs, the line names the first one.
  const int gpu = FindGpu(world, CommandArguments(invocation.command).Text("gpu")).value_or(0);
  const std::string line =
      KernelLine(world.machine.gpus[static_cast<size_t>(gpu)], invocation.command);
  std::puts(line.c_str());
  return invocation.kmsg.empty() ? Ok() : TellKernelLog(invocation.kmsg, line);
}

int Main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] == "help" || words[0] == "--help") {
    PrintUsage();
    return words.empty() ? 2 : 0;
  }
  const Result<Invocation> invocation = Parse(words);
  const Status status = invocation ? Run(*invocation) : Status(Fail(invocation.error()));
  if (status) return 0;
  std::fprintf(stderr, "fake-nvml-ctl: %s\n", status.error().message.c_str());
  return status.error().code == ErrorCode::kInvalidArgument ? 2 : 1;
}

}  // namespace
}  // namespace gp

int main(int argc, char** argv) { return gp::Main(argc, argv); }
