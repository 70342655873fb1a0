#include "adapters/outbound/images/layer_process.h"

#include <fcntl.h>
#include <linux/ioprio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>

#include "adapters/outbound/images/confinement.h"
#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/layer_stream.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

struct Pipe {
  Descriptor out;
  Descriptor in;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(Internal("cannot make a pipe"));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// False: the other end is closed.
bool WriteAll(const Descriptor& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(to.get(), bytes.data(), bytes.size());
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

std::string ReadAll(const Descriptor& from) {
  std::string bytes;
  char buffer[4'096];
  ssize_t count = 0;
  while (bytes.size() < kImageAnswerBytesMax &&
         (count = read(from.get(), buffer, sizeof buffer)) > 0)
    bytes.append(buffer, static_cast<size_t>(count));
  return bytes;
}

Result<UnpackedLayer> FilesOf(LayerUnpacker& unpacker, const Descriptor& archive,
                              const Descriptor& root, const LayerLimits& limits) {
  umask(022);
  GP_CHECK_OK(Confine(root));
  try {
    const UnpackedFiles files = GP_TRY(unpacker.Run(archive.get(), limits));
    return UnpackedLayer{.digest = "", .diff_id = "", .bytes = files.bytes, .files = files.files};
  } catch (const std::bad_alloc&) {
    return Fail(InvalidArgument("a layer needs more memory than unpacking may take"));
  }
}

// The process that unpacks, which has nothing but its root and two pipes.
[[noreturn]] void Unpack(LayerUnpacker& unpacker, Pipe archive, Pipe answer, const Descriptor& root,
                         const LayerLimits& limits) {
  archive.in.Reset();
  answer.out.Reset();
  for (const int inherited : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(inherited);
  const std::string text = AnswerText(FilesOf(unpacker, archive.out, root, limits));
  IgnoreResult(WriteAll(answer.in, text), "without an answer the layer is refused");
  _exit(0);
}

// To the end, or until the other process wants no more.
Result<bool> PassOn(LayerStream& stream, const Descriptor& to) {
  while (true) {
    const std::string_view piece = GP_TRY(stream.Next());
    if (piece.empty()) return true;
    if (!WriteAll(to, piece)) return false;
  }
}

Result<UnpackedLayer> AnswerOf(const Descriptor& from) {
  const std::string text = ReadAll(from);
  if (!text.empty()) return ReadUnpackedLayer(text);
  return Fail(InvalidArgument("the process that unpacks a layer was ended by what it read"));
}

// Best effort: some disks know no priorities.
void GiveWay() {
  constexpr int kWeakest = 19;
  setpriority(PRIO_PROCESS, 0, kWeakest);
  syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

Error NoMemory() {
  return InvalidArgument("the files of a layer need more memory than a look at them may take");
}

}  // namespace

Result<UnpackedLayer> UnpackLayer(const ImageFile& blob, const Descriptor& root,
                                  const LayerLimits& limits) {
  LayerUnpacker unpacker = GP_TRY(LayerUnpacker::Make());
  LayerStream stream(*GP_TRY(OpenArchiveLibrary()));
  Pipe archive = GP_TRY(MakePipe());
  Pipe answer = GP_TRY(MakePipe());
  signal(SIGPIPE, SIG_IGN);
  const pid_t child = fork();
  if (child < 0)
    return Fail(Internal(std::string("cannot start a process: ") + std::strerror(errno)));
  if (child == 0) {
    close(blob.file.get());
    Unpack(unpacker, std::move(archive), std::move(answer), root, limits);
  }
  archive.out.Reset();
  answer.in.Reset();
  GP_CHECK_OK(Confine(root));
  GP_CHECK_OK(stream.Open(blob.file.get(), blob.bytes, limits.bytes_max));
  const bool is_whole = GP_TRY(PassOn(stream, archive.in));
  archive.in.Reset();
  UnpackedLayer layer = GP_TRY(AnswerOf(answer.out));
  // It may have been subverted by what it read.
  if (layer.bytes < 0 || layer.bytes > limits.bytes_max || layer.files < 0 ||
      layer.files > limits.files_max)
    return Fail(InvalidArgument("the process that unpacks a layer counts wrongly"));
  if (!is_whole) return Fail(Internal("the process that unpacks a layer ended early"));
  LayerStream::Digests digests = stream.End();
  layer.digest = std::move(digests.blob);
  layer.diff_id = std::move(digests.archive);
  return layer;
}

Result<UnpackedLayer> CheckLayer(const ImageFile& blob, const Descriptor& root, int64_t bytes_max) {
  LayerStream stream(*GP_TRY(OpenArchiveLibrary()));
  GP_CHECK_OK(Confine(root));
  GP_CHECK_OK(stream.Open(blob.file.get(), blob.bytes, bytes_max));
  while (!GP_TRY(stream.Next()).empty()) {
  }
  LayerStream::Digests digests = stream.End();
  return UnpackedLayer{.digest = std::move(digests.blob), .diff_id = std::move(digests.archive)};
}

Status ListLayer(Descriptor root, const std::function<bool(std::string_view)>& take) {
  GP_CHECK_OK(Confine(root));
  try {
    return MakeList(std::move(root), take);
  } catch (const std::bad_alloc&) {
    return Fail(NoMemory());
  }
}

Result<LayerLook> LookAtLayer(Descriptor root, const Descriptor& list, const std::string& digest) {
  GiveWay();
  GP_CHECK_OK(Confine(root));
  try {
    return CompareWithList(std::move(root), list, digest);
  } catch (const std::bad_alloc&) {
    return Fail(NoMemory());
  }
}

}  // namespace gp
