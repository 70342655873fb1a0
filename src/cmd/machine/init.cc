// Writes the settings file of this machine's controller or agent, and prints how to go on.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/text.h"
#include "cmd/agent/agent_settings.h"
#include "cmd/cli.h"
#include "cmd/connection/controller_authority.h"
#include "cmd/connection/identity_file.h"
#include "cmd/serve/controller_settings.h"
#include "cmd/settings/settings_flags.h"
#include "cmd/settings/settings_text.h"
#include "infrastructure/agent_identity.h"
#include "infrastructure/host_name.h"
#include "infrastructure/paths.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr const char* kStandardInput = "-";
constexpr size_t kTokenBytesMax = 4'096;
constexpr const char* kNone = "none";
constexpr const char* kPortForNodes = "0.0.0.0:7070";
constexpr const char* kHttp = "127.0.0.1:8080";

struct InitFlags {
  SettingsSources settings;  // the flags are what is written
  bool force = false;
  bool uses_defaults = false;  // nothing is asked
};

// Asks what no flag has said.  Without a terminal, and with --yes, the defaults are taken.
class Questions {
 public:
  Questions(InitFlags& flags) : flags_(flags) {
    asks_ = !flags.uses_defaults && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
  }

  bool asks() const { return asks_; }
  // `none`: the answer, or the flag's value, that stands for an empty one; "": none does.
  void Ask(const std::string& key, const std::string& question, const std::string& by_default,
           const std::string& none) {
    const auto given = flags_.settings.flags.find(key);
    std::string answer = given == flags_.settings.flags.end() ? "" : given->second.back();
    if (answer.empty() && asks_) {
      fmt::print(stderr, "{} [{}]: ", question, by_default);
      std::getline(std::cin, answer);
    }
    if (answer.empty()) answer = by_default;
    // Written down also where it is the built-in value: a profile may say otherwise.
    flags_.settings.flags[key] = {answer == none ? "" : answer};
  }

 private:
  InitFlags& flags_;
  bool asks_;
};

// The program without what no settings file can say.
SettingsProgram Writable(SettingsProgram program) {
  std::erase_if(program.rows, [](const Setting& row) {
    return std::holds_alternative<std::monostate>(row.target);
  });
  return program;
}

// Where the file goes; --config names another place.
Result<std::string> FreePlace(const InitFlags& flags) {
  const std::string& file = flags.settings.file;
  if (file.empty()) return Fail(InvalidArgument("--config: name the file to write"));
  if (!flags.force && access(file.c_str(), F_OK) == 0)
    return Fail(Conflict(file + " exists: edit it, or replace it with --force"));
  return file;
}

// The values of the flags, read as `serve` or `agent` would read them.
SettingsSources OnlyFlags(const InitFlags& flags) {
  SettingsSources sources = flags.settings;
  sources.file.clear();
  return sources;
}

// Its directory is made, and changed in no way if it is there.
Status WriteSettings(const std::string& file, const SettingsProgram& program,
                     const SettingsRead& read) {
  const std::string directory = std::filesystem::path(file).parent_path();
  if (access(directory.c_str(), F_OK) != 0) GP_CHECK_OK(MakeDirectories(directory, 0755));
  const std::string text = "# Settings of the " + program.name +
                           ", written by `gpu-platform init`.  `gpu-platform config show` prints "
                           "all settings.\n" +
                           GivenSettingsText(program, read);
  const bool has_secret = std::ranges::any_of(read.values, [](const SettingValue& value) {
    return value.is_secret && value.origin != kBuiltIn && !value.value.empty();
  });
  struct stat before{};
  const bool is_private = stat(file.c_str(), &before) == 0 && (before.st_mode & 077) == 0;
  return WriteTextFile(file, text, has_secret || is_private ? 0600 : 0644);
}

// The address that nodes connect to.
std::string AddressForNodes(const std::string& listen) {
  const size_t colon = listen.rfind(':');
  const std::string host = listen.substr(0, colon);
  const bool is_any = host.empty() || host == "0.0.0.0" || host == "[::]";
  return is_any ? HostName() + listen.substr(colon) : listen;
}

// Makes the authority and the join token before the controller's first start, so that the commands
// for the nodes are complete.
Status SayHowNodesJoin(const ControllerConfig& config) {
  const ListenConfig& listen = config.listen;
  if (listen.grpc.empty()) {
    fmt::print("It accepts no other nodes (listen.grpc).\n");
    return Ok();
  }
  SystemClock clock;
  GP_CHECK_OK(MakeDirectories(config.state_directory, 0711));
  GP_TRY(JoinToken(config.state_directory));
  std::string authority;
  if (listen.IsEncrypted(listen.grpc))
    authority = " --authority " + std::string(kFingerprintPrefix) +
                GP_TRY(KeptAuthority(config.state_directory, clock.Now())).fingerprint();
  fmt::print(
      "For each node, run here:\n"
      "  ssh NODE gpu-platform init agent --controller {}{} --join-token-file - < {}/join-token\n"
      "  ssh NODE systemctl enable --now gpu-platform-agent\n",
      AddressForNodes(listen.grpc), authority, config.state_directory);
  return Ok();
}

