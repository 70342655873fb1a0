#include "adapters/outbound/images/process_image_store.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "adapters/outbound/images/files/squashfs_image.h"
#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/registry_client.h"
#include "base/ignore_result.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

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
    } else if (held.size() < kHeldImagesMax && !layers_->HasDamaged(record.diff_ids)) {
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
  if (IsSquashfsFile(request.spec)) return PrepareSquashfs(request);
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
Result<UnpackedImage> ProcessImageStore::PrepareSquashfs(const Request& request) {
  const std::string identity = GP_TRY(Identify(request));
  Result<UnpackedImage> image = PrepareConverted(request, identity);
  if (image || image.error().code != ErrorCode::kInvalidArgument ||
      !converted_.Drop(request.spec.uid, identity))
    return image;
  // What was remembered may be of another version of the tool, whose archives differ.
  return PrepareConverted(request, identity);
}

Result<UnpackedImage> ProcessImageStore::PrepareConverted(const Request& request,
                                                          const std::string& identity) {
  const Turn turn{request.spec.uid, identity};
  if (!AwaitTurn(request, turn)) return Fail(Internal("the attempt was stopped"));
  Result<ImagePlan> plan = Convert(request, identity);
  EndTurn(turn);
  if (!plan) return Fail(plan.error());
  GP_CHECK_OK(CheckImageDigest(*request.spec.layered_image, *plan));
  NotePlan(request, *plan);
  return PrepareLayers(request, *std::move(plan));
}

// An unchanged file is converted once for each user.
Result<ImagePlan> ProcessImageStore::Convert(const Request& request, const std::string& identity) {
  if (auto plan = converted_.Find(request.spec.uid, identity)) return *std::move(plan);
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
  const bool has_digest = !image.digest.empty();
  const Asker asker{request.spec.uid, Sha256(request.credentials),
                    has_digest ? image.repository : image.repository + ":" + image.tag};
  const ServedKey key{asker, has_digest ? image.digest : GP_TRY(AskForDigest(request, asker))};
  if (auto plan = FindServed(key)) return *std::move(plan);
  // One of the user's requests reads it for all.
  const Turn turn{request.spec.uid, "plan of " + std::get<2>(asker) + " " + key.second};
  if (!AwaitTurn(request, turn)) return Fail(Internal("the attempt was stopped"));
  auto served = FindServed(key);
  const Result<ImagePlan> plan = served ? *std::move(served) : ReadPlan(request);
  EndTurn(turn);
  if (!plan) return plan;
  const std::lock_guard lock(mutex_);
  if (served_.size() < kServedMax)
    served_[{asker, plan->digest}] = {*plan, BootNs() + options_.access_lasts.ns};
  return plan;
}

std::optional<ImagePlan> ProcessImageStore::FindServed(const ServedKey& key) {
  const int64_t now = BootNs();
  const std::lock_guard lock(mutex_);
  std::erase_if(served_, [now](const auto& one) { return one.second.until_boot_ns <= now; });
  const auto served = served_.find(key);
  return served == served_.end() ? std::nullopt : std::optional(served->second.plan);
}

// One question serves all requests for a tag that have come before it: each gets what the tag named
// after it came.
Result<std::string> ProcessImageStore::AskForDigest(const Request& request, const Asker& asker) {
  const auto is_stopped = [&] { return is_ending_ || Find(request) == nullptr; };
  std::unique_lock lock(mutex_);
  Question& question = questions_[asker];
  ++question.requests;
  const uint64_t before = question.begun;
  pulled_.wait(lock, [&] { return is_stopped() || question.ended > before || !question.is_asked; });
  Result<std::string> answer = Fail(Internal("the attempt was stopped"));
  if (question.ended > before) {
    answer = question.answer;
  } else if (!is_stopped()) {
    const uint64_t number = ++question.begun;
    question.is_asked = true;
    lock.unlock();
    answer = Identify(request);
    lock.lock();
    question.is_asked = false;
    if (!is_stopped()) {  // else its process was stopped, too
      question.ended = number;
      question.answer = answer;
    }
    pulled_.notify_all();
  }
  if (--question.requests == 0) questions_.erase(asker);
  return answer;
}

Result<std::string> ProcessImageStore::Identify(const Request& request) const {
  const CommandEnd end = Run(options_.identify(request.spec), request, options_.read_time_limit);
  if (!end.ok) return Fail(Internal("its image cannot be looked at: " + end.output));
  return ReadFileIdentity(end.output);
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

}  // namespace gp
