#include "lib/http/address_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/text.h"

namespace gp {
namespace {

using Bytes = std::array<uint8_t, 16>;

constexpr int kBitsOfIpv4 = 32;
constexpr int kBitsBeforeIpv4 = 96;

enum class AddressKind { kPublic, kPrivate, kThisHost, kLinkLocal, kMetadata, kNoSingleHost };

struct KnownNetwork {
  std::string_view address;
  int bits;
  AddressKind kind;
};

// The first one that contains an address says what it is.
constexpr KnownNetwork kNetworks[] = {{"100.100.100.200", 32, AddressKind::kMetadata},  // Alibaba
                                      {"168.63.129.16", 32, AddressKind::kMetadata},    // Azure
                                      {"192.0.0.192", 32, AddressKind::kMetadata},      // Oracle
                                      {"fd00:ec2::254", 128, AddressKind::kMetadata},   // AWS
                                      {"fd20:ce::254", 128, AddressKind::kMetadata},    // Google
                                      {"0.0.0.0", 8, AddressKind::kThisHost},
                                      {"127.0.0.0", 8, AddressKind::kThisHost},
                                      {"169.254.0.0", 16, AddressKind::kLinkLocal},
                                      {"10.0.0.0", 8, AddressKind::kPrivate},
                                      {"172.16.0.0", 12, AddressKind::kPrivate},
                                      {"192.168.0.0", 16, AddressKind::kPrivate},
                                      {"100.64.0.0", 10, AddressKind::kPrivate},
                                      {"198.18.0.0", 15, AddressKind::kPrivate},
                                      {"224.0.0.0", 4, AddressKind::kNoSingleHost},
                                      {"240.0.0.0", 4, AddressKind::kNoSingleHost},
                                      {"::", 127, AddressKind::kThisHost},
                                      {"fe80::", 10, AddressKind::kLinkLocal},
                                      {"fec0::", 10, AddressKind::kPrivate},
                                      {"fc00::", 7, AddressKind::kPrivate},
                                      {"ff00::", 8, AddressKind::kNoSingleHost}};

Bytes Mapped(const uint8_t* ipv4) {
  Bytes bytes{};
  bytes[10] = bytes[11] = 0xff;
  std::copy_n(ipv4, 4, bytes.begin() + 12);
  return bytes;
}

bool IsMapped(const Bytes& bytes) {
  const Bytes mapped = Mapped(bytes.data() + 12);
  return bytes == mapped;
}

// Without the name of an interface ("fe80::1%eth0").
std::optional<Bytes> BytesOfIp(std::string_view ip) {
  const std::string text(ip.substr(0, ip.find('%')));
  Bytes bytes{};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return bytes;
  uint8_t ipv4[4];
  if (inet_pton(AF_INET, text.c_str(), ipv4) == 1) return Mapped(ipv4);
  return std::nullopt;
}

bool HaveSamePrefix(const Bytes& a, const Bytes& b, int bits) {
  const auto whole = static_cast<size_t>(bits / 8);
  if (std::memcmp(a.data(), b.data(), whole) != 0) return false;
  const int rest = bits % 8;
  return rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

bool HasPrefix(const Bytes& bytes, std::initializer_list<uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

// The IPv4 address to which a gateway sends what is sent to this IPv6 address.
std::optional<Bytes> Embedded(const Bytes& bytes) {
  const uint8_t* at = bytes.data();
  if (HasPrefix(bytes, {0x00, 0x64, 0xff, 0x9b})) return Mapped(at + 12);  // NAT64
  if (HasPrefix(bytes, {0x20, 0x02})) return Mapped(at + 2);               // 6to4
  if (HasPrefix(bytes, {0x20, 0x01, 0x00, 0x00})) {                        // Teredo
    uint8_t inverted[4];
    for (size_t i = 0; i < 4; ++i) inverted[i] = static_cast<uint8_t>(~at[12 + i]);
    return Mapped(inverted);
  }
  if (std::all_of(at, at + 12, [](uint8_t byte) { return byte == 0; }) &&
      std::any_of(at + 12, at + 15, [](uint8_t byte) { return byte != 0; }))
    return Mapped(at + 12);  // compatible with IPv4, as it was once called
  return std::nullopt;
}

AddressKind KindOf(const Bytes& bytes) {
  if (const auto embedded = Embedded(bytes)) return KindOf(*embedded);
  for (const KnownNetwork& known : kNetworks) {
    const Bytes network = *BytesOfIp(known.address);
    const int bits = known.bits + (IsMapped(network) ? kBitsBeforeIpv4 : 0);
    if (HaveSamePrefix(bytes, network, bits)) return known.kind;
  }
  return AddressKind::kPublic;
}

std::string WordsFor(AddressKind kind) {
  switch (kind) {
    case AddressKind::kPublic: return "a public address";
    case AddressKind::kPrivate: return "a private address";
    case AddressKind::kThisHost: return "an address of this host";
    case AddressKind::kLinkLocal: return "a link-local address";
    case AddressKind::kMetadata: return "a metadata service";
    case AddressKind::kNoSingleHost: return "no address of a single host";
  }
  return "an unknown address";
}

std::unexpected<Error> Refused(std::string_view ip, const std::string& why) {
  return Fail(PermissionDenied(Printable(ip, 60) + " is " + why));
}

}  // namespace

bool IsInner(std::string_view ip) {
  const auto bytes = BytesOfIp(ip);
  return !bytes || KindOf(*bytes) != AddressKind::kPublic;
}

Result<AddressRules> AddressRules::Parse(const std::vector<std::string>& allowed) {
  AddressRules rules;
  for (const std::string& text : allowed) {
    const auto refused =
        Fail(InvalidArgument("\"" + Printable(text, 60) + "\" is no network such as 10.1.0.0/16"));
    const size_t slash = std::min(text.find('/'), text.size());
    const auto bytes = BytesOfIp(std::string_view(text).substr(0, slash));
    if (!bytes || text.contains('%')) return refused;
    const int whole = IsMapped(*bytes) && !text.contains(':') ? kBitsOfIpv4 : kBitsBeforeIpv4 + 32;
    const auto bits = slash == text.size() ? Result<int64_t>(whole)
                                           : ParseCount(std::string_view(text).substr(slash + 1));
    if (!bits || *bits > whole) return refused;
    const int before = whole == kBitsOfIpv4 ? kBitsBeforeIpv4 : 0;
    rules.allowed_.push_back({*bytes, static_cast<int>(*bits) + before});
  }
  return rules;
}

bool AddressRules::IsListed(std::string_view ip) const {
  const auto bytes = BytesOfIp(ip);
  return bytes && std::ranges::any_of(allowed_, [&](const Network& network) {
           return HaveSamePrefix(*bytes, network.address, network.bits);
         });
}

Status AddressRules::Check(std::string_view ip) const {
  if (IsListed(ip)) return Ok();
  const auto bytes = BytesOfIp(ip);
  if (!bytes) return Refused(ip, "no address");
  const AddressKind kind = KindOf(*bytes);
  if (kind == AddressKind::kPublic || kind == AddressKind::kPrivate) return Ok();
  return Refused(ip, WordsFor(kind) + ", which this site does not allow");
}

Status AddressRules::CheckPlain(std::string_view ip) const {
  if (IsListed(ip)) return Ok();
  return Refused(ip, "none of the addresses that this site allows without TLS");
}

}  // namespace gp
