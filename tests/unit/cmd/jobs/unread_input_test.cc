#include "cmd/jobs/unread_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

namespace gp {
namespace {

// Both ends of a pipe or of a pair of sockets.
class Ends {
 public:
  explicit Ends(bool are_sockets) {
    const int made = are_sockets ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds_) : pipe(fds_);
    EXPECT_EQ(made, 0);
  }
  ~Ends() {
    close(fds_[0]);
    CloseWriter();
  }
  int reader() const { return fds_[0]; }
  void Write() const { EXPECT_EQ(write(fds_[1], "hello", 5), 5); }
  void CloseWriter() {
    if (fds_[1] >= 0) close(fds_[1]);
    fds_[1] = -1;
  }

 private:
  int fds_[2];
};

TEST(UnreadInput, APipeOrSocketHasSomeWhileBytesAreInIt) {
  for (const bool are_sockets : {false, true}) {
    Ends ends(are_sockets);
    EXPECT_FALSE(HasUnreadInput(ends.reader()));
    ends.Write();
    EXPECT_TRUE(HasUnreadInput(ends.reader()));
    ends.CloseWriter();
    EXPECT_TRUE(HasUnreadInput(ends.reader()));
    char bytes[8];
    ASSERT_EQ(read(ends.reader(), bytes, sizeof bytes), 5);
    EXPECT_FALSE(HasUnreadInput(ends.reader())) << "its end is not a byte";
  }
}

TEST(UnreadInput, AFileHasSomeUntilItsEnd) {
  FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const int fd = fileno(file);
  EXPECT_FALSE(HasUnreadInput(fd));
  ASSERT_EQ(write(fd, "hello", 5), 5);
  EXPECT_FALSE(HasUnreadInput(fd));
  ASSERT_EQ(lseek(fd, 0, SEEK_SET), 0);
  EXPECT_TRUE(HasUnreadInput(fd));
  std::fclose(file);
}

TEST(UnreadInput, DevNullAndWhatIsClosedHaveNone) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(null, 0);
  EXPECT_FALSE(HasUnreadInput(null));
  close(null);
  EXPECT_FALSE(HasUnreadInput(null));
}

}  // namespace
}  // namespace gp
