#pragma once

#include <google/protobuf/message.h>

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "adapters/outbound/grpc/control_client.h"
#include "base/result.h"

namespace gp {

class Table;

// Exit codes of the command line (docs/reference/exit_codes.md).
inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitConflict = 4;
inline constexpr int kExitTimeout = 7;
inline constexpr int kExitUnhealthy = 9;
inline constexpr int kExitPartly = 10;
inline constexpr int kExitPlatform = 125;

// What every subcommand works with: the global flags, the controller, and the printing of results.
// Data goes to stdout and nothing else does; messages go to stderr.
class Cli {
 public:
  // Socket directory of the controller, or its address; empty: that of the login, or this machine's
  std::string server;
  std::string output = "table";
  bool json = false;  // --json, the same as -o json
  bool no_headers = false;
  bool quiet = false;
  int exit_code = kExitOk;     // set by the subcommand that ran
  bool has_separator = false;  // the command line contains "--"

  // Global flags that most subcommands take.
  void AddTo(CLI::App& app);

  Result<ControlClient*> Controller();

  // Complains and returns false if the requested output is none of these. Documents (json, yaml)
  // are offered by every command that shows something and need not be named.
  bool Offers(std::initializer_list<std::string_view> formats);
  // Prints the document and returns true if the output is a document.
  bool PrintDocument(const google::protobuf::Message& message) const;
  bool PrintDocument(const nlohmann::ordered_json& document) const;
  // As a table or as CSV.
  void PrintTable(const Table& table) const;
  bool WantsDocument() const { return output == "json" || output == "yaml" || json; }
  // A message for people; silent with -q.
  void Say(const std::string& text) const;
  // Prints the error with its place and sets the exit code.
  void Complain(const Error& error);

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
void AddReplay(CLI::App& app, Cli& cli);
void AddBench(CLI::App& app, Cli& cli);
void AddExplain(CLI::App& app, Cli& cli);
void AddXid(CLI::App& app, Cli& cli);
void AddConfig(CLI::App& app, Cli& cli);
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
void AddIncidents(CLI::App& app, Cli& cli);
void AddMetrics(CLI::App& app, Cli& cli);
void AddAccess(CLI::App& app, Cli& cli);
void AddLogin(CLI::App& app, Cli& cli);
void AddDashboard(CLI::App& app, Cli& cli);
void AddAudit(CLI::App& app, Cli& cli);
void AddAdmin(CLI::App& app, Cli& cli);
void AddNotify(CLI::App& app, Cli& cli);
void AddSecrets(CLI::App& app, Cli& cli);
void AddCompletion(CLI::App& app, Cli& cli);
void AddCommands(CLI::App& app, Cli& cli);
void AddVersion(CLI::App& app, Cli& cli);

}  // namespace gp
