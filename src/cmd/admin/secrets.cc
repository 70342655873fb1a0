// Secrets injected into jobs as environment variables; nobody is shown their values.

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "base/text.h"
#include "base/utf8.h"
#include "cmd/cli.h"
#include "cmd/list_tables.h"
#include "infrastructure/table.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {
namespace {

struct SecretFlags {
  std::string name;
  std::string queue;
};

void Print(const v1::ListSecretsReply& reply, Cli& cli) {
  if (cli.PrintDocument(reply)) return;
  if (cli.output == "name") {
    for (const v1::Secret& secret : reply.secrets()) std::printf("%s\n", secret.name().c_str());
    return;
  }
  cli.PrintList(SecretTable(reply), "secrets");
}

}  // namespace

Table SecretTable(const v1::ListSecretsReply& reply) {
  Table table(
      {{.title = "NAME"}, {.title = "FOR"}, {.title = "CHANGED"}, {.title = "BY", .drop = 1}});
  for (const v1::Secret& secret : reply.secrets()) {
    table.Add({secret.name(),
               secret.queue().empty() ? "user " + secret.user() : "queue " + secret.queue(),
               secret.changed_at(), secret.changed_by()});
  }
  return table;
}

namespace {

template <typename Request>
void CallAndPrintSecrets(const char* method, const Request& request, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto reply = (*client)->Call<v1::ListSecretsReply>(method, request);
  if (!reply) return cli.Complain(reply.error());
  Print(*reply, cli);
}

// While it lives, typed characters are not echoed; an interrupt restores the echo.
class NoEcho {
 public:
  NoEcho() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, Restore);
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_set_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~NoEcho() {
    if (is_set_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_DFL);
  }

 private:
  static void Restore(int number) {
    tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    std::signal(number, SIG_DFL);
    raise(number);
  }

  inline static termios before_{};
  bool is_set_ = false;
};

// Never from an argument: other users can read those.
Result<std::string> ReadValue(const std::string& name) {
  std::string value;
  if (isatty(STDIN_FILENO) != 0) {
    std::fprintf(stderr, "%s: ", name.c_str());
    const NoEcho silent;
    std::getline(std::cin, value);
    std::fputs("\n", stderr);
  } else {
    value.resize(kSecretBytesMax + 2);
    std::cin.read(value.data(), static_cast<std::streamsize>(value.size()));
    value.resize(static_cast<size_t>(std::cin.gcount()));
    if (value.ends_with('\n')) value.pop_back();
  }
  if (value.empty())
    return Fail(
        InvalidArgument("nothing was typed: the secret is read from standard input, as in "
                        "gpu-platform secrets set " +
                        name + " < file"));
  if (!IsUtf8(value))
    return Fail(InvalidArgument("the input is no UTF-8 text: encode it, for example with base64"));
  return value;
}

void Set(const SecretFlags& flags, Cli& cli) {
  auto value = ReadValue(flags.name);
  if (!value) return cli.Complain(value.error());
  v1::SetSecretRequest request;
  request.set_name(flags.name);
  request.set_queue(flags.queue);
  request.set_value(*std::move(value));
  CallAndPrintSecrets("SetSecret", request, cli);
}

}  // namespace

void AddSecrets(CLI::App& app, Cli& cli) {
  CLI::App* secrets =
      app.add_subcommand("secrets", "Secrets injected into jobs as environment variables");
  secrets->require_subcommand(1);
  cli.AddListFlags(
         secrets->add_subcommand("list", "List the names of secrets that your jobs may use"))
      ->callback([&cli] { CallAndPrintSecrets("ListSecrets", v1::ListSecretsRequest(), cli); });
  auto flags = std::make_shared<SecretFlags>();
  const auto named = [&](const char* name, const char* help, const std::function<void()>& action) {
    CLI::App* sub = secrets->add_subcommand(name, help);
    sub->add_option("name", flags->name, "Name of the environment variable")->required();
    sub->add_option("--queue", flags->queue,
                    "For jobs of this queue and those below it, instead of your own jobs; queue "
                    "admins only")
        ->type_name("QUEUE");
    sub->callback(action);
  };
  named("set", "Set a secret: typed without echo, or from standard input",
        [flags, &cli] { Set(*flags, cli); });
  named("delete", "Delete a secret: jobs that start later do not get it", [flags, &cli] {
    v1::DeleteSecretRequest request;
    request.set_name(flags->name);
    request.set_queue(flags->queue);
    CallAndPrintSecrets("DeleteSecret", request, cli);
  });
}

}  // namespace gp
