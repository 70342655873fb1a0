#include "adapters/outbound/images/files/squashfs_image.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/outbound/images/confinement.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr std::string_view kSquashfsMagic = "hsqs";
constexpr std::array kReaderPlaces = {"/usr/local/bin/", "/usr/bin/"};
constexpr char kConverter[] = "sqfs2tar";
constexpr char kPrinter[] = "rdsquashfs";
constexpr char kEnvironmentFile[] = "etc/environment";  // where enroot puts that of the image
constexpr char kInput[] = "/proc/self/fd/0";
constexpr size_t kPrintedMax = 256 << 10;
constexpr size_t kFaultLengthMax = 200;
// Exit codes of a process that could not become the program: with, and without a word about it.
constexpr int kNotRun = 127;
constexpr int kMute = 126;

std::string PathOfProgram(const std::string& name) {
  const auto* const place = std::ranges::find_if(kReaderPlaces, [&](const char* directory) {
    return access((directory + name).c_str(), X_OK) == 0;
  });
  return (place == kReaderPlaces.end() ? kReaderPlaces[0] : *place) + name;
}

// A program that reads the file, and what it prints.
struct ReaderProcess {
  pid_t process = -1;
  Descriptor output;
  Descriptor errors;
};

// The new process, which becomes the program.
[[noreturn]] void Exec(const std::vector<std::string>& words, int input, int output, int errors,
                       const std::function<bool()>& become) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char* const environment[] = {const_cast<char*>("LC_ALL=C.UTF-8"), nullptr};
  signal(SIGPIPE, SIG_DFL);
  const bool has_ends = dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
                        dup2(errors, STDERR_FILENO) >= 0;
  if (has_ends && become() && ConfineReader()) execve(arguments[0], arguments.data(), environment);
  constexpr std::string_view kWhy = "it is not there, or cannot be confined";
  _exit(write(STDERR_FILENO, kWhy.data(), kWhy.size()) > 0 ? kNotRun : kMute);
}

// All descriptors but the three are closed when the program starts.
Result<ReaderProcess> StartReader(std::vector<std::string> words, int input,
                                  const std::function<bool()>& become) {
  words[0] = PathOfProgram(words[0]);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Fail(Internal("cannot make a pipe"));
  ReaderProcess reader{-1, Descriptor(ends[0]), Descriptor(memfd_create("errors", MFD_CLOEXEC))};
  const Descriptor output(ends[1]);
  reader.process = fork();
  if (reader.process == 0) Exec(words, input, output.get(), reader.errors.get(), become);
  if (reader.process > 0) return reader;
  return Fail(Internal(std::string("cannot start a process: ") + std::strerror(errno)));
}

bool StayAsWeAre() { return true; }

// Why the program has failed: kInternal: the host could not run it, or has ended it.
struct ReaderFault {
  Error error;
  bool has_exited = false;  // by itself
};

// nullopt: it has succeeded.
std::optional<ReaderFault> FaultOf(const ReaderProcess& reader) {
  int status = 0;
  while (waitpid(reader.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  std::string said(kFaultLengthMax, '\0');
  const ssize_t size = pread(reader.errors.get(), said.data(), said.size(), 0);
  said.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  while (said.ends_with('\n')) said.pop_back();
  constexpr std::string_view kOwnName = "/proc/self/fd/0: ";
  if (said.starts_with(kOwnName)) said.erase(0, kOwnName.size());
  if (said.empty()) said = "it was ended by what it read";
  const bool has_exited = WIFEXITED(status);
  const bool is_of_host = has_exited
                              ? WEXITSTATUS(status) == kNotRun || WEXITSTATUS(status) == kMute
                              : WTERMSIG(status) == SIGKILL;
  said = Printable(said, kFaultLengthMax);
  return ReaderFault{is_of_host ? Internal(said) : InvalidArgument(said), has_exited};
}

// Calls `take` with each piece of what is left, until it returns false.
template <typename Take>
Status ReadEach(int file, const std::string& name, Take take) {
  std::vector<char> buffer(1 << 18);
  while (true) {
    const ssize_t size = read(file, buffer.data(), buffer.size());
    if (size < 0) return Fail(Internal("cannot read " + name + ": " + std::strerror(errno)));
    if (size == 0 || !take(std::string_view(buffer.data(), static_cast<size_t>(size)))) return Ok();
  }
}

Result<ImageFile> OpenSquashfs(const std::string& path) {
  ImageFile file = GP_TRY(OpenImageFile(path));
  std::array<char, kSquashfsMagic.size()> begin{};
  if (pread(file.file.get(), begin.data(), begin.size(), 0) < 0)
    return Fail(Internal("cannot read " + path + ": " + std::strerror(errno)));
  if (std::string_view(begin.data(), begin.size()) == kSquashfsMagic) return file;
  return Fail(InvalidArgument(path + " is no squashfs file"));
}

std::string TimeText(const timespec& time) {
  return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec);
}

Result<std::string> IdentityIn(const ImageFile& file, const std::string& path) {
  struct stat facts;
  if (fstat(file.file.get(), &facts) != 0)
    return Fail(Internal("cannot look at " + path + ": " + std::strerror(errno)));
  return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino) + ":" +
         std::to_string(facts.st_size) + ":" + TimeText(facts.st_mtim) + ":" +
         TimeText(facts.st_ctim);
}

