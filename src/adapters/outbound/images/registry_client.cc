#include "adapters/outbound/images/registry_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "adapters/outbound/images/json_members.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "domain/model/jobs/image_reference.h"
#include "files/descriptor.h"
#include "lib/secrets/secrets.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

using nlohmann::json;

constexpr Duration kInspectTimeLimit = Duration::Seconds(25);
constexpr Duration kPullTimeLimit = Duration::Minutes(60);
// More than the layers may take together, for documents.
constexpr int64_t kSlack = 16 << 20;
constexpr size_t kSaidMax = 400;
constexpr char kDigestPrefix[] = "sha256:";
constexpr char kPolicy[] = "/etc/containers/policy.json";
constexpr std::array kPlaces = {"/usr/local/bin/skopeo", "/usr/bin/skopeo", "/bin/skopeo"};
constexpr std::array kProxyVariables = {"HTTP_PROXY",   "HTTPS_PROXY",  "NO_PROXY",
                                        "http_proxy",   "https_proxy",  "no_proxy",
                                        "SSL_CERT_DIR", "SSL_CERT_FILE"};

// Whose fault an answer is, by what it says.
constexpr std::array kOfUser = {"manifest unknown",
                                "name unknown",
                                "StatusCode: 404",
                                "401 (Unauthorized)",
                                "403 (Forbidden)",
                                "unauthorized",
                                "authentication required",
                                "is denied",
                                "denied:",
                                "invalid username/password",
                                "Digest did not match",
                                "igest mismatch",
                                "signature was required",
                                "rejected by policy"};

// Nothing of its user's settings counts: only those of the host.
std::vector<std::string> Environment(const RegistryPlace& place) {
  std::vector<std::string> environment{"HOME=/nonexistent", "XDG_RUNTIME_DIR=/nonexistent",
                                       "TMPDIR=" + place.directory,
                                       "PATH=/usr/local/bin:/usr/bin:/bin"};
  std::ranges::copy(ProxyVariables(), std::back_inserter(environment));
  return environment;
}

std::string Skopeo() {
  const auto place =
      std::ranges::find_if(kPlaces, [](const char* path) { return access(path, X_OK) == 0; });
  return place == kPlaces.end() ? kPlaces[1] : *place;
}

// It ends with this process.  `stop`: readable when it must end; -1: none.
CommandEnd RunSkopeo(const std::vector<std::string>& words, const RegistryPlace& place,
                     Duration time_limit, int stop = -1) {
  std::vector<std::string> command{"/usr/bin/setpriv", "--pdeathsig", "KILL", Skopeo()};
  command.insert(command.end(), words.begin(), words.end());
  CommandOptions options{.time_limit = time_limit,
                         .stop_fd = stop,
                         .input = place.credentials,
                         .has_environment = false,
                         .environment = Environment(place),
                         .output_max = static_cast<size_t>(kImageDocumentBytesMax) + 1,
                         .separate_errors = true,
                         .group = CommandGroup::kOurs};
  return RunCommand(std::move(command), options);
}

// What the files below a directory take.
int64_t BytesBelow(const std::string& directory) {
  int64_t bytes = 0;
  std::error_code failed;
  for (auto at = std::filesystem::recursive_directory_iterator(
           directory, std::filesystem::directory_options::skip_permission_denied, failed);
       !failed && at != std::filesystem::recursive_directory_iterator(); at.increment(failed)) {
    struct stat facts;
    if (lstat(at->path().c_str(), &facts) == 0)
      bytes += std::min<int64_t>(facts.st_size, facts.st_blocks * 512);  // not what is set aside
  }
  return bytes;
}

// Stops a pull that takes more than was said, and tells how far it is.
class PullLimit {
 public:
  PullLimit(std::string directory, int64_t bytes_max, std::function<void(int64_t)> progress)
      : directory_(std::move(directory)),
        bytes_max_(bytes_max),
        progress_(std::move(progress)),
        thread_([this] { Watch(); }) {}
  ~PullLimit() {
    Set(ended_.get());
    thread_.join();
  }
  PullLimit(const PullLimit&) = delete;
  PullLimit& operator=(const PullLimit&) = delete;

  int stop() const { return exceeded_.get(); }
  bool is_exceeded() const { return IsSet(exceeded_.get(), 0); }

 private:
  static void Set(int event) {
    const uint64_t one = 1;
    IgnoreResult(write(event, &one, sizeof one), "a full counter is set as well");
  }
  static bool IsSet(int event, int wait_ms) {
    pollfd set{event, POLLIN, 0};
    return poll(&set, 1, wait_ms) > 0;
  }
  void Watch() {
    int64_t told = 0;
    while (!IsSet(ended_.get(), kLookEveryMs)) {
      const int64_t bytes = BytesBelow(directory_);
      if (bytes > bytes_max_) return Set(exceeded_.get());
      if (bytes > told) progress_(told = bytes);
    }
  }

