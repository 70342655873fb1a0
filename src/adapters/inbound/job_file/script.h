#pragma once

// A script that contains its own job file: "#GPU key: value" lines before its first command.
//
//   #!/bin/bash
//   #GPU name: llama-ft
//   #GPU resources:
//   #GPU   gpus: 8
//   torchrun train.py

#include <optional>
#include <string>
#include <vector>

#include "lib/yaml/diagnostic.h"
#include "lib/yaml/source_text.h"

namespace gp {

struct Script {
  std::string yaml;                  // the text with everything but the header's YAML blanked out
  std::vector<std::string> command;  // the interpreter and the whole script
};

// Whether the text begins with "#!", or has a #GPU line in its first comments and is not named as a
// YAML file.
bool IsScript(const SourceText& source);

// nullopt: refused, and the report says why.  REQUIRES: IsScript.
std::optional<Script> ReadScript(const SourceText& source, Report& report);

}  // namespace gp
