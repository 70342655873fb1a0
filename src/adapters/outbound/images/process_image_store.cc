#include "adapters/outbound/images/process_image_store.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "adapters/outbound/images/files/squashfs_image.h"
#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/layer_list.h"
#include "adapters/outbound/images/registry_client.h"
#include "base/ignore_result.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

// What a layer may take on disk, by the size of its blob: most fit the first, and what is made to
// look small fits none.
constexpr int64_t kRatios[] = {4, 32, 256};
constexpr int64_t kRoomMin = 16 << 20;
constexpr size_t kServedMax = 4'096;

void Wake(int event_fd) {
  const uint64_t one = 1;
  IgnoreResult(write(event_fd, &one, sizeof one), "a full counter wakes as well");
}

int64_t BootNs() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * Duration::Seconds(1).ns + now.tv_nsec;
}

bool IsOfRegistry(const LaunchSpec& spec) {
  return spec.layered_image->source == ImageReference::Source::kRegistry;
}

bool IsSquashfsFile(const LaunchSpec& spec) {
  return spec.layered_image->source == ImageReference::Source::kSquashfs;
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

// Takes the lines that a process prints while it pulls, and its answer.
class PullLines {
 public:
  explicit PullLines(std::function<void(int64_t)> pulled) : pulled_(std::move(pulled)) {}

  void Take(std::string_view piece) {
    text_ += piece;
    for (size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      const std::string line = text_.substr(0, end + 1);
      if (const auto bytes = ReadPulled(line.substr(0, end))) {
        pulled_(*bytes);
      } else if (answer_.size() + line.size() <= kImageAnswerBytesMax) {
        answer_ += line;
      }
    }
    if (text_.size() > kImageAnswerBytesMax) text_.clear();
  }
  std::string answer() const { return answer_ + text_; }

 private:
  const std::function<void(int64_t)> pulled_;
  std::string answer_;
  std::string text_;
};

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
  if (layer.digest == plan.digest && layer.diff_id == plan.diff_id) return Ok();
  return Fail(InvalidArgument("the image's layer " + plan.digest +
                              " has other content than its manifest says: copy the image again"));
}

}  // namespace

ProcessImageStore::ProcessImageStore(Options options, std::shared_ptr<LayerStore> layers,
                                     std::shared_ptr<ImageRecords> records)
    : options_(std::move(options)),
      layers_(std::move(layers)),
      records_(std::move(records)),
      event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      converted_(options_.converted_directory),
      free_processes_(options_.layers_max),
      ending_(std::make_shared<Descriptor>(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  // What an earlier agent has left: its users' processes may keep that busy.
  const std::vector<std::string> left = PullDirectory::Left(options_.pull_directory);
  if (!left.empty())
    cleaner_ = std::thread([this, left] {
      for (const std::string& path : left)
        PullDirectory::Remove(path, options_.discard, ending_->get());
    });
}

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
  pulled_.notify_all();
  Wake(ending_->get());
  for (std::thread& worker : workers_) worker.join();
  if (cleaner_.joinable()) cleaner_.join();
  close(event_fd_);
}

std::optional<Result<UnpackedImage>> ProcessImageStore::Prepare(const LaunchSpec& spec) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = prepared_.try_emplace(spec.key);
  if (!is_new) return entry->second.image;
  entry->second.stop = std::make_shared<Descriptor>(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  layers_->Pin(spec.key, "");
  waiting_.push_back({spec, entry->second.stop, ""});
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

StagingProgress ProcessImageStore::ProgressOf(const std::string& key) {
  StagingProgress progress;
  const std::lock_guard lock(mutex_);
  const auto entry = prepared_.find(key);
  if (entry == prepared_.end()) return progress;
  const Prepared& prepared = entry->second;
  for (const LayerPlan& layer : prepared.layers) {
    ++progress.layers_total;
    progress.bytes_total += layer.bytes;
    if (!prepared.unpacked.contains(layer.diff_id)) continue;
    ++progress.layers;
    progress.bytes += layer.bytes;
  }
  progress.bytes = std::min(progress.bytes + prepared.pulled_bytes, progress.bytes_total);
  return progress;
}

std::vector<HeldImage> ProcessImageStore::Held() {
  std::vector<HeldImage> held;
  const auto records = records_->All();
  for (const ImageRecord& record : *records) {
    if (!layers_->HasAll(record.diff_ids)) {
      records_->Drop(record);
    } else if (held.size() < kHeldImagesMax) {
      HeldImage image{record.name, record.digest, 0, record.used_at, {}};
      for (const std::string& diff_id : record.diff_ids) image.bytes += layers_->BytesOf(diff_id);
      image.keys = layers_->KeysOf(record.diff_ids);
      held.push_back(std::move(image));
    }
  }
  return held;
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
  pulled_.notify_all();  // it waits for no turn any more
}

void ProcessImageStore::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    std::optional<Request> next;
    changed_.wait(lock, [&] { return is_ending_ || (next = TakeNext()); });
    --idle_;
    if (is_ending_) return;
    const Request request = *std::move(next);
    lock.unlock();
    Result<UnpackedImage> image = PrepareNow(request);
    lock.lock();
    if (--busy_[request.spec.uid] == 0) busy_.erase(request.spec.uid);
    changed_.notify_one();  // one of this user may have waited for that
    Prepared* prepared = Find(request);
    if (prepared == nullptr) continue;
    prepared->image = std::move(image);
    Wake(event_fd_);
  }
}

