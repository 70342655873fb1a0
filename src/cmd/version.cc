#include <cstdio>

#include "cmd/cli.h"

namespace gp {

void AddVersion(CLI::App& app, Cli& cli) {
  app.add_subcommand("version", "Version of this program")->callback([&cli] {
    if (cli.WantsDocument()) {
      std::printf("{\"version\": \"%s\"}\n", GP_VERSION);
    } else {
      std::printf("gpu-platform %s\n", GP_VERSION);
    }
  });
}

}  // namespace gp
