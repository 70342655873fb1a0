#pragma once

// The tree of commands as a document: what the help, the reference and the man pages say.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace gp {

// {"command", "description", "options": [{"names", "value", "required", "positional", "default",
// "environment", "description"}], "subcommands": [...]}; hidden ones are left out.  `path`:
// "gpu-platform jobs".
nlohmann::ordered_json CommandDocument(const CLI::App& app, const std::string& path);

}  // namespace gp