// Images of one user do not keep those of all others waiting, however slow they are.
std::optional<ProcessImageStore::Request> ProcessImageStore::TakeNext() {
  const auto may_begin = [this](const Request& request) {
    const auto busy = busy_.find(request.spec.uid);
    return busy == busy_.end() || busy->second < options_.images_per_user_max;
  };
  const auto next = std::ranges::find_if(waiting_, may_begin);
  if (next == waiting_.end()) return std::nullopt;
  Request request = std::move(*next);
  waiting_.erase(next);
  ++busy_[request.spec.uid];
  return request;
}

ProcessImageStore::Prepared* ProcessImageStore::Find(const Request& request) {
  const auto entry = prepared_.find(request.spec.key);
  const bool is_there = entry != prepared_.end() && entry->second.stop == request.stop;
  return is_there ? &entry->second : nullptr;
}

void ProcessImageStore::NoteUnpacked(const Request& request, const LayerPlan& layer) {
  const std::lock_guard lock(mutex_);
  if (Prepared* prepared = Find(request)) prepared->unpacked.insert(layer.diff_id);
}

void ProcessImageStore::NotePulled(const Request& request, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (Prepared* prepared = Find(request)) prepared->pulled_bytes = bytes;
}

// Nothing of the agent's environment is for these processes, but where proxies are.
CommandEnd ProcessImageStore::Run(std::vector<std::string> words, const Request& request,
                                  Duration time_limit,
                                  std::function<void(std::string_view)> on_output) const {
  const bool asks = IsOfRegistry(request.spec);
  return RunCommand(std::move(words),
                    {.time_limit = time_limit,
                     .stop_fd = request.stop->get(),
                     .input = request.credentials,
                     .has_environment = false,
                     .environment = asks ? options_.pull_environment : std::vector<std::string>{},
                     .output_max = kImageAnswerBytesMax,
                     .on_output = std::move(on_output)});
}

bool ProcessImageStore::IsStopped(const StopEvent& stop) {
  pollfd event{stop->get(), POLLIN, 0};
  return poll(&event, 1, 0) > 0;
}

Result<UnpackedImage> ProcessImageStore::PrepareNow(const Request& request) {
  if (IsOfRegistry(request.spec)) return PreparePulled(request);
  if (IsSquashfsFile(request.spec)) return PrepareConverted(request);
  ImagePlan plan = GP_TRY(ReadPlan(request));
  NotePlan(request, plan);
  return PrepareLayers(request, std::move(plan));
}

// Its layers come into a layout of the attempt's user, and are unpacked as those of any layout.
Result<UnpackedImage> ProcessImageStore::PreparePulled(Request request) {
  const LaunchSpec& spec = request.spec;
  std::optional<LayerStore::BlobRoom> room;  // until the directory is gone
  const PullDirectory directory = GP_TRY(PullDirectory::Make(
      options_.pull_directory, spec.key, {spec.uid, spec.gid}, options_.discard));
  request.spec.layered_image->path = directory.path();
  if (!spec.image_credentials.empty())
    request.credentials =
        GP_TRY(CredentialsFile(spec.layered_image->repository, spec.image_credentials));
  ImagePlan plan = GP_TRY(ServedPlan(request));
  NotePlan(request, plan);
  const Turn turn{spec.uid, plan.manifest};
  if (!AwaitTurn(request, turn)) return Fail(Internal("the attempt was stopped"));
  const Status pulled = PullMissing(request, plan, room);
  Result<UnpackedImage> image =
      pulled ? PrepareLayers(request, std::move(plan)) : Fail(pulled.error());
  EndTurn(turn);
  return image;
}

// Its only layer is what the file is converted to, each time that the layer is unpacked.
Result<UnpackedImage> ProcessImageStore::PrepareConverted(const Request& request) {
  const CommandEnd end = Run(options_.identify(request.spec), request, options_.read_time_limit);
  if (!end.ok) return Fail(Internal("its image cannot be looked at: " + end.output));
  const std::string identity = GP_TRY(ReadFileIdentity(end.output));
  const Turn turn{request.spec.uid, identity};
  if (!AwaitTurn(request, turn)) return Fail(Internal("the attempt was stopped"));
  Result<ImagePlan> plan = Convert(request, identity);
  EndTurn(turn);
  if (!plan) return Fail(plan.error());
  NotePlan(request, *plan);
  return PrepareLayers(request, *std::move(plan));
}

