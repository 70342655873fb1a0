#include "files/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gp {
namespace {

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }
int OpenOne() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(Descriptor, ClosesAtTheEndAndOnReset) {
  const int fd = OpenOne();
  {
    const Descriptor owner(fd);
    EXPECT_TRUE(owner.valid());
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
  Descriptor owner(OpenOne());
  const int first = owner.get();
  const int second = OpenOne();
  owner.Reset(second);
  EXPECT_FALSE(IsOpen(first));
  EXPECT_EQ(owner.get(), second);
  owner.Reset();
  EXPECT_FALSE(IsOpen(second));
  EXPECT_FALSE(owner.valid());
}

TEST(Descriptor, HasOneOwner) {
  Descriptor first(OpenOne());
  const int fd = first.get();
  Descriptor second(std::move(first));
  EXPECT_FALSE(first.valid());
  EXPECT_EQ(second.get(), fd);
  Descriptor third(OpenOne());
  const int replaced = third.get();
  third = std::move(second);
  EXPECT_FALSE(IsOpen(replaced));
  EXPECT_EQ(third.get(), fd);
  Descriptor& same = third;
  third = std::move(same);
  EXPECT_TRUE(IsOpen(fd)) << "moved to itself";
  EXPECT_EQ(third.Release(), fd);
  EXPECT_FALSE(third.valid());
  EXPECT_TRUE(IsOpen(fd));
  close(fd);
}

}  // namespace
}  // namespace gp
