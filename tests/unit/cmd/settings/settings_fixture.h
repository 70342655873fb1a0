#pragma once

// The settings of a controller from layers that a test writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/serve/controller_settings.h"
#include "tests/support/scratch.h"

namespace gp {

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    sources_.file = scratch_.In("controller.yaml");
    sources_.file_may_lack = true;
  }

  void Write(const std::string& text) { scratch_.Write("controller.yaml", text); }
  void DropIn(const std::string& name, const std::string& text) {
    scratch_.Write("conf.d/" + name, text);
  }

  // Fails the test if there are problems.
  const ControllerConfig& Read() {
    reading_.emplace();
    ReadControllerSettings(sources_, *reading_);
    EXPECT_THAT(reading_->read.problems, testing::IsEmpty())
        << RenderDiagnostics(reading_->read.problems);
    return reading_->config;
  }
  // All problems, a line each, without the directory.
  std::string Problems() {
    reading_.emplace();
    ReadControllerSettings(sources_, *reading_);
    std::string text = AsLines(reading_->read.problems);
    for (size_t at; (at = text.find(scratch_.path() + "/")) != std::string::npos;)
      text.erase(at, scratch_.path().size() + 1);
    return text;
  }
  // The origin of a setting, without the directory.
  std::string Origin(const std::string& key) {
    std::string origin = OriginOf(reading_->read.root, key);
    const size_t at = origin.find(scratch_.path() + "/");
    return at == std::string::npos ? origin : origin.erase(at, scratch_.path().size() + 1);
  }

  Scratch scratch_;
  SettingsSources sources_;
  std::optional<ControllerReading> reading_;
};

}  // namespace gp
