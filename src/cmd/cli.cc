#include "cmd/cli.h"

#include <nlohmann/json.hpp>

#include "adapters/wire/documents/document.h"
#include "cmd/connection/controller_line.h"

namespace gp {

void Cli::AddTo(CLI::App& app) {
  app.add_option("--server", server,
                 "Directory of the controller's sockets, or its address: 127.0.0.1:7070; of "
                 "several controllers all addresses, with commas between them")
      ->envname("GPU_PLATFORM_SERVER")
      ->type_name("PLACE");
  Output::AddTo(app);
}

Result<ControlClient*> Cli::Controller() {
  if (client_ == nullptr) client_ = GP_TRY(OpenController(server));
  return client_.get();
}

bool Cli::PrintDocument(const google::protobuf::Message& message) const {
  return WantsDocument() && PrintDocument(ToDocument(message));
}

}  // namespace gp
