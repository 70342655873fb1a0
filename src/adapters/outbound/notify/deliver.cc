#include "adapters/outbound/notify/deliver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "adapters/outbound/command/run_command.h"
#include "adapters/outbound/http/web_post.h"
#include "adapters/secrets/secrets.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr std::string_view kKeyPrefix = "whsec_";
constexpr size_t kKeyBytesMin = 24;
constexpr size_t kKeyBytesMax = 64;
constexpr Duration kCommandMax = Duration::Seconds(30);
constexpr size_t kAnswerShown = 200;

struct Parsed {
  std::string id;
  std::string text;
  nlohmann::ordered_json data;
  std::string type;
};

Result<Parsed> Parse(const std::string& body) {
  const auto document = nlohmann::ordered_json::parse(body, nullptr, false);
  if (!document.is_object() || !document.contains("id")) return Fail(InvalidArgument("this is no notification"));
  return Parsed{document.value("id", ""), document.value("text", ""), document.value("data", nlohmann::ordered_json::object()), document.value("type", "")};
}

// A receiver that is busy or away is asked again; one that refuses this very thing is not.
bool MayBeAskedAgain(int status) { return status == 408 || status == 425 || status == 429 || status >= 500; }

Status SendWebhook(const NotifyRule& rule, const std::string& id, const std::string& body, Instant now, int stop_fd) {
  WebPost post;
  post.to = GP_TRY(ParseWebAddress(rule.url));
  post.body = body;
  post.authorities = rule.authorities;
  std::string key;
  if (!rule.secret_file.empty()) {
    auto read = ReadWebhookKey(rule.secret_file);
    if (!read) return Fail(Unavailable(read.error().message));  // until somebody has mended the file
    key = *std::move(read);
  }
  const WebhookSignature signature = Sign(key, id, now, body);
  post.headers = {{"content-type", "application/json"}, {"webhook-id", signature.id}, {"webhook-timestamp", signature.timestamp}};
  if (!signature.signature.empty()) post.headers.emplace_back("webhook-signature", signature.signature);
  const HttpAnswer answer = GP_TRY(Post(post, stop_fd));
  if (answer.status >= 200 && answer.status < 300) return Ok();
  const std::string what = post.to.host + " answers " + std::to_string(answer.status) + ": " + Printable(answer.body, kAnswerShown);
  return Fail(MayBeAskedAgain(answer.status) ? Unavailable(what) : InvalidArgument(what));
}

Status Run(const std::vector<std::string>& words, const std::string& input, int stop_fd) {
  const CommandEnd end = RunCommand(words, kCommandMax, stop_fd, input);
  return end.ok ? Ok() : Fail(Unavailable(Printable(end.output, kAnswerShown)));
}

// Nothing of what happened may become a header of its own: Printable leaves no line break.
std::string Letter(const NotifyConfig& config, const NotifyRule& rule, const Parsed& parsed) {
  constexpr size_t kSubjectMax = 150;
  std::string text = "To: " + Join(rule.recipients, ", ") + "\n";
  if (!config.mail_from.empty()) text += "From: " + config.mail_from + "\n";
  text += "Subject: [gpu-platform] " + Printable(parsed.text, kSubjectMax) + "\n";
  text += "Auto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n";
  text += "X-Gpu-Platform-Event: " + Printable(parsed.type) + "\nX-Gpu-Platform-Id: " + Printable(parsed.id) + "\n\n";
  text += Printable(parsed.text, 2'000) + "\n\n";
  for (const auto& [name, value] : parsed.data.items()) {
    text += Printable(name) + ": " + Printable(value.is_string() ? value.get<std::string>() : value.dump(), 2'000) + "\n";
  }
  return text;
}

}  // namespace

Result<std::string> ReadWebhookKey(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat facts {};
  if (file < 0 || fstat(file, &facts) != 0) {
    const std::string why = std::strerror(errno);
    if (file >= 0) close(file);
    return Fail(InvalidArgument(path + ": " + why));
  }
  char text[256];
  const ssize_t got = S_ISREG(facts.st_mode) ? read(file, text, sizeof text) : -1;
  close(file);
  if ((facts.st_mode & 077) != 0) return Fail(InvalidArgument(path + ": others may read this secret; chmod 600 " + path));
  std::string_view secret(text, got > 0 ? static_cast<size_t>(got) : 0);
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.remove_suffix(1);
  if (secret.starts_with(kKeyPrefix)) {
    auto key = FromBase64(secret.substr(kKeyPrefix.size()));
    if (key && key->size() >= kKeyBytesMin && key->size() <= kKeyBytesMax) return key;
  }
  return Fail(InvalidArgument(path + ": must be whsec_ and 24 to 64 bytes as base64; make one: (umask 077; echo whsec_$(openssl rand -base64 32) > " + path + ")"));
}

WebhookSignature Sign(const std::string& key, const std::string& id, Instant at, const std::string& body) {
  WebhookSignature signature{id, std::to_string(at.ns / 1'000'000'000), ""};
  if (!key.empty()) signature.signature = "v1," + ToBase64(HmacSha256(key, id + "." + signature.timestamp + "." + body));
  return signature;
}

Status Deliver(const NotifyConfig& config, const NotifyRule& rule, const std::string& body, Instant now, int stop_fd) {
  const Parsed parsed = GP_TRY(Parse(body));
  switch (rule.way) {
    case NotifyWay::kWebhook: return SendWebhook(rule, parsed.id, body, now, stop_fd);
    case NotifyWay::kExec: return Run(rule.command, body + "\n", stop_fd);
    case NotifyWay::kMail: return Run({config.sendmail, "-t", "-i"}, Letter(config, rule, parsed), stop_fd);
  }
  return Ok();
}

}  // namespace gp
