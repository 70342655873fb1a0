#include "lib/tls/authority.h"

#include <arpa/inet.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "lib/tls/names.h"
#include "lib/tls/openssl.h"

namespace gp {
namespace {

using namespace openssl;

constexpr Duration kDay = Duration::Minutes(60 * 24);
constexpr Duration kAuthorityLife = kDay * 7'300;
constexpr Duration kControllerLife = kDay * 730;
// A certificate begins earlier by this, or by a tenth of its life, for clocks that are behind
constexpr Duration kSkewMax = Duration::Minutes(60);
constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kRequestMax = 16 << 10;

// The fields of a certificate that describe its owner.
struct Claims {
  const char* name;
  std::string alternative_names;  // as OpenSSL writes them; empty: none
  const char* basic_constraints;
  const char* key_usage;
  const char* extended_key_usage;  // nullptr: none
  Duration life;
};

Status AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1)
    return Fail(Failed("certificate: " + value));
  return Ok();
}

Status SetSerial(X509* certificate) {
  const Number number(BN_new());
  const bool is_set =
      number != nullptr && BN_rand(number.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
      BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
  return is_set ? Ok() : Fail(Failed("certificate: no random number"));
}

// `issuer`: nullptr: self-signed.
Result<Certificate> Sign(EVP_PKEY* owner, const Claims& claims, X509* issuer, EVP_PKEY* issuer_key,
                         Instant now) {
  Certificate certificate(X509_new());
  X509* made = certificate.get();
  const int64_t now_s = now.ns / kSecond;
  const int64_t skew_s = std::min(kSkewMax.ns, claims.life.ns / 10) / kSecond;
  const auto* name = reinterpret_cast<const unsigned char*>(claims.name);
  if (made == nullptr || X509_set_version(made, X509_VERSION_3) != 1 ||
      X509_set_pubkey(made, owner) != 1 ||
      ASN1_TIME_set(X509_getm_notBefore(made), now_s - skew_s) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(made), now_s + claims.life.ns / kSecond) == nullptr ||
      X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8, name, -1, -1,
                                 0) != 1 ||
      X509_set_issuer_name(made, X509_get_subject_name(issuer == nullptr ? made : issuer)) != 1) {
    return Fail(Failed("certificate"));
  }
  GP_CHECK_OK(SetSerial(made));
  X509* signer = issuer == nullptr ? made : issuer;
  GP_CHECK_OK(AddExtension(made, signer, NID_basic_constraints, claims.basic_constraints));
  GP_CHECK_OK(AddExtension(made, signer, NID_key_usage, claims.key_usage));
  if (claims.extended_key_usage != nullptr)
    GP_CHECK_OK(AddExtension(made, signer, NID_ext_key_usage, claims.extended_key_usage));
  GP_CHECK_OK(AddExtension(made, signer, NID_subject_key_identifier, "hash"));
  if (issuer != nullptr)
    GP_CHECK_OK(AddExtension(made, signer, NID_authority_key_identifier, "keyid:always"));
  if (!claims.alternative_names.empty())
    GP_CHECK_OK(AddExtension(made, signer, NID_subject_alt_name, claims.alternative_names));
  if (X509_sign(made, issuer_key, EVP_sha256()) == 0) return Fail(Failed("certificate: sign"));
  return certificate;
}

Result<std::string> PemOf(X509* certificate) {
  const Bio bio = Memory();
  if (PEM_write_bio_X509(bio.get(), certificate) != 1) return Fail(Failed("certificate"));
  return Text(bio);
}

Result<std::string> PemOf(EVP_PKEY* key) {
  const Bio bio = Memory();
  if (PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return Fail(Failed("key"));
  return Text(bio);
}

bool IsIpAddress(const std::string& name) {
  in6_addr bytes{};
  return inet_pton(AF_INET, name.c_str(), &bytes) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &bytes) == 1;
}

}  // namespace

std::string FingerprintOf(const X509& certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(&certificate, EVP_sha256(), digest, &size);
  return ToHex({digest, size});
}

struct Authority::Keys {
  Key key;
  Certificate certificate;
};

