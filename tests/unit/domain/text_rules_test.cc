#include "domain/model/jobs/text_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/model/jobs/job_spec.h"
#include "domain/model/queue.h"

namespace gp {
namespace {

using Rule = std::optional<std::string> (*)(std::string_view);

constexpr std::string_view kLettersAndDigits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// The bytes that are legal behind "a".
std::string LegalInside(Rule rule) {
  std::string legal;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "a";
    if (!rule(text)) legal += static_cast<char>(byte);
  }
  return legal;
}

// The bytes that are legal as the first one.
std::string LegalFirst(Rule rule) {
  std::string legal;
  for (int byte = 0; byte < 256; ++byte) {
    if (!rule(std::string(1, static_cast<char>(byte)) + "a")) legal += static_cast<char>(byte);
  }
  return legal;
}

std::string Sorted(std::string_view a, std::string_view b = "") {
  std::string text = std::string(a) + std::string(b);
  std::ranges::sort(text, {}, [](char c) { return static_cast<unsigned char>(c); });
  return text;
}

std::string AllBytesFrom(int first) {
  std::string bytes;
  for (int byte = first; byte < 256; ++byte) {
    if (byte != 0x7f) bytes += static_cast<char>(byte);
  }
  return bytes;
}

TEST(TextRules, EachByteIsLegalOrNot) {
  EXPECT_EQ(LegalInside(NameFault), Sorted(kLettersAndDigits, "._-"));
  EXPECT_EQ(LegalFirst(NameFault), Sorted(kLettersAndDigits));
  EXPECT_EQ(LegalInside(QueueFault), Sorted(kLettersAndDigits, "._-/"));
  EXPECT_EQ(LegalFirst(QueueFault), Sorted(kLettersAndDigits));
  EXPECT_EQ(LegalInside(LabelNameFault), Sorted(kLettersAndDigits, "._-/"));
  EXPECT_EQ(LegalFirst(LabelNameFault), Sorted(kLettersAndDigits));
  EXPECT_EQ(LegalInside(VariableNameFault), Sorted(kLettersAndDigits, "_"));
  EXPECT_EQ(LegalFirst(VariableNameFault), Sorted(kLettersAndDigits.substr(0, 52), "_"));
  EXPECT_EQ(LegalInside(GpuModelFault), Sorted(kLettersAndDigits, " ._+()-"));
  EXPECT_EQ(LegalFirst(GpuModelFault), Sorted(kLettersAndDigits));
  EXPECT_EQ(LegalInside(LabelValueFault), AllBytesFrom(0x20)) << "also text in any language";
  std::string arguments;
  for (int byte = 1; byte < 256; ++byte) arguments += static_cast<char>(byte);
  EXPECT_EQ(LegalInside(ArgumentFault), arguments);
}

TEST(TextRules, EachHasALimit) {
  const std::pair<Rule, size_t> limits[] = {{NameFault, kNameLengthMax},
                                            {QueueFault, kNameLengthMax},
                                            {LabelNameFault, kNameLengthMax},
                                            {VariableNameFault, kNameLengthMax},
                                            {LabelValueFault, kLabelValueLengthMax},
                                            {ArgumentFault, kArgumentBytesMax},
                                            {GpuModelFault, 64}};
  for (const auto& [rule, most] : limits) {
    EXPECT_EQ(rule(std::string(most, 'a')), std::nullopt) << most;
    EXPECT_NE(rule(std::string(most + 1, 'a')), std::nullopt) << most;
  }
  EXPECT_EQ(PathFault("/" + std::string(kPathLengthMax - 1, 'a')), std::nullopt);
  EXPECT_NE(PathFault("/" + std::string(kPathLengthMax, 'a')), std::nullopt);
}

TEST(TextRules, OfEmptyTexts) {
  for (const Rule rule :
       {NameFault, QueueFault, LabelNameFault, VariableNameFault, PathFault, GpuModelFault})
    EXPECT_NE(rule(""), std::nullopt);
  EXPECT_EQ(LabelValueFault(""), std::nullopt);
  EXPECT_EQ(ArgumentFault(""), std::nullopt);
}

TEST(TextRules, AQueueIsAPathOfNames) {
  for (const char* queue : {"a", "a/b", "research/nlp/2.1_x-y", "0"})
    EXPECT_EQ(QueueFault(queue), std::nullopt) << queue;
  for (const char* queue : {"/", "/a", "a/", "a//b", "a/-b", "a/.", "a/..", "a b", "*"})
    EXPECT_NE(QueueFault(queue), std::nullopt) << queue;
}

TEST(TextRules, AQueueHasALimitedDepth) {
  std::string queue = "a";
  for (size_t depth = 1; depth < kQueueDepthMax; ++depth) queue += "/a";
  EXPECT_EQ(QueueFault(queue), std::nullopt);
  EXPECT_EQ(QueueFault(queue + "/a"), "is 9 levels deep; at most 8 are allowed");
}

TEST(TextRules, APathMeansTheSameWhereverItIsRead) {
  for (const char* path : {"/", "/a", "/a/b c", "/a/...", "/a/..b", "/a/b..", "//a", "/ä"})
    EXPECT_EQ(PathFault(path), std::nullopt) << path;
  for (const char* path : {"a", "./a", "../a", "/..", "/a/..", "/a/../b", "~", "/a\nb", "/a\x7f"})
    EXPECT_NE(PathFault(path), std::nullopt) << path;
}

TEST(TextRules, VariablesOfThePlatformAreReserved) {
  for (const char* name : {"GP_", "GP_RANK", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_VISIBLE_DEVICES",
                           "NVIDIA_VISIBLE_DEVICES"}) {
    EXPECT_TRUE(IsReservedVariable(name)) << name;
    EXPECT_NE(VariableNameFault(name), std::nullopt) << name;
  }
  for (const char* name : {"GP", "gp_rank", "XGP_RANK", "CUDA_VISIBLE_DEVICES_", "CUDA_MPS",
                           "NVIDIA_DRIVER_CAPABILITIES", "PATH"}) {
    EXPECT_FALSE(IsReservedVariable(name)) << name;
    EXPECT_EQ(VariableNameFault(name), std::nullopt) << name;
  }
}

TEST(TextRules, AFaultShowsNoControlCharacterAndNoEndlessText) {
  for (const Rule rule : {NameFault, QueueFault, LabelNameFault, LabelValueFault, VariableNameFault,
                          PathFault, GpuModelFault}) {
    const auto fault = rule("/\x1b[31m" + std::string(100, 'x'));
    ASSERT_NE(fault, std::nullopt);
    EXPECT_EQ(fault->find('\x1b'), std::string::npos) << *fault;
    EXPECT_LT(fault->size(), 200u) << *fault;
  }
}

}  // namespace
}  // namespace gp
