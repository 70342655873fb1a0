// How a ProcessImageStore unpacks the layers of an image.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/layer_list.h"
#include "adapters/outbound/images/process_image_store.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

// What a layer may take on disk, by the size of its blob: most fit the first, and what is made to
// look small fits none.
constexpr int64_t kRatios[] = {4, 32, 256};
constexpr int64_t kRoomMin = 16 << 20;

// The same layer twice shows what its upper one shows, and an overlay takes a directory once.
std::vector<std::string> Stack(const LayerStore& store, const std::vector<LayerPlan>& layers) {
  std::vector<std::string> topmost_first;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    std::string root = store.RootOf(layer->diff_id);
    if (std::ranges::find(topmost_first, root) == topmost_first.end())
      topmost_first.push_back(std::move(root));
  }
  return topmost_first;
}

// Keeps what a process prints, which may be much.
class ListFile {
 public:
  explicit ListFile(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)) {}

  void Add(std::string_view piece) {
    bytes_ += static_cast<int64_t>(piece.size());
    if (bytes_ > static_cast<int64_t>(kListBytesMax)) return;
    stream_.Add(piece);
    while (!piece.empty()) {
      const ssize_t count = write(file_.get(), piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        error_ = errno;
        return;
      }
      piece.remove_prefix(static_cast<size_t>(count));
    }
  }
  Status Close() {
    if (bytes_ > static_cast<int64_t>(kListBytesMax))
      return Fail(InvalidArgument("the list of a layer's files is too long"));
    if (error_ == ENOSPC || error_ == EDQUOT)
      return Fail(Internal("the disk of unpacked images is full"));
    if (error_ != 0)
      return Fail(Internal(std::string("cannot write the list of a layer's files: ") +
                           std::strerror(error_)));
    digest_ = "sha256:" + stream_.End();
    return Ok();
  }
  const std::string& digest() const { return digest_; }
  int64_t bytes() const { return bytes_; }

 private:
  const Descriptor file_;
  Sha256Stream stream_;
  int64_t bytes_ = 0;
  int error_ = 0;  // the last one
  std::string digest_;
};

Status CheckDigests(const LayerPlan& plan, const UnpackedLayer& layer) {
  // A blob without a digest of its own in the plan may be compressed.
  const bool has_digest = plan.digest != plan.diff_id;
  if (layer.diff_id == plan.diff_id && (!has_digest || layer.digest == plan.digest)) return Ok();
  return Fail(InvalidArgument("the image's layer " + plan.digest +
                              " has other content than its manifest says: copy the image again"));
}

}  // namespace

Result<UnpackedImage> ProcessImageStore::PrepareLayers(const Request& request, ImagePlan plan) {
  std::vector<std::string> diff_ids;
  for (const LayerPlan& layer : plan.layers) {
    GP_CHECK_OK(PrepareLayer(request, layer));
    NoteUnpacked(request, layer);
    diff_ids.push_back(layer.diff_id);
  }
  records_->Note(ReferenceOf(*request.spec.layered_image), plan.digest, std::move(diff_ids));
  return UnpackedImage{.digest = std::move(plan.digest),
                       .layers = Stack(*layers_, plan.layers),
                       .environment = std::move(plan.environment),
                       .working_directory = std::move(plan.working_directory)};
}

Status ProcessImageStore::PrepareLayer(const Request& request, const LayerPlan& layer) {
  const auto state = layers_->Enter(request.spec.key, layer.diff_id, request.spec.uid);
  if (!state) return Fail(Internal("the attempt was stopped"));
  if (*state == LayerStore::State::kReady) return Ok();
  if (*state == LayerStore::State::kDamaged)
    return Fail(Internal("the node's copy of the image's layer " + layer.diff_id +
                         " is damaged, and is replaced only when no job uses or awaits it"));
  if (*state == LayerStore::State::kUnshown) return CheckContent(request, layer);
  const Status done = Unpack(request, layer);
  layers_->Leave(layer.diff_id);
  return done;
}

