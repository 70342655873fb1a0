#pragma once

#include <google/protobuf/message.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "adapters/outbound/grpc/control_client.h"
#include "base/result.h"
#include "cmd/output.h"

namespace gp {

// What every subcommand works with: the global flags, the controller, and the printing of results.
class Cli : public Output {
 public:
  // Socket directory of the controller, or its address, or a list of addresses; empty: that of the
  // login, or this machine's
  std::string server;
  bool has_separator = false;  // the command line contains "--"

  // Global flags that most subcommands take.
  void AddTo(CLI::App& app);

  Result<ControlClient*> Controller();

  using Output::PrintDocument;
  // Prints the document and returns true if the output is a document.
  bool PrintDocument(const google::protobuf::Message& message) const;

 private:
  std::unique_ptr<ControlClient> client_;
};

// The subcommands, one function per file or group; each adds itself to the tree.
void AddServe(CLI::App& app, Cli& cli);
void AddAgent(CLI::App& app, Cli& cli);
void AddRun(CLI::App& app, Cli& cli);
void AddJobs(CLI::App& app, Cli& cli);
void AddStatus(CLI::App& app, Cli& cli);
void AddService(CLI::App& app, Cli& cli);
void AddQueues(CLI::App& app, Cli& cli);
void AddCosts(CLI::App& app, Cli& cli);
void AddBudget(CLI::App& app, Cli& cli);
void AddReservations(CLI::App& app, Cli& cli);
void AddDefrag(CLI::App& app, Cli& cli);
void AddNodes(CLI::App& app, Cli& cli);
void AddImages(CLI::App& app, Cli& cli);
void AddReplay(CLI::App& app, Cli& cli);
void AddBench(CLI::App& app, Cli& cli);
void AddExplain(CLI::App& app, Cli& cli);
void AddXid(CLI::App& app, Cli& cli);
void AddConfig(CLI::App& app, Cli& cli);
void AddInit(CLI::App& app, Cli& cli);
void AddFaults(CLI::App& app, Cli& cli);
void AddDemo(CLI::App& app, Cli& cli);
void AddWatch(CLI::App& app, Cli& cli);
void AddSimulate(CLI::App& app, Cli& cli);
void AddTopology(CLI::App& app, Cli& cli);
void AddCapture(CLI::App& app, Cli& cli);
void AddDoctor(CLI::App& app, Cli& cli);
void AddWatchGpu(CLI::App& app, Cli& cli);
void AddGpuCare(CLI::App& app, Cli& cli);
void AddMig(CLI::App& app, Cli& cli);
void AddImage(CLI::App& app, Cli& cli);
void AddTransfer(CLI::App& app, Cli& cli);
void AddIncidents(CLI::App& app, Cli& cli);
void AddMetrics(CLI::App& app, Cli& cli);
void AddAccess(CLI::App& app, Cli& cli);
void AddLogin(CLI::App& app, Cli& cli);
void AddDashboard(CLI::App& app, Cli& cli);
void AddAudit(CLI::App& app, Cli& cli);
void AddAdmin(CLI::App& app, Cli& cli);
void AddControllers(CLI::App& admin, Cli& cli);
void AddDisasterRecovery(CLI::App& admin, Cli& cli);
void AddNotify(CLI::App& app, Cli& cli);
void AddSecrets(CLI::App& app, Cli& cli);
void AddCompletion(CLI::App& app, Cli& cli);
void AddCommands(CLI::App& app, Cli& cli);
void AddVersion(CLI::App& app, Cli& cli);

}  // namespace gp
