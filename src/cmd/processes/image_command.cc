// Processes that the agent runs to read and unpack images, whose files are of unknown origin.
// Hidden.

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/images/files/image_layout.h"
#include "adapters/outbound/images/files/squashfs_image.h"
#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/image_trial.h"
#include "adapters/outbound/images/registry_client.h"
#include "base/ignore_result.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

constexpr size_t kCredentialsBytesMax = 1 << 20;
constexpr Duration kDiscardTimeLimit = Duration::Seconds(30);  // for each step

struct ImageWords {
  LayeredImage image;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string identity;  // of a squashfs file
  LayerPlan layer;       // that is unpacked
  std::string digest;    // of a layer
  std::vector<std::string> present;
  std::string root;
  std::string list;
  bool is_check = false;
  bool has_credentials = false;  // on standard input
  int64_t bytes_max = 0;
};

Error CannotBe(uid_t uid) {
  return Internal("cannot act as the user " + std::to_string(uid) + ": " + std::strerror(errno));
}

// It works for the agent alone, and a file server may hold it.  A change of ids undoes this.
void EndWithParent() { prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

Status BecomeForEver(const ImageWords& words) {
  if (setgroups(words.groups.size(), words.groups.data()) == 0 &&
      setresgid(words.gid, words.gid, words.gid) == 0 &&
      setresuid(words.uid, words.uid, words.uid) == 0) {
    EndWithParent();
    return Ok();
  }
  return Fail(CannotBe(words.uid));
}

// The secrets of a user are few bytes.
std::string ReadInput() {
  std::string input(kCredentialsBytesMax, '\0');
  input.resize(std::fread(input.data(), 1, input.size(), stdin));
  return input;
}

RegistryPlace PlaceOf(const ImageWords& words) {
  return {.directory = words.image.path,
          .credentials = words.has_credentials ? ReadInput() : std::string()};
}

bool IsSquashfsFile(const ImageWords& words) {
  return words.image.source == ImageReference::Source::kSquashfs;
}

Result<ImagePlan> ReadPlan(const ImageWords& words) {
  GP_CHECK_OK(BecomeForEver(words));
  if (words.image.source == ImageReference::Source::kRegistry)
    return ReadFromRegistry(words.image, PlaceOf(words), ThisArchitecture());
  if (IsSquashfsFile(words)) return ReadSquashfs(words.image, words.identity, ThisArchitecture());
  return ReadLayout(words.image, ThisArchitecture());
}

Result<std::string> Identify(const ImageWords& words) {
  GP_CHECK_OK(BecomeForEver(words));
  if (words.image.source == ImageReference::Source::kRegistry)
    return ResolveTag(words.image, PlaceOf(words));
  return IdentityOf(words.image.path);
}

// Also what its owner has closed to himself.
Status Discard(const ImageWords& words) {
  GP_CHECK_OK(BecomeForEver(words));
  const CommandOptions options{.time_limit = kDiscardTimeLimit, .group = CommandGroup::kOurs};
  IgnoreResult(RunCommand({"/bin/chmod", "-R", "u+rwx", words.image.path}, options),
               "what cannot be changed is not removed");
  const CommandEnd end =
      RunCommand({"/bin/rm", "-rf", "--one-file-system", words.image.path}, options);
  return end.ok ? Ok() : Fail(Internal(end.output));
}

Status Pull(const ImageWords& words) {
  GP_CHECK_OK(BecomeForEver(words));
  return PullLayers(words.image, PlaceOf(words), words.present, words.bytes_max, [](int64_t bytes) {
    std::fputs(PulledText(bytes).c_str(), stdout);
    std::fflush(stdout);
  });
}

// Root may not be able to read what the user can.  The user cannot signal this process, whose real
// user stays root, and it parses nothing meanwhile.
Result<ImageFile> OpenAs(const ImageWords& words) {
  if (setgroups(words.groups.size(), words.groups.data()) != 0 || setresgid(0, words.gid, 0) != 0 ||
      setresuid(0, words.uid, 0) != 0)
    return Fail(CannotBe(words.uid));
  EndWithParent();
  Result<ImageFile> blob =
      IsSquashfsFile(words) ? OpenImageFile(words.image.path) : OpenBlob(words.image, words.layer);
  if (setresuid(0, 0, 0) != 0 || setresgid(0, 0, 0) != 0 || setgroups(0, nullptr) != 0)
    return Fail(CannotBe(0));
  return blob;
}

Result<UnpackedLayer> RunOnLayer(const ImageWords& words) {
  ImageFile blob = GP_TRY(OpenAs(words));
  if (IsSquashfsFile(words))
    blob = GP_TRY(ConvertSquashfs(blob, [&] { return BecomeForEver(words).has_value(); }));
  const Descriptor root(open(words.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return Fail(Internal("cannot open " + words.root));
  if (words.is_check) return CheckLayer(blob, root, words.bytes_max);
  return UnpackLayer(blob, root,
                     {.bytes_max = words.bytes_max, .has_marks = !IsSquashfsFile(words)});
}

// What the words of the agent mean.
std::map<std::string, ImageReference::Source> SourcesByWord() {
  using Source = ImageReference::Source;
  return {{"layout", Source::kLayout},
          {"registry", Source::kRegistry},
          {"docker-archive", Source::kDockerArchive},
          {"oci-archive", Source::kOciArchive},
          {"squashfs", Source::kSquashfs}};
}

Result<Descriptor> OpenRoot(const ImageWords& words) {
  Descriptor root(open(words.root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (root.valid()) return root;
  return Fail(Internal("cannot open " + words.root + ": " + std::strerror(errno)));
}

Status PrintList(const ImageWords& words) {
  return ListLayer(GP_TRY(OpenRoot(words)), [](std::string_view piece) {
    while (!piece.empty()) {
      const ssize_t count = write(STDOUT_FILENO, piece.data(), piece.size());
      if (count < 0) return false;
      piece.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  });
}

Result<LayerLook> Look(const ImageWords& words) {
  Descriptor list;
  if (!words.list.empty()) {
    list.Reset(open(words.list.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!list.valid() && errno == ENOENT)
      return LayerLook{.path = ".", .what = "has no list of files any more"};
    if (!list.valid()) return Fail(Internal("cannot open the layer's list of files"));
  }
  return LookAtLayer(GP_TRY(OpenRoot(words)), list, words.digest);
}

void PrintAnswer(const std::string& answer) { std::fputs(answer.c_str(), stdout); }

void AddLooks(CLI::App& image, const std::shared_ptr<ImageWords>& words, Cli& cli) {
  CLI::App* list = image.add_subcommand("list", "");
  list->add_option("--root", words->root, "The directory of a layer")->required();
  list->callback([words, &cli] {
    if (const Status listed = PrintList(*words); !listed) cli.Complain(listed.error());
  });
  CLI::App* look = image.add_subcommand("look", "");
  look->add_option("--root", words->root, "The directory of a layer")->required();
  look->add_option("--list", words->list, "The list of its files");
  look->add_option("--digest", words->digest, "Digest of the list");
  look->callback([words] { PrintAnswer(AnswerText(Look(*words))); });
}

}  // namespace

void AddImage(CLI::App& app, Cli& cli) {
  CLI::App* image = app.add_subcommand("__image", "")->group("")->require_subcommand(1);
  auto words = std::make_shared<ImageWords>();
  const auto add = [&](const char* name) {
    CLI::App* command = image->add_subcommand(name, "");
    command->add_option("--uid", words->uid, "User that the image is read as")->required();
    command->add_option("--gid", words->gid, "Group of the user")->required();
    command->add_option("--group", words->groups, "Another group of the user");
    command->add_option("--layout", words->image.path, "Directory or file of the image")
        ->required();
    command->add_option("--source", words->image.source, "What is there")
        ->transform(CLI::CheckedTransformer(SourcesByWord()));
    command->add_flag("--credentials", words->has_credentials, "Of a registry, on standard input");
    return command;
  };
  CLI::App* read = add("read");
  read->add_option("--repository", words->image.repository, "Of a registry, in place of a layout");
  read->add_option("--tag", words->image.tag, "Tag of the image");
  read->add_option("--digest", words->image.digest, "Digest of the image");
  read->add_option("--identity", words->identity, "That a squashfs file must have");
  read->callback([words] { PrintAnswer(AnswerText(ReadPlan(*words))); });
  CLI::App* identify = add("identify");
  identify->add_option("--repository", words->image.repository, "Of a registry");
  identify->add_option("--tag", words->image.tag, "Tag of the image");
  identify->callback([words] { PrintAnswer(AnswerText(Identify(*words))); });
  CLI::App* pull = add("pull");
  pull->add_option("--repository", words->image.repository, "Of a registry")->required();
  pull->add_option("--digest", words->image.digest, "Digest of the manifest")->required();
  pull->add_option("--present", words->present, "Digest of a layer that is not pulled");
  pull->add_option("--bytes-max", words->bytes_max, "Most that they may take")->required();
  pull->callback([words] { PrintAnswer(AnswerText(Pull(*words))); });
  CLI::App* discard = add("discard");
  discard->callback([words] { PrintAnswer(AnswerText(Discard(*words))); });
  CLI::App* unpack = add("unpack");
  unpack->add_option("--layer", words->layer.digest, "Digest of the layer's blob")->required();
  unpack->add_option("--begin", words->layer.begin, "Of the blob, in the file of an archive");
  unpack->add_option("--length", words->layer.length, "Of the blob there");
  unpack->add_option("--root", words->root, "An empty directory to unpack into")->required();
  unpack->add_flag("--check", words->is_check, "Only read and digest the layer");
  unpack->add_option("--bytes-max", words->bytes_max, "Most that the layer may take")->required();
  unpack->callback([words] { PrintAnswer(AnswerText(RunOnLayer(*words))); });
  AddLooks(*image, words, cli);
  CLI::App* attempt = image->add_subcommand("try", "");
  attempt->add_option("--root", words->root, "An empty directory to unpack into")->required();
  attempt->callback([words, &cli] {
    if (const Status tried = TryUnpacking(words->root); !tried) cli.Complain(tried.error());
  });
  CLI::App* squashfs = image->add_subcommand("try-squashfs", "");
  squashfs->callback([&cli] {
    if (const Status tried = TrySquashfs(); !tried) cli.Complain(tried.error());
  });
}

}  // namespace gp
