#include "supervisor/records/secret_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace gp {
namespace {

TEST(SecretMemory, GivesTheSecretsBackMoreThanOnce) {
  const std::vector<std::string> lists[] = {
      {}, {"TOKEN=abc"}, {"A=", std::string("B=x\0y", 5), "C=" + std::string(300'000, 'z')}};
  for (const std::vector<std::string>& secrets : lists) {
    const auto memory = PutIntoMemory(secrets);
    ASSERT_TRUE(memory.has_value());
    EXPECT_EQ(*ReadFromMemory(*memory), secrets);
    EXPECT_EQ(*ReadFromMemory(*memory), secrets);
  }
}

TEST(SecretMemory, HasNoNameAndNoChildInheritsIt) {
  const auto memory = PutIntoMemory({"TOKEN=abc"});
  ASSERT_TRUE(memory.has_value());
  EXPECT_NE(fcntl(memory->get(), F_GETFD) & FD_CLOEXEC, 0);
  struct stat facts = {};
  ASSERT_EQ(fstat(memory->get(), &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0u);
}

TEST(SecretMemory, WhatIsCutOffIsAnErrorThatShowsNoSecret) {
  const auto memory = PutIntoMemory({"TOKEN=abc", "OTHER=def"});
  ASSERT_TRUE(memory.has_value());
  const off_t size = lseek(memory->get(), 0, SEEK_END);
  for (off_t cut = size - 1; cut >= 0; --cut) {
    ASSERT_EQ(ftruncate(memory->get(), cut), 0);
    const auto read = ReadFromMemory(*memory);
    ASSERT_FALSE(read.has_value()) << cut;
    EXPECT_EQ(read.error(), Internal("secrets are cut off"));
  }
}

TEST(SecretMemory, HasALimitAndNeedsADescriptor) {
  const auto memory = PutIntoMemory({});
  ASSERT_TRUE(memory.has_value());
  ASSERT_EQ(ftruncate(memory->get(), (16 << 20) + 1), 0);
  EXPECT_EQ(ReadFromMemory(*memory).error(), Internal("secrets cannot be taken over"));
  EXPECT_FALSE(ReadFromMemory(Descriptor()).has_value());
}

}  // namespace
}  // namespace gp
