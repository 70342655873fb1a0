#include <cstdio>
#include <nlohmann/json.hpp>

#include "cmd/cli.h"

namespace gp {

void AddVersion(CLI::App& app, Cli& cli) {
  app.add_subcommand("version", "Version of this program")->callback([&cli] {
    if (!cli.Offers({"table"})) return;
    if (cli.PrintDocument(nlohmann::ordered_json{{"version", GP_VERSION}})) return;
    std::printf("gpu-platform %s\n", GP_VERSION);
  });
}

}  // namespace gp
