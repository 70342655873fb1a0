#include "adapters/outbound/objects/transfer_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>

#include "adapters/outbound/objects/copies.h"
#include "adapters/outbound/objects/listing.h"
#include "adapters/outbound/objects/servers/make_server.h"
#include "adapters/outbound/objects/servers/object_credentials.h"
#include "adapters/outbound/objects/tree_names.h"
#include "adapters/outbound/objects/upload.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kTaskShaDigits = 64;
constexpr mode_t kPrivateMask = 077;

Result<Descriptor> OpenDirectory(const std::string& path) {
  Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) return directory;
  const std::string message = Printable(path, 300) + ": " + std::strerror(errno);
  return Fail(errno == ENOENT ? NotFound(message) : Internal(message));
}

Status CheckSha256(const std::string& text) {
  const bool is_digest =
      text.empty() || (text.size() == kTaskShaDigits &&
                       text.find_first_not_of("0123456789abcdef") == std::string::npos);
  return is_digest ? Ok()
                   : Fail(InvalidArgument("sha256 must be 64 lower-case hexadecimal digits"));
}

TransferOptions OptionsOf(const TransferTask& task) {
  TransferOptions options{.bytes_max = task.bytes_max,
                          .include = task.include,
                          .sha256 = task.sha256,
                          .listing = task.listing,
                          .single = {},
                          .create_only = task.create_only,
                          .objects_at_once = static_cast<size_t>(task.objects_at_once),
                          .retries = {},
                          .on_progress = {}};
  options.retries.stall = task.stall;
  return options;
}

class Transfer {
 public:
  Transfer(const TransferTask& task, const std::function<Status()>& become)
      : task_(task), become_(become) {}

  Result<TransferReport> Run(const std::function<void(const TransferProgress&)>& on_progress) {
    url_ = GP_TRY(ParseObjectUrl(task_.url));
    credentials_ = GP_TRY(ParseObjectCredentials(url_.scheme, task_.credentials));
    GP_CHECK_OK(CheckSha256(task_.sha256));
    WebAccess access{.rules = GP_TRY(AddressRules::Parse(task_.allowed_addresses)),
                     .authorities = task_.authorities,
                     .retries = {},
                     .idle = std::min(task_.stall, Duration::Seconds(30))};
    access.retries.stall = task_.stall;
    const auto server = MakeObjectServer(url_.scheme, credentials_, std::move(access));
    TransferOptions options = OptionsOf(task_);
    options.on_progress = on_progress;
    if (task_.kind == TransferTask::Kind::kFetch) return Fetch(*server, options);
    // What is restored or copied may be private, and nothing says that it is not.
    umask(kPrivateMask);
    GP_CHECK_OK(become_());
    switch (task_.kind) {
      case TransferTask::Kind::kPut: return Send(*server, options);
      case TransferTask::Kind::kRestore:
        return RestorePath(*server, url_, task_.directory, options);
      default: return Survey(*server, url_, options);
    }
  }

  // Servers may say anything, also what they have received.
  Error Described(const Error& error) const {
    return {error.code,
            WithoutSecrets(error.Within(Printable(task_.url, 300)).message, credentials_)};
  }

 private:
  Result<TransferReport> Fetch(ObjectServer& server, const TransferOptions& options) {
    const Descriptor directory = GP_TRY(OpenDirectory(task_.directory));
    GP_CHECK_OK(become_());
    TransferReport report = GP_TRY(Download(server, url_, directory, options));
    // Jobs see the directory, and whoever asked notes that it is complete.
    unlinkat(directory.get(), kManifestName, 0);
    return report;
  }
  Result<TransferReport> Send(ObjectServer& server, const TransferOptions& options) {
    TransferReport report =
        GP_TRY(SendPath(server, task_.directory, url_, task_.is_fixed, options));
    IgnoreResult(RemoveReplacedCopies(server, url_, task_.staying),
                 "the copy is complete; what is left is removed after the next one");
    return report;
  }

  const TransferTask& task_;
  const std::function<Status()>& become_;
  ObjectUrl url_;
  ObjectCredentials credentials_;
};

Result<std::string> ReadAllOf(std::FILE* in) {
  std::string text(kTransferTaskBytesMax, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), in));
  if (text.size() == kTransferTaskBytesMax)
    return Fail(InvalidArgument("the task of a transfer is too long"));
  return text;
}

void PrintNow(std::FILE* out, const std::string& line) {
  std::fputs(line.c_str(), out);
  std::fflush(out);
}

Result<TransferReport> RunTaskOf(std::FILE* in, std::FILE* out,
                                 const std::function<Status()>& become) {
  const std::string text = GP_TRY(ReadAllOf(in));
  const TransferTask task = GP_TRY(ReadTask(text));
  return RunTransfer(task, become, [out](const TransferProgress& progress) {
    PrintNow(out, ProgressLine(progress));
  });
}

}  // namespace

Result<TransferReport> RunTransfer(
    const TransferTask& task, const std::function<Status()>& become,
    const std::function<void(const TransferProgress&)>& on_progress) {
  Transfer transfer(task, become);
  try {
    auto report = transfer.Run(on_progress);
    if (!report) return Fail(transfer.Described(report.error()));
    return report;
  } catch (const std::exception& error) {  // no memory, or no thread, is left
    return Fail(transfer.Described(Internal(error.what())));
  }
}

int TransferProcess(std::FILE* in, std::FILE* out, const std::function<Status()>& become) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  signal(SIGPIPE, SIG_IGN);
  umask(022);
  const auto report = RunTaskOf(in, out, become);
  PrintNow(out, AnswerLine(report));
  return report ? 0 : 1;
}

}  // namespace gp