Result<std::string> DigestOfContent(const ImageFile& file, const std::string& path) {
  Sha256Stream content;
  GP_CHECK_OK(ReadEach(file.file.get(), path, [&](std::string_view piece) {
    content.Add(piece);
    return true;
  }));
  return "sha256:" + content.End();
}

// "sha256:…" of the archive that the file is converted to.
Result<std::string> DigestOfArchive(const ImageFile& file, const std::string& path) {
  const int64_t bytes_max = std::max(kSquashfsBytesMin, file.bytes_on_disk * kSquashfsRatioMax);
  ReaderProcess reader = GP_TRY(StartReader({kConverter, kInput}, file.file.get(), StayAsWeAre));
  Sha256Stream content;
  int64_t bytes = 0;
  GP_CHECK_OK(ReadEach(reader.output.get(), path, [&](std::string_view piece) {
    bytes += static_cast<int64_t>(piece.size());
    content.Add(piece);
    return bytes <= bytes_max;
  }));
  reader.output.Reset();  // ends one that would go on
  const std::optional<ReaderFault> fault = FaultOf(reader);
  if (bytes > bytes_max)
    return Fail(InvalidArgument(path + " is more than " + std::to_string(kSquashfsRatioMax) +
                                " times as large when it is unpacked"));
  if (fault) return Fail(fault->error.Within(path + " cannot be read"));
  return "sha256:" + content.End();
}

// Lines "NAME=value", whose values may be in quotes.  Without the file there is none.
Result<std::vector<std::string>> EnvironmentIn(const ImageFile& file, const std::string& path) {
  ReaderProcess reader = GP_TRY(
      StartReader({kPrinter, "--cat", kEnvironmentFile, kInput}, file.file.get(), StayAsWeAre));
  std::string printed;
  GP_CHECK_OK(ReadEach(reader.output.get(), path, [&](std::string_view piece) {
    printed += piece;
    return printed.size() <= kPrintedMax;
  }));
  reader.output.Reset();
  const std::optional<ReaderFault> fault = FaultOf(reader);
  const bool is_too_long = printed.size() > kPrintedMax;  // what is left is not taken
  const bool has_none = fault && fault->has_exited && fault->error.code != ErrorCode::kInternal;
  std::vector<std::string> variables;
  if (!is_too_long && has_none) return variables;
  if (!is_too_long && fault) return Fail(fault->error.Within(path + " cannot be read"));
  for (std::string line : Split(printed, '\n')) {
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string::npos) continue;
    const std::string_view value = std::string_view(line).substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      line = line.substr(0, equals + 1) + std::string(value.substr(1, value.size() - 2));
    variables.push_back(std::move(line));
  }
  return variables;
}

// As an image has it.
std::string ConfigurationOf(const std::string& archive, const std::vector<std::string>& environment,
                            const std::string& architecture) {
  const nlohmann::json config = {{"os", "linux"},
                                 {"architecture", architecture},
                                 {"rootfs", {{"diff_ids", {archive}}}},
                                 {"config", {{"Env", environment}}}};
  return config.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Status CheckImageDigest(const LayeredImage& image, const ImagePlan& plan) {
  if (image.digest.empty() || image.digest == plan.digest) return Ok();
  return Fail(InvalidArgument(image.path + " has the digest " + plan.digest + ", not " +
                              image.digest +
                              " as the job's image: it was written again since, or differs between "
                              "nodes"));
}

Result<std::string> IdentityOf(const std::string& path) {
  return IdentityIn(GP_TRY(OpenSquashfs(path)), path);
}

Result<ImagePlan> ReadSquashfs(const LayeredImage& image, const std::string& identity,
                               const std::string& architecture) {
  const std::string& path = image.path;
  const ImageFile file = GP_TRY(OpenSquashfs(path));
  const auto check_same = [&]() -> Status {
    if (GP_TRY(IdentityIn(file, path)) == identity) return Ok();
    return Fail(InvalidArgument(path + " changes while it is read: start the job again when it is "
                                       "complete"));
  };
  GP_CHECK_OK(check_same());
  ImagePlan plan;
  plan.digest = plan.manifest = GP_TRY(DigestOfContent(file, path));
  GP_CHECK_OK(CheckImageDigest(image, plan));
  const std::string archive = GP_TRY(DigestOfArchive(file, path));
  plan.layers = {{archive, archive, file.bytes_on_disk}};
  const std::vector<std::string> environment = GP_TRY(EnvironmentIn(file, path));
  GP_CHECK_OK(AddConfiguration(ConfigurationOf(archive, environment, architecture), path, path,
                               architecture, plan));
  GP_CHECK_OK(check_same());
  return plan;
}

Result<ImageFile> ConvertSquashfs(const ImageFile& file, const std::function<bool()>& become) {
  ReaderProcess reader = GP_TRY(StartReader({kConverter, kInput}, file.file.get(), become));
  return ImageFile{std::move(reader.output)};
}

Status TrySquashfs() {
  for (const char* program : {kConverter, kPrinter}) {
    const ReaderProcess reader =
        GP_TRY(StartReader({program, "--version"}, STDIN_FILENO, StayAsWeAre));
    GP_CHECK_OK(ReadEach(reader.output.get(), program, [](std::string_view) { return true; }));
    if (const auto fault = FaultOf(reader))
      return Fail(Unsupported(std::string(program) +
                              " (squashfs-tools-ng) cannot be run: " + fault->error.message));
  }
  return Ok();
}

}  // namespace gp