  static constexpr int kLookEveryMs = 200;
  const std::string directory_;
  const int64_t bytes_max_;
  const std::function<void(int64_t)> progress_;
  const Descriptor exceeded_{eventfd(0, EFD_CLOEXEC)};
  const Descriptor ended_{eventfd(0, EFD_CLOEXEC)};
  std::thread thread_;
};

void AddAccess(const LayeredImage& image, const RegistryPlace& place, const std::string& prefix,
               std::vector<std::string>& words) {
  words.push_back(!place.credentials.empty() ? "--" + prefix + "authfile=/proc/self/fd/0"
                                             : "--" + prefix + "no-creds");
  if (IsOnLoopback(image.repository)) words.push_back("--" + prefix + "tls-verify=false");
}

std::string NameOf(const LayeredImage& image) {
  return image.repository + (image.digest.empty() ? ":" + image.tag : "@" + image.digest);
}

void Erase(const std::string& part, std::string& text) {
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
}

// The last line is the error: time="…" level=fatal msg="…", in which quotes are escaped.
std::string LastMessage(const std::string& printed) {
  constexpr std::string_view kMessage = "msg=\"";
  constexpr std::string_view kParsing = "Error parsing image name \"docker://";
  constexpr std::string_view kNameEnd = "\": ";
  std::string said = printed;
  if (const size_t at = said.rfind(kMessage); at != std::string::npos)
    said = said.substr(at + kMessage.size());
  while (said.ends_with('\n')) said.pop_back();
  if (said.ends_with('"')) said.pop_back();
  for (size_t at = 0; (at = said.find("\\\"", at)) != std::string::npos; ++at) said.erase(at, 1);
  const size_t name_end = said.starts_with(kParsing) ? said.find(kNameEnd) : std::string::npos;
  return name_end == std::string::npos ? said : said.substr(name_end + kNameEnd.size());
}

const std::string& SaidBy(const CommandEnd& end) {
  return end.errors.empty() ? end.output : end.errors;
}

class RegistryDocuments : public ImageDocuments {
 public:
  RegistryDocuments(const LayeredImage& image, const RegistryPlace& place)
      : image_(image), place_(place) {}

  // "sha256:…" of what the tag names.
  Result<std::string> Resolve() {
    resolved_ = GP_TRY(Inspect("", "--raw"));
    return kDigestPrefix + Sha256(*resolved_);
  }

  std::string Name() const override { return image_.repository; }
  std::string NameOf(const std::string& digest) const override {
    return image_.repository + "@" + Printable(digest, 80);
  }
  Result<std::string> Manifest(const std::string& digest) override {
    if (resolved_ && kDigestPrefix + Sha256(*resolved_) == digest)
      return *std::exchange(resolved_, {});
    return Inspect(digest, "--raw");
  }
  Result<std::string> Config(const std::string&, const std::string& manifest) override {
    return Inspect(manifest, "--config", "--raw");
  }
  // What it sends is limited to that.
  Status Locate(LayerPlan&) override { return Ok(); }

 private:
  // Of this digest; empty: what the tag names.
  template <typename... Flags>
  Result<std::string> Inspect(const std::string& digest, Flags... flags) const {
    LayeredImage asked = image_;
    asked.digest = digest;
    std::vector<std::string> words{"inspect", flags...};
    AddAccess(image_, place_, "", words);
    words.push_back("docker://" + gp::NameOf(asked));
    CommandEnd end = RunSkopeo(words, place_, kInspectTimeLimit);
    if (!end.ok) return Fail(RegistryError(SaidBy(end), asked));
    if (end.output.size() > static_cast<size_t>(kImageDocumentBytesMax))
      return Fail(InvalidArgument(gp::NameOf(asked) + " has a manifest that is too large"));
    return std::move(end.output);
  }

  const LayeredImage& image_;
  const RegistryPlace& place_;
  std::optional<std::string> resolved_;  // the document that the tag names
};

// What stands for a layer that is on the node: skopeo pulls no blob that has a file.
Status StandFor(const std::string& blobs, const std::string& digest) {
  const std::string path = blobs + "/" + digest.substr(sizeof kDigestPrefix - 1);
  const Descriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.valid() ? Ok() : Fail(Internal("cannot make " + path));
}

// Whether the host lets images in only on conditions, such as a signature.
bool HasPolicy() {
  std::ifstream file(kPolicy);
  const json policy = json::parse(file, nullptr, false);
  const json lets_all = {{{"type", "insecureAcceptAnything"}}};
  const bool is_there = access(kPolicy, F_OK) == 0;
  return is_there && (MemberOf(policy, "default") != lets_all ||
                      MemberOf(MemberOf(policy, "transports"), "docker").is_object());
}

