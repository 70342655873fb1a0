#pragma once

// What tests look at of an imported job.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/inbound/job_file/job_file.h"
#include "adapters/inbound/job_import/imported_job.h"
#include "base/result.h"

namespace gp {

using Texts = std::vector<std::string>;

// "2 --partition=h100": lines and what stands there.
inline Texts Noted(const ImportedJob& imported) {
  Texts noted;
  for (const ImportNote& note : imported.notes)
    noted.push_back(std::to_string(note.line) + " " + note.what);
  return noted;
}

inline ImportedJob Sound(const Result<ImportedJob>& imported) {
  EXPECT_TRUE(imported.has_value()) << imported.error().message;
  return imported.value_or(ImportedJob());
}

// What the scheduler makes of it.
inline JobSpec Decoded(const ImportedJob& imported) {
  const DecodedJobs decoded =
      DecodeJobFile("train", imported.text, {.environment = {{"HF_TOKEN", "t"}}});
  EXPECT_FALSE(decoded.jobs.empty()) << RenderDiagnostics(decoded.diagnostics) << imported.text;
  return decoded.jobs.empty() ? JobSpec() : decoded.jobs.front();
}

}  // namespace gp
