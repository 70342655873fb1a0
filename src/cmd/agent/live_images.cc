#include "cmd/agent/live_images.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "adapters/outbound/images/process_image_store.h"
#include "adapters/outbound/images/registry_client.h"
#include "base/text.h"
#include "domain/model/nodes/features.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr Duration kTrialMax = Duration::Seconds(10);
constexpr char kPullDirectory[] = "image-pulls";  // below the state directory

// For a node that offers no images of layers, if a job comes nevertheless.
class NoImageStore : public ImageStore {
 public:
  explicit NoImageStore(std::string why)
      : why_(std::move(why)), event_fd_(eventfd(0, EFD_CLOEXEC)) {}
  ~NoImageStore() override { close(event_fd_); }

  std::optional<Result<UnpackedImage>> Prepare(const LaunchSpec&) override {
    return Fail(Internal("this node has no images: " + why_));
  }
  std::string DigestOf(const std::string&) override { return ""; }
  StagingProgress ProgressOf(const std::string&) override { return {}; }
  std::vector<HeldImage> Held() override { return {}; }
  void Keep(const std::string&, const std::vector<std::string>&) override {}
  void Release(const std::string&) override {}
  int EventDescriptor() const override { return event_fd_; }
  void ClearEvents() override {}

 private:
  const std::string why_;
  const int event_fd_;
};

// With the value in the same word: it may begin with a dash.
void AddWord(const std::string& flag, const std::string& value, std::vector<std::string>& words) {
  if (!value.empty()) words.push_back(flag + "=" + value);
}

const char* WordOf(ImageReference::Source source) {
  using Source = ImageReference::Source;
  switch (source) {
    case Source::kRegistry: return "registry";
    case Source::kDockerArchive: return "docker-archive";
    case Source::kOciArchive: return "oci-archive";
    case Source::kSquashfs: return "squashfs";
    case Source::kDirectory:
    case Source::kLayout: break;
  }
  return "layout";
}

std::vector<std::string> ImageCommand(const char* verb, const LaunchSpec& spec) {
  std::vector<std::string> words{ExecutablePath(), "__image", verb};
  AddWord("--uid", std::to_string(spec.uid), words);
  AddWord("--gid", std::to_string(spec.gid), words);
  AddWord("--source", WordOf(spec.layered_image->source), words);
  AddWord("--layout", spec.layered_image->path, words);
  if (!spec.image_credentials.empty()) words.emplace_back("--credentials");
  for (const uint32_t group : spec.groups) AddWord("--group", std::to_string(group), words);
  return words;
}

std::string WhyNoUnpacking(const std::string& above) {
  std::string directory = above + "/unpack-trial-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return "cannot make a directory in " + above;
  const CommandEnd end = RunCommand({ExecutablePath(), "__image", "try", "--root", directory},
                                    {.time_limit = kTrialMax});
  std::error_code failed;
  std::filesystem::remove_all(directory, failed);
  return end.ok ? "" : end.output;
}

NodeImageParts NoImages(const std::string& why) {
  return {std::make_unique<NoImageStore>(why), nullptr};
}

std::string WhyNoSquashfs() {
  const CommandEnd end =
      RunCommand({ExecutablePath(), "__image", "try-squashfs"}, {.time_limit = kTrialMax});
  return end.ok ? "" : end.output;
}