Result<Identity> Authority::Make(Instant now) {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Fail(Failed("cannot make a key"));
  const Claims claims{"gpu-platform authority",       "",      "critical,CA:TRUE,pathlen:0",
                      "critical,keyCertSign,cRLSign", nullptr, kAuthorityLife};
  const Certificate certificate = GP_TRY(Sign(key.get(), claims, nullptr, key.get(), now));
  return Identity{GP_TRY(PemOf(key.get())), GP_TRY(PemOf(certificate.get()))};
}

Result<Authority> Authority::From(const Identity& identity) {
  auto keys = std::make_shared<Keys>();
  keys->certificate.reset(
      PEM_read_bio_X509(Over(identity.certificate).get(), nullptr, nullptr, nullptr));
  keys->key.reset(PEM_read_bio_PrivateKey(Over(identity.key).get(), nullptr, nullptr, nullptr));
  const bool is_whole = keys->certificate != nullptr && keys->key != nullptr &&
                        X509_check_private_key(keys->certificate.get(), keys->key.get()) == 1;
  ERR_clear_error();
  if (!is_whole)
    return Fail(InvalidArgument("its key or its certificate is damaged, or they do not match"));
  Authority authority;
  authority.certificate_ = identity.certificate;
  authority.fingerprint_ = FingerprintOf(*keys->certificate);
  authority.keys_ = std::move(keys);
  return authority;
}

std::string Authority::SecretFor(const std::string& purpose) const {
  unsigned char* der = nullptr;
  const int size = i2d_PrivateKey(keys_->key.get(), &der);
  GP_ASSERT(size > 0, "the key was read");
  unsigned char secret[EVP_MAX_MD_SIZE];
  unsigned secret_bytes = 0;
  const auto* text = reinterpret_cast<const unsigned char*>(purpose.data());
  const bool is_made =
      HMAC(EVP_sha256(), der, size, text, purpose.size(), secret, &secret_bytes) != nullptr;
  OPENSSL_clear_free(der, static_cast<size_t>(size));
  GP_ASSERT(is_made, "HMAC fails only without memory");
  return std::string(reinterpret_cast<const char*>(secret), secret_bytes);
}

Result<Identity> Authority::ForController(const std::vector<std::string>& names,
                                          Instant now) const {
  std::string alternative_names = std::string("DNS:") + kControllerName;
  // OpenSSL parses this text, so only valid names may enter it.
  for (const std::string& name : names) {
    if (!IsIpAddress(name) && !IsHostName(name))
      return Fail(InvalidArgument("\"" + Printable(name, 60) +
                                  "\" is neither a host's name nor an IP address"));
    alternative_names += (IsIpAddress(name) ? ",IP:" : ",DNS:") + name;
  }
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Fail(Failed("cannot make a key"));
  const Claims claims{"gpu-platform controller",   alternative_names, "critical,CA:FALSE",
                      "critical,digitalSignature", "serverAuth",      kControllerLife};
  const Certificate certificate =
      GP_TRY(Sign(key.get(), claims, keys_->certificate.get(), keys_->key.get(), now));
  return Identity{GP_TRY(PemOf(key.get())), GP_TRY(PemOf(certificate.get())) + certificate_};
}

Result<std::string> Authority::ForNode(const std::string& request_text, const std::string& node,
                                       Duration life, Instant now) const {
  if (!IsHostName(node))
    return Fail(InvalidArgument("node: \"" + Printable(node, 60) + "\" cannot be a node's name"));
  if (request_text.size() > kRequestMax)
    return Fail(InvalidArgument("request: has at most 16 KiB"));
  const Request request(PEM_read_bio_X509_REQ(Over(request_text).get(), nullptr, nullptr, nullptr));
  EVP_PKEY* key = request == nullptr ? nullptr : X509_REQ_get0_pubkey(request.get());
  const bool is_sound = key != nullptr && EVP_PKEY_get_security_bits(key) >= 112 &&
                        X509_REQ_verify(request.get(), key) == 1;
  ERR_clear_error();
  if (!is_sound)
    return Fail(InvalidArgument(
        "request: is no certificate request (PEM, PKCS #10) signed by its own key"));
  const Claims claims{"gpu-platform node", "URI:" + std::string(kNodeUri) + node,
                      "critical,CA:FALSE", "critical,digitalSignature",
                      "clientAuth",        life};
  const Certificate certificate =
      GP_TRY(Sign(key, claims, keys_->certificate.get(), keys_->key.get(), now));
  return PemOf(certificate.get());
}

}  // namespace gp
