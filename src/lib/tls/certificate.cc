#include "lib/tls/certificate.h"

#include <array>
#include <ctime>
#include <string_view>

#include "lib/tls/names.h"
#include "lib/tls/openssl.h"

namespace gp {
namespace {

using namespace openssl;

Result<Instant> InstantOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1)
    return Fail(InvalidArgument("certificate: its time cannot be read"));
  return Instant{static_cast<int64_t>(timegm(&parts)) * 1'000'000'000};
}

std::string NodeOf(const X509& certificate) {
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_URI) continue;
    const std::string_view uri(
        reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.uniformResourceIdentifier)),
        static_cast<size_t>(ASN1_STRING_length(name->d.uniformResourceIdentifier)));
    if (uri.starts_with(kNodeUri)) return std::string(uri.substr(kNodeUri.size()));
  }
  return "";
}

}  // namespace

Result<CertificateFacts> FactsOf(const X509& certificate) {
  CertificateFacts facts;
  facts.node = NodeOf(certificate);
  facts.fingerprint = FingerprintOf(certificate);
  facts.begins_at = GP_TRY(InstantOf(X509_get0_notBefore(&certificate)));
  facts.expires_at = GP_TRY(InstantOf(X509_get0_notAfter(&certificate)));
  return facts;
}

Result<CertificateFacts> ReadCertificate(const std::string& pem) {
  const Bio bio = Over(pem);
  const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (certificate != nullptr) return FactsOf(*certificate);
  ERR_clear_error();
  return Fail(InvalidArgument("this is no certificate (PEM, X.509)"));
}

Result<CertificateRequest> NewCertificateRequest() {
  const Key key(EVP_EC_gen("P-256"));
  const Request request(X509_REQ_new());
  const Bio key_text = Memory();
  const Bio request_text = Memory();
  const bool is_made =
      key != nullptr && request != nullptr && X509_REQ_set_pubkey(request.get(), key.get()) == 1 &&
      X509_REQ_sign(request.get(), key.get(), EVP_sha256()) > 0 &&
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
          1 &&
      PEM_write_bio_X509_REQ(request_text.get(), request.get()) == 1;
  if (!is_made) return Fail(Failed("cannot make a key"));
  return CertificateRequest{Text(key_text), Text(request_text)};
}

}  // namespace gp