// Skopeo asks for the policy's conditions only when it copies, so it copies all but the layers.
Status Admit(const LayeredImage& image, const RegistryPlace& place, const ImagePlan& plan) {
  if (!HasPolicy()) return Ok();
  std::set<std::string> layers;
  for (const LayerPlan& layer : plan.layers) layers.insert(layer.digest);
  RegistryPlace admitted = place;
  admitted.directory += "/admitted";
  return PullLayers({.source = ImageReference::Source::kRegistry,
                     .repository = image.repository,
                     .digest = plan.manifest},
                    admitted, {layers.begin(), layers.end()}, 0, [](int64_t) {});
}

}  // namespace

Error RegistryError(const std::string& printed, const LayeredImage& image) {
  const std::string said = LastMessage(printed);
  // The user chose the image's name, which says nothing of whose fault it is.
  std::string judged = said;
  for (const std::string& name :
       {image.repository + ":" + image.tag, image.repository, "manifest " + image.tag + " in"})
    Erase(name, judged);
  const bool is_of_user = std::ranges::any_of(
      kOfUser, [&](const char* part) { return judged.find(part) != std::string::npos; });
  const std::string message = "cannot pull " + NameOf(image) + ": " + Printable(said, kSaidMax);
  return is_of_user ? InvalidArgument(message) : Internal(message);
}

Result<std::string> CredentialsFile(const std::string& repository, std::string_view secret) {
  const auto refused = Fail(InvalidArgument(
      "image_credentials: the secret is neither user:password nor Docker's config.json"));
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r'))
    secret.remove_suffix(1);
  if (secret.starts_with('{')) {
    const json file = json::parse(secret, nullptr, false);
    const json& auths = MemberOf(file, "auths");
    if (!auths.is_object() || auths.empty()) return refused;
    json taken = json::object();  // of other members some name programs to run
    for (const auto& [host, one] : auths.items()) {
      const std::string auth = TextOf(one, "auth");
      if (!FromBase64(auth)) return refused;
      taken[host] = {{"auth", auth}};
    }
    return json{{"auths", taken}}.dump();
  }
  if (secret.find(':') == std::string_view::npos || secret.front() == ':') return refused;
  const std::string host = repository.substr(0, repository.find('/'));
  return json{{"auths", {{host, {{"auth", ToBase64(secret)}}}}}}.dump();
}

std::vector<std::string> ProxyVariables() {
  std::vector<std::string> variables;
  for (const char* name : kProxyVariables) {
    if (const char* value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  return variables;
}

Status PullLayers(const LayeredImage& image, const RegistryPlace& place,
                  const std::vector<std::string>& present, int64_t bytes_max,
                  const std::function<void(int64_t bytes)>& progress) {
  const std::string blobs = place.directory + "/blobs/sha256";
  std::error_code failed;
  std::filesystem::create_directories(blobs, failed);
  for (const std::string& digest : present) GP_CHECK_OK(StandFor(blobs, digest));
  std::vector<std::string> words;
  // Without the file skopeo refuses to copy anything.
  if (access(kPolicy, F_OK) != 0 && errno == ENOENT) words.emplace_back("--insecure-policy");
  words.insert(words.end(),
               {"copy", "--quiet", "--remove-signatures", "--dest-oci-accept-uncompressed-layers"});
  AddAccess(image, place, "src-", words);
  words.push_back("docker://" + NameOf(image));
  words.push_back("oci:" + place.directory + ":pulled");
  std::optional<PullLimit> limit;
  try {
    limit.emplace(place.directory, bytes_max + kSlack, progress);
  } catch (const std::system_error& error) {  // the user has no room for one more thread
    return Fail(Internal(std::string("cannot limit a pull: ") + error.what()));
  }
  const CommandEnd end = RunSkopeo(words, place, kPullTimeLimit, limit->stop());
  if (end.ok) return Ok();
  if (limit->is_exceeded())
    return Fail(InvalidArgument("cannot pull " + NameOf(image) + ": the registry sends more than " +
                                "the manifest says"));
  return Fail(RegistryError(SaidBy(end), image));
}

Result<std::string> ResolveTag(const LayeredImage& image, const RegistryPlace& place) {
  return RegistryDocuments(image, place).Resolve();
}

Result<ImagePlan> ReadFromRegistry(const LayeredImage& image, const RegistryPlace& place,
                                   const std::string& architecture) {
  RegistryDocuments documents(image, place);
  const std::string digest =
      image.digest.empty() ? GP_TRY(documents.Resolve()) : std::string(image.digest);
  ImagePlan plan = GP_TRY(ReadImage(documents, digest, architecture));
  GP_CHECK_OK(Admit(image, place, plan));
  return plan;
}

std::string WhyNoPulling() {
  const CommandEnd end = RunSkopeo({"--version"}, {.directory = "/"}, Duration::Seconds(10));
  return end.ok ? "" : "skopeo cannot be run: " + SaidBy(end);
}

}  // namespace gp
