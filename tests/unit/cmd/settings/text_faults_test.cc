#include "cmd/settings/text_faults.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

TEST(OwnAddressFault, AnAddressOfThisMachineAndNoName) {
  for (const char* right :
       {"", "127.0.0.1:0", "0.0.0.0:8080", "[::]:8080", "[::1]:1", "localhost:8080"})
    EXPECT_EQ(OwnAddressFault(right), std::nullopt) << right;
  for (const char* wrong : {":8080", "127.0.0.1", "c1.example.org:8080", "c1:8080", "1.2.3:80",
                            "[::1::]:80", "999.0.0.1:80"})
    EXPECT_NE(OwnAddressFault(wrong), std::nullopt) << wrong;
}

TEST(AddressFault, AHostAndAPort) {
  for (const char* right :
       {"", "127.0.0.1:7070", "[::]:7070", "[fe80::1]:0", "n1.example.org:1", ":7070"})
    EXPECT_EQ(AddressFault(right), std::nullopt) << right;
  for (const char* wrong : {"7070", "host", "host:", "host:x", "host:-1", "host:65536", "::1:7070",
                            "[]:1", "[g]:1", "a b:1"})
    EXPECT_NE(AddressFault(wrong), std::nullopt) << wrong;
}

TEST(ControllerFault, ASocketADirectoryOrAnAddress) {
  for (const char* right : {"unix:/run/x/control.sock", "/run/gpu-platform", "c1:7070"})
    EXPECT_EQ(ControllerFault(right), std::nullopt) << right;
  for (const char* wrong : {"unix:run", "/run/../x", "c1", ":7070"})
    EXPECT_NE(ControllerFault(wrong), std::nullopt) << wrong;
}

TEST(AuthorityFault, AFingerprintIsWhole) {
  EXPECT_EQ(AuthorityFault("sha256:" + std::string(64, 'a')), std::nullopt);
  EXPECT_EQ(AuthorityFault("/etc/gpu-platform/authority.pem"), std::nullopt);
  EXPECT_NE(AuthorityFault("sha256:" + std::string(63, 'a')), std::nullopt);
  EXPECT_NE(AuthorityFault("sha256:" + std::string(64, 'g')), std::nullopt);
  EXPECT_NE(AuthorityFault("sha256:" + std::string(64, 'A')), std::nullopt);
}

}  // namespace
}  // namespace gp
