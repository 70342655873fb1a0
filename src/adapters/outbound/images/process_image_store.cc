#include "adapters/outbound/images/process_image_store.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/outbound/images/image_answers.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

// What a layer may take on disk, by the size of its blob: most fit the first, and what is made to
// look small fits none.
constexpr int64_t kRatios[] = {4, 32, 256};
constexpr int64_t kRoomMin = 16 << 20;

void Wake(int event_fd) {
  const uint64_t one = 1;
  IgnoreResult(write(event_fd, &one, sizeof one), "a full counter wakes as well");
}

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

Status CheckDigests(const LayerPlan& plan, const UnpackedLayer& layer) {
  if (layer.digest == plan.digest && layer.diff_id == plan.diff_id) return Ok();
  return Fail(InvalidArgument("the image's layer " + plan.digest +
                              " has other content than its manifest says: copy the image again"));
}

}  // namespace

ProcessImageStore::ProcessImageStore(Options options, std::unique_ptr<LayerStore> layers)
    : options_(std::move(options)),
      layers_(std::move(layers)),
      event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      free_processes_(options_.layers_max) {}

ProcessImageStore::~ProcessImageStore() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    for (const auto& [key, prepared] : prepared_) {
      Wake(prepared.stop->get());
      layers_->Unpin(key);
    }
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  close(event_fd_);
}

std::optional<Result<UnpackedImage>> ProcessImageStore::Prepare(const LaunchSpec& spec) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = prepared_.try_emplace(spec.key);
  if (!is_new) return entry->second.image;
  entry->second.stop = std::make_shared<Descriptor>(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  layers_->Pin(spec.key, "");
  waiting_.push_back({spec, entry->second.stop});
  if (idle_ < waiting_.size() && workers_.size() < options_.images_max)
    workers_.emplace_back([this] { Work(); });
  changed_.notify_one();
  return std::nullopt;
}

std::string ProcessImageStore::DigestOf(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto entry = prepared_.find(key);
  return entry == prepared_.end() ? "" : entry->second.digest;
}

void ProcessImageStore::ClearEvents() {
  uint64_t drained = 0;
  IgnoreResult(read(event_fd_, &drained, sizeof drained), "only the wake-up matters");
}

void ProcessImageStore::Keep(const std::string& key, const std::vector<std::string>& layers) {
  for (const std::string& root : layers) layers_->Pin(key, root);
}

void ProcessImageStore::Release(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto entry = prepared_.find(key);
  if (entry != prepared_.end()) {
    Wake(entry->second.stop->get());
    prepared_.erase(entry);
  }
  std::erase_if(waiting_, [&](const Request& request) { return request.spec.key == key; });
  layers_->Unpin(key);
}

void ProcessImageStore::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
    --idle_;
    if (is_ending_) return;
    const Request request = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Result<UnpackedImage> image = PrepareNow(request);
    lock.lock();
    Prepared* prepared = Find(request);
    if (prepared == nullptr) continue;
    prepared->image = std::move(image);
    Wake(event_fd_);
  }
}

ProcessImageStore::Prepared* ProcessImageStore::Find(const Request& request) {
  const auto entry = prepared_.find(request.spec.key);
  const bool is_there = entry != prepared_.end() && entry->second.stop == request.stop;
  return is_there ? &entry->second : nullptr;
}

void ProcessImageStore::NoteDigest(const Request& request, const std::string& digest) {
  const std::lock_guard lock(mutex_);
  Prepared* prepared = Find(request);
  if (prepared == nullptr) return;
  prepared->digest = digest;
  Wake(event_fd_);
}

// Nothing of the agent's environment is for these processes.
CommandEnd ProcessImageStore::Run(std::vector<std::string> words, const StopEvent& stop,
                                  Duration time_limit) {
  return RunCommand(std::move(words), {.time_limit = time_limit,
                                       .stop_fd = stop->get(),
                                       .has_environment = false,
                                       .output_max = kImageAnswerBytesMax});
}

bool ProcessImageStore::IsStopped(const StopEvent& stop) {
  pollfd event{stop->get(), POLLIN, 0};
  return poll(&event, 1, 0) > 0;
}

Result<UnpackedImage> ProcessImageStore::PrepareNow(const Request& request) {
  const CommandEnd end = Run(options_.read(request.spec), request.stop, options_.read_time_limit);
  if (!end.ok) return Fail(Internal("its image cannot be read: " + end.output));
  ImagePlan plan = GP_TRY(ReadImagePlan(end.output));
  NoteDigest(request, plan.digest);
  std::vector<std::string> diff_ids;
  for (const LayerPlan& layer : plan.layers) diff_ids.push_back(layer.diff_id);
  layers_->PinAll(request.spec.key, diff_ids);
  for (const LayerPlan& layer : plan.layers) GP_CHECK_OK(PrepareLayer(request, layer));
  return UnpackedImage{.digest = std::move(plan.digest),
                       .layers = Stack(*layers_, plan.layers),
                       .environment = std::move(plan.environment),
                       .working_directory = std::move(plan.working_directory)};
}

Status ProcessImageStore::PrepareLayer(const Request& request, const LayerPlan& layer) {
  const auto state = layers_->Enter(request.spec.key, layer.diff_id, request.spec.uid);
  if (!state) return Fail(Internal("the attempt was stopped"));
  if (*state == LayerStore::State::kReady) return Ok();
  if (*state == LayerStore::State::kUnshown) return CheckContent(request, layer);
  const Status done = Unpack(request, layer);
  layers_->Leave(layer.diff_id);
  return done;
}

// Else a user who knows the digest of another user's layer would get it for an empty file.
Status ProcessImageStore::CheckContent(const Request& request, const LayerPlan& layer) {
  const std::string root = GP_TRY(layers_->Begin(layer.diff_id));
  const Result<UnpackedLayer> checked =
      RunTask(request, {.digest = layer.digest,
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
        RunTask(request, {.digest = layer.digest, .root = root, .bytes_max = room});
    Status done = unpacked ? CheckDigests(layer, *unpacked) : Fail(unpacked.error());
    if (done) done = layers_->Finish(layer.diff_id, root, *unpacked, request.spec.uid);
    if (done) return done;
    layers_->Abandon(root);
    const bool is_full = done.error().code == ErrorCode::kResourceExhausted;
    if (!is_full || room < wanted) return done;
  }
  return Fail(InvalidArgument("the image's layer " + layer.digest + " is more than " +
                              std::to_string(kRatios[2]) + " times as large as its blob"));
}

Result<UnpackedLayer> ProcessImageStore::RunTask(const Request& request,
                                                 const LayerTask& task) const {
  free_processes_.acquire();
  CommandEnd end{.ok = false, .output = "the attempt was stopped"};
  if (!IsStopped(request.stop))
    end = Run(options_.unpack(request.spec, task), request.stop, options_.unpack_time_limit);
  free_processes_.release();
  if (!end.ok) return Fail(Internal("a layer cannot be unpacked: " + end.output));
  return ReadUnpackedLayer(end.output);
}

}  // namespace gp