Status InitController(InitFlags flags) {
  const std::string file = GP_TRY(FreePlace(flags));
  Questions questions(flags);
  questions.Ask("profile", "Profile: development or production", "production", kNone);
  questions.Ask("agent.enabled", "Run jobs on this machine too: true or false", "true", "");
  questions.Ask("agent.service_user", "User that runs the jobs that root submits", "gpu-job", "");
  // Nobody listens to other machines without having been asked.
  questions.Ask("listen.grpc", "Accept other nodes at HOST:PORT, or none",
                questions.asks() ? kPortForNodes : kNone, kNone);
  questions.Ask("listen.http", "Dashboard and REST API at HOST:PORT, or none", kHttp, kNone);
  ControllerReading reading;
  ReadControllerSettings(OnlyFlags(flags), reading);
  if (!reading.read.problems.empty()) return Fail(InvalidArgument(AsLines(reading.read.problems)));
  GP_CHECK_OK(WriteSettings(file, Writable(ControllerProgram(reading.config)), reading.read));
  fmt::print(
      "Wrote {}.\nStart the controller:\n  systemctl enable gpu-platform && systemctl restart "
      "gpu-platform\n",
      file);
  return SayHowNodesJoin(reading.config);
}

// The token that --join-token-file - reads from standard input, and where it is kept.
struct GivenToken {
  std::string text;  // empty: none is read
  std::string place;
};

Result<GivenToken> ReadToken(InitFlags& flags, const std::string& file) {
  const auto given = flags.settings.flags.find("join_token_file");
  if (given == flags.settings.flags.end() || given->second.back() != kStandardInput)
    return GivenToken();
  GivenToken token{std::string(kTokenBytesMax, '\0'),
                   std::filesystem::path(file).parent_path() / "join-token"};
  std::cin.read(token.text.data(), static_cast<std::streamsize>(token.text.size()));
  token.text.resize(static_cast<size_t>(std::cin.gcount()));
  if (token.text.find_first_not_of(" \n") == std::string::npos)
    return Fail(
        InvalidArgument("--join-token-file -: standard input is empty; redirect the "
                        "controller's join-token to it"));
  const auto before = ReadTextFile(token.place);
  if (!flags.force && before && *before != token.text)
    return Fail(Conflict(token.place + " has another token: replace it with --force"));
  given->second = {token.place};
  return token;
}

Status InitAgent(InitFlags flags) {
  const std::string file = GP_TRY(FreePlace(flags));
  const GivenToken token = GP_TRY(ReadToken(flags, file));
  AgentConfig config;
  const SettingsProgram program = AgentProgram(config);
  const SettingsRead read = ReadSettings(program, OnlyFlags(flags));
  if (!read.problems.empty()) return Fail(InvalidArgument(AsLines(read.problems)));
  GP_CHECK_OK(WriteSettings(file, program, read));
  if (!token.text.empty()) GP_CHECK_OK(WriteTextFile(token.place, token.text, 0600));
  fmt::print(
      "Wrote {}.\nStart the agent:\n  systemctl enable gpu-platform-agent && "
      "systemctl restart gpu-platform-agent\n",
      file);
  return Ok();
}

std::shared_ptr<InitFlags> AddInitFlags(CLI::App& sub, const SettingsProgram& program) {
  auto flags = std::make_shared<InitFlags>();
  AddSettingsFlags(sub, program, {flags, &flags->settings});
  sub.get_option("--config")->description("File to write; default: " + flags->settings.file);
  sub.add_flag("--force", flags->force, "Replace an existing file");
  return flags;
}

void Run(const std::shared_ptr<InitFlags>& flags, Status (*init)(InitFlags), Cli& cli) {
  if (const Status done = init(*flags); !done) cli.Complain(done.error());
}

}  // namespace

void AddInit(CLI::App& app, Cli& cli) {
  CLI::App* init = app.add_subcommand(
      "init",
      "Write the settings file of this machine's controller (or agent: init agent); takes the "
      "flags of serve and asks for the rest");
  ControllerConfig controller;
  const auto flags = AddInitFlags(*init, Writable(ControllerProgram(controller)));
  init->add_flag("--yes", flags->uses_defaults, "Ask nothing: take the defaults");
  CLI::App* agent = init->add_subcommand(
      "agent",
      "Write the settings file of this machine's agent; takes the flags of agent, and "
      "--join-token-file - reads the token from standard input");
  AgentConfig built_in;
  const auto of_agent = AddInitFlags(*agent, AgentProgram(built_in));
  agent->callback([of_agent, &cli] { Run(of_agent, InitAgent, cli); });
  init->callback([init, flags, &cli] {
    if (init->get_subcommands().empty()) Run(flags, InitController, cli);
  });
}

}  // namespace gp