// An unchanged file is converted once for each user.
Result<ImagePlan> ProcessImageStore::Convert(const Request& request, const std::string& identity) {
  if (auto plan = converted_.Find(request.spec.uid, identity)) {
    GP_CHECK_OK(CheckImageDigest(*request.spec.layered_image, *plan));
    return *std::move(plan);
  }
  const CommandEnd end = RunInTurn(options_.convert(request.spec, identity), request);
  if (!end.ok) return Fail(Internal("its image cannot be read: " + end.output));
  ImagePlan plan = GP_TRY(ReadImagePlan(end.output));
  converted_.Note(request.spec.uid, identity, plan);
  return plan;
}

Result<ImagePlan> ProcessImageStore::ReadPlan(const Request& request) {
  const CommandEnd end = Run(options_.read(request.spec), request, options_.read_time_limit);
  if (!end.ok) return Fail(Internal("its image cannot be read: " + end.output));
  return ReadImagePlan(end.output);
}

// What a digest names never changes, but who may have it does.
Result<ImagePlan> ProcessImageStore::ServedPlan(const Request& request) {
  const LayeredImage& image = *request.spec.layered_image;
  const int64_t now = BootNs();
  const std::string access = Sha256(request.credentials);
  if (!image.digest.empty()) {
    const std::lock_guard lock(mutex_);
    std::erase_if(served_, [now](const auto& one) { return one.second.until_boot_ns <= now; });
    const auto served = served_.find({request.spec.uid, access, image.repository, image.digest});
    if (served != served_.end()) return served->second.plan;
  }
  const ImagePlan plan = GP_TRY(ReadPlan(request));
  const std::lock_guard lock(mutex_);
  if (served_.size() < kServedMax)
    served_[{request.spec.uid, access, image.repository, plan.digest}] = {
        plan, now + options_.access_lasts.ns};
  return plan;
}

void ProcessImageStore::NotePlan(const Request& request, const ImagePlan& plan) {
  std::vector<std::string> diff_ids;
  std::set<std::string> unpacked;
  for (const LayerPlan& layer : plan.layers) {
    diff_ids.push_back(layer.diff_id);
    if (layers_->IsReady(layer.diff_id, request.spec.uid)) unpacked.insert(layer.diff_id);
  }
  layers_->PinAll(request.spec.key, diff_ids);
  const std::lock_guard lock(mutex_);
  Prepared* prepared = Find(request);
  if (prepared == nullptr) return;
  prepared->digest = plan.digest;
  prepared->layers = plan.layers;
  prepared->unpacked = std::move(unpacked);
  Wake(event_fd_);
}

bool ProcessImageStore::AwaitTurn(const Request& request, const Turn& turn) {
  std::unique_lock lock(mutex_);
  const auto is_stopped = [&] { return is_ending_ || Find(request) == nullptr; };
  pulled_.wait(lock, [&] { return is_stopped() || !pulls_.contains(turn); });
  if (is_stopped()) return false;
  pulls_.insert(turn);
  return true;
}

void ProcessImageStore::EndTurn(const Turn& turn) {
  const std::lock_guard lock(mutex_);
  pulls_.erase(turn);
  pulled_.notify_all();
}

Status ProcessImageStore::PullMissing(const Request& request, const ImagePlan& plan,
                                      std::optional<LayerStore::BlobRoom>& room) {
  std::map<std::string, int64_t> missing;  // bytes by digest: a manifest may name a layer twice
  for (const LayerPlan& layer : plan.layers) {
    if (!layers_->IsReady(layer.diff_id, request.spec.uid)) missing[layer.digest] = layer.bytes;
  }
  if (missing.empty()) return Ok();
  PullTask task{.manifest = plan.manifest};
  std::set<std::string> present;
  for (const LayerPlan& layer : plan.layers) {
    if (!missing.contains(layer.digest)) present.insert(layer.digest);
  }
  task.present.assign(present.begin(), present.end());
  for (const auto& [digest, bytes] : missing) task.bytes += bytes;
  room.emplace(GP_TRY(layers_->MakeBlobRoom(request.spec.uid, task.bytes)));
  const CommandEnd end = RunPull(request, task);
  room->Landed();
  if (!end.ok) return Fail(Internal("its image cannot be pulled: " + end.output));
  return ReadDone(end.output);
}

CommandEnd ProcessImageStore::RunPull(const Request& request, const PullTask& task) {
  PullLines lines([&](int64_t bytes) { NotePulled(request, bytes); });
  CommandEnd end = Run(options_.pull(request.spec, task), request, options_.pull_time_limit,
                       [&](std::string_view piece) { lines.Take(piece); });
  if (end.ok) end.output = lines.answer();
  if (!end.ok && !lines.answer().empty()) end.output += ": " + lines.answer();
  return end;
}

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
                         " is damaged, and cannot be replaced while running jobs use it"));
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
        UnpackInto(request, layer, {.digest = layer.digest, .root = root, .bytes_max = room});
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
  const CommandEnd end = RunCommand(
      options_.list(root), {.time_limit = options_.unpack_time_limit,
                            .stop_fd = request.stop->get(),
                            .has_environment = false,
                            .separate_errors = true,
                            .on_output = [&file](std::string_view piece) { file.Add(piece); }});
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
  if (IsSquashfsFile(request.spec))
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
