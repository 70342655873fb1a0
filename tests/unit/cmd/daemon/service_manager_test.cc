#include "cmd/daemon/service_manager.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "files/descriptor.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

// Receives as a service manager does.
class ServiceManagerTest : public ::testing::Test {
 protected:
  void Listen(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    if (path.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    ASSERT_EQ(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  std::string Heard() const {
    char text[64];
    const ssize_t size = recv(socket_.get(), text, sizeof text, MSG_DONTWAIT);
    return size < 0 ? "" : std::string(text, static_cast<size_t>(size));
  }

  const Scratch scratch_;
  const Descriptor socket_{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

TEST_F(ServiceManagerTest, HearsThatTheServiceIsReady) {
  Listen(scratch_.In("notify"));
  const ServiceManager manager;
  EXPECT_EQ(Heard(), "");
  EXPECT_TRUE(manager.SayReady());
  EXPECT_EQ(Heard(), "READY=1");
}

TEST_F(ServiceManagerTest, MayListenOutsideTheFileSystem) {
  Listen("@" + scratch_.In("notify"));
  EXPECT_TRUE(ServiceManager().SayReady());
  EXPECT_EQ(Heard(), "READY=1");
}

TEST_F(ServiceManagerTest, IsNotInheritedByChildren) {
  Listen(scratch_.In("notify"));
  const ServiceManager manager;
  EXPECT_EQ(getenv("NOTIFY_SOCKET"), nullptr);
}

TEST_F(ServiceManagerTest, NobodyListensWithoutOne) {
  unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(ServiceManager().SayReady());
}

TEST_F(ServiceManagerTest, OneThatIsGoneIsReported) {
  setenv("NOTIFY_SOCKET", scratch_.In("gone").c_str(), 1);
  const Status said = ServiceManager().SayReady();
  ASSERT_FALSE(said);
  EXPECT_NE(said.error().message.find(scratch_.In("gone")), std::string::npos);
  setenv("NOTIFY_SOCKET", ("/" + std::string(200, 'x')).c_str(), 1);
  EXPECT_FALSE(ServiceManager().SayReady());
}

}  // namespace
}  // namespace gp