// Else a user who knows the digest of another user's layer would get it for an empty file.
Status ProcessImageStore::CheckContent(const Request& request, const LayerPlan& layer) {
  const std::string root = GP_TRY(layers_->Begin(layer.diff_id));
  const Result<UnpackedLayer> checked =
      RunTask(request, {.layer = layer,
                        .root = root,
                        .bytes_max = 2 * layers_->BytesOf(layer.diff_id) + kRoomMin,
                        .is_check = true});
  layers_->Abandon(root);
  if (!checked && checked.error().code != ErrorCode::kResourceExhausted)
    return Fail(checked.error());
  // One that is larger than what is there is another one.
  GP_CHECK_OK(CheckDigests(layer, checked ? *checked : UnpackedLayer{}));
  return layers_->Show(layer.diff_id, request.spec.uid);
}

Status ProcessImageStore::Unpack(const Request& request, const LayerPlan& layer) {
  for (const int64_t ratio : kRatios) {
    const int64_t wanted = std::max(layer.bytes * ratio, kRoomMin);
    const int64_t room =
        GP_TRY(layers_->MakeRoom(request.spec.key, layer.diff_id, wanted, layer.bytes));
    const std::string root = GP_TRY(layers_->Begin(layer.diff_id));
    const Result<UnpackedLayer> unpacked =
        UnpackInto(request, layer, {.layer = layer, .root = root, .bytes_max = room});
    const Status done = unpacked ? layers_->Finish(layer.diff_id, root, *unpacked, request.spec.uid)
                                 : Fail(unpacked.error());
    if (done) return done;
    layers_->Abandon(root);
    const bool is_full = done.error().code == ErrorCode::kResourceExhausted;
    if (!is_full || room < wanted) return done;
  }
  return Fail(InvalidArgument("the image's layer " + layer.digest + " is more than " +
                              std::to_string(kRatios[2]) + " times as large as its blob"));
}

Result<UnpackedLayer> ProcessImageStore::UnpackInto(const Request& request, const LayerPlan& layer,
                                                    const LayerTask& task) {
  UnpackedLayer unpacked = GP_TRY(RunTask(request, task));
  GP_CHECK_OK(CheckDigests(layer, unpacked));
  if (options_.list) GP_CHECK_OK(MakeListOf(request, task.root, unpacked));
  return unpacked;
}

// By another process than the one that has unpacked the layer and may have been subverted by it.
Status ProcessImageStore::MakeListOf(const Request& request, const std::string& root,
                                     UnpackedLayer& layer) const {
  ListFile file(LayerStore::ListFor(root));
  free_processes_.acquire();
  const CommandEnd end = RunCommand(
      options_.list(root), {.time_limit = options_.unpack_time_limit,
                            .stop_fd = request.stop->get(),
                            .has_environment = false,
                            .separate_errors = true,
                            .on_output = [&file](std::string_view piece) { file.Add(piece); }});
  free_processes_.release();
  if (!end.ok)
    return Fail(Internal("the files of a layer cannot be listed: " +
                         (end.errors.empty() ? end.output : end.errors)));
  GP_CHECK_OK(file.Close());
  layer.list = file.digest();
  layer.bytes += file.bytes();
  return Ok();
}

// A user can stop the process that converts a squashfs file, so it keeps no turn from others.
CommandEnd ProcessImageStore::RunInTurn(std::vector<std::string> words,
                                        const Request& request) const {
  if (request.spec.layered_image->source == ImageReference::Source::kSquashfs)
    return Run(std::move(words), request, options_.unpack_time_limit);
  free_processes_.acquire();
  CommandEnd end{.ok = false, .output = "the attempt was stopped"};
  if (!IsStopped(request.stop)) end = Run(std::move(words), request, options_.unpack_time_limit);
  free_processes_.release();
  return end;
}

Result<UnpackedLayer> ProcessImageStore::RunTask(const Request& request,
                                                 const LayerTask& task) const {
  const CommandEnd end = RunInTurn(options_.unpack(request.spec, task), request);
  if (!end.ok) return Fail(Internal("a layer cannot be unpacked: " + end.output));
  return ReadUnpackedLayer(end.output);
}

}  // namespace gp