ProcessImageStore::Options StoreOptions(const AgentConfig& config) {
  ProcessImageStore::Options options;
  options.pull_directory = config.state_directory + "/" + kPullDirectory;
  options.discard = [](const std::string& path, PullDirectory::Owner owner) {
    return std::vector<std::string>{ExecutablePath(),
                                    "__image",
                                    "discard",
                                    "--uid=" + std::to_string(owner.uid),
                                    "--gid=" + std::to_string(owner.gid),
                                    "--layout=" + path};
  };
  options.pull_environment = ProxyVariables();
  options.read = [](const LaunchSpec& spec) {
    std::vector<std::string> words = ImageCommand("read", spec);
    AddWord("--repository", spec.layered_image->repository, words);
    AddWord("--tag", spec.layered_image->tag, words);
    AddWord("--digest", spec.layered_image->digest, words);
    return words;
  };
  options.identify = [](const LaunchSpec& spec) {
    std::vector<std::string> words = ImageCommand("identify", spec);
    AddWord("--repository", spec.layered_image->repository, words);
    AddWord("--tag", spec.layered_image->tag, words);
    return words;
  };
  options.convert = [read = options.read](const LaunchSpec& spec, const std::string& identity) {
    std::vector<std::string> words = read(spec);
    AddWord("--identity", identity, words);
    return words;
  };
  options.converted_directory = config.state_directory + "/images/converted";
  options.pull = [](const LaunchSpec& spec, const PullTask& task) {
    std::vector<std::string> words = ImageCommand("pull", spec);
    AddWord("--repository", spec.layered_image->repository, words);
    AddWord("--digest", task.manifest, words);
    for (const std::string& digest : task.present) AddWord("--present", digest, words);
    AddWord("--bytes-max", std::to_string(task.bytes), words);
    return words;
  };
  options.unpack = [](const LaunchSpec& spec, const LayerTask& task) {
    std::vector<std::string> words = ImageCommand("unpack", spec);
    AddWord("--layer", task.layer.digest, words);
    AddWord("--begin", std::to_string(task.layer.begin), words);
    AddWord("--length", std::to_string(task.layer.length), words);
    AddWord("--root", task.root, words);
    AddWord("--bytes-max", std::to_string(task.bytes_max), words);
    if (task.is_check) words.emplace_back("--check");
    return words;
  };
  options.list = [](const std::string& root) {
    return std::vector<std::string>{ExecutablePath(), "__image", "list", "--root=" + root};
  };
  return options;
}

LayerCare::Options CareOptions() {
  LayerCare::Options options;
  options.look = [](const LayerStore::Unpacked& layer) {
    std::vector<std::string> words{ExecutablePath(), "__image", "look", "--root=" + layer.root};
    if (layer.list.empty()) return words;
    AddWord("--list", layer.list_path, words);
    AddWord("--digest", layer.list, words);
    return words;
  };
  return options;
}

}  // namespace

NodeImageParts MakeNodeImages(const AgentConfig& config, std::string& warning) {
  if (geteuid() != 0) return NoImages("its agent is not root");
  const LayerStore::Limits limits{.bytes_max = config.image_store_gib << 30};
  auto opened = LayerStore::Open(config.state_directory + "/images", limits);
  if (!opened) {
    warning = "jobs cannot have images of layers here: " + opened.error().message;
    return NoImages(opened.error().message);
  }
  const std::shared_ptr<LayerStore> layers = *std::move(opened);
  const auto records = std::make_shared<ImageRecords>(config.state_directory + "/images/records");
  return {std::make_unique<ProcessImageStore>(StoreOptions(config), layers, records),
          std::make_unique<LayerCare>(CareOptions(), layers, records)};
}

Result<std::vector<TriedFeature>> TryAllFeatures(const std::string& programs,
                                                 const std::string& directory) {
  std::vector<TriedFeature> tried = GP_TRY(TryFeatures(programs, directory));
  const auto find = [&tried](const char* name) -> std::string& {
    return std::ranges::find(tried, name, &TriedFeature::name)->missing;
  };
  std::string& layers = find(kImageLayersFeature);
  if (layers.empty()) layers = WhyNoUnpacking(directory);
  // What is pulled is unpacked.
  find(kImagePullFeature) = layers.empty() ? WhyNoPulling() : layers;
  find(kSquashfsFeature) = layers.empty() ? WhyNoSquashfs() : layers;
  return tried;
}

}  // namespace gp
