#pragma once

// Settings as a file, as a document and as pages.

#include <nlohmann/json.hpp>
#include <string>

#include "cmd/settings/settings_layers.h"

namespace gp {

// The rows as a settings file that says the same, with explanations; with `origins`, each value
// with the place that it is from.  Without the sections.
std::string SettingsText(const SettingsProgram& program, const SettingsRead& read, bool origins);

// The rows whose values are given, neither built in nor from a profile.
std::string GivenSettingsText(const SettingsProgram& program, const SettingsRead& read);

// The lines of a section's text, indented below its key; with `origins`, each key of the section
// with its place.
std::string SectionText(const SettingsSection& section, const SettingsRead& read,
                        const std::string& text, bool origins);

nlohmann::ordered_json SettingsDocument(const SettingsRead& read);

// The schema of a duration.
nlohmann::ordered_json DurationSchema();

// A JSON Schema for editors.
std::string SettingsSchema(const SettingsProgram& program);

// The rows as a table of Markdown.
std::string SettingsReference(const SettingsProgram& program);

}  // namespace gp
