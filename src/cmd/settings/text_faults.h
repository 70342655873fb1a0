#pragma once

// What is wrong with texts in settings; nullopt: nothing.  Empty texts, which mean none, are right
// but for DirectoryFault.

#include <optional>
#include <string>

namespace gp {

// "127.0.0.1:7070", "[::]:7070", "controller.example.org:7070"; ":7070": at every address
std::optional<std::string> AddressFault(const std::string& text);

// The same, with a host.
std::optional<std::string> FullAddressFault(const std::string& text);

// The same, of a server that takes no host names but localhost: it serves an IP address.
std::optional<std::string> OwnAddressFault(const std::string& text);

// An address, "unix:/…/control.sock", or the directory of a controller's sockets.
std::optional<std::string> ControllerFault(const std::string& text);

// An absolute path without "..".
std::optional<std::string> DirectoryFault(const std::string& text);

// An IP address, or a network such as 10.4.0.0/16.
std::optional<std::string> NetworkFault(const std::string& text);

// "sha256:" and 64 hexadecimal digits, or the path of a certificate.
std::optional<std::string> AuthorityFault(const std::string& text);

}  // namespace gp
