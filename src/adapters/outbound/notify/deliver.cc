#include "adapters/outbound/notify/deliver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "lib/http/web_post.h"
#include "lib/secrets/secrets.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

constexpr std::string_view kKeyPrefix = "whsec_";
constexpr size_t kKeyBytesMin = 24;
constexpr size_t kKeyBytesMax = 64;
constexpr Duration kCommandMax = Duration::Seconds(30);
constexpr size_t kAnswerShown = 200;

struct Parsed {
  std::string id;
  std::string type;
  std::string text;
  nlohmann::ordered_json data;
};

// Parses a stored body, which someone may have edited or a power cut may have damaged.
Result<Parsed> Parse(const std::string& body) {
  const auto document = nlohmann::ordered_json::parse(body, nullptr, false);
  const auto has = [&](const char* name) {
    return document.is_object() && document.contains(name) && document[name].is_string();
  };
  if (!has("id") || !has("type") || !has("text"))
    return Fail(InvalidArgument("its file is damaged"));
  return Parsed{document["id"].get<std::string>(), document["type"].get<std::string>(),
                document["text"].get<std::string>(),
                document.value("data", nlohmann::ordered_json::object())};
}

// A busy or unavailable receiver is tried again; one that rejects this notification is not.
bool MayBeAskedAgain(int status) {
  return status == 408 || status == 425 || status == 429 || status >= 500;
}

Status SendWebhook(const Receiver& receiver, const std::string& id, const std::string& body,
                   Instant now, int stop_fd) {
  WebPost post;
  post.to = GP_TRY(ParseWebAddress(receiver.url));
  post.body = body;
  post.authorities = receiver.authorities;
  std::string key;
  if (!receiver.secret_file.empty()) {
    auto read = ReadWebhookKey(receiver.secret_file);
    // Retried until an operator has fixed the file
    if (!read) return Fail(Unavailable(read.error().message));
    key = *std::move(read);
  }
  const WebhookSignature signature = Sign(key, id, now, body);
  post.headers = {{"content-type", "application/json"},
                  {"webhook-id", signature.id},
                  {"webhook-timestamp", signature.timestamp}};
  if (!signature.signature.empty())
    post.headers.emplace_back("webhook-signature", signature.signature);
  const HttpAnswer answer = GP_TRY(Post(post, stop_fd));
  if (answer.status >= 200 && answer.status < 300) return Ok();
  const std::string what = post.to.host + " answers " + std::to_string(answer.status) + ": " +
                           Printable(answer.body, kAnswerShown);
  return Fail(MayBeAskedAgain(answer.status) ? Unavailable(what) : InvalidArgument(what));
}

Status Run(const std::vector<std::string>& words, const std::string& input, int stop_fd) {
  const CommandEnd end =
      RunCommand(words, {.time_limit = kCommandMax, .stop_fd = stop_fd, .input = input});
  return end.ok ? Ok() : Fail(Unavailable(Printable(end.output, kAnswerShown)));
}

// The longest beginning with at most `most` bytes that does not split a character.
std::string_view Cut(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most);
}

// Encoded for a mail header (RFC 2047): ASCII pieces.
std::string HeaderText(std::string_view text) {
  constexpr size_t kPiece = 42;
  std::string header;
  for (std::string_view piece; !text.empty(); text.remove_prefix(piece.size())) {
    piece = Cut(text, kPiece);
    header += (header.empty() ? "=?utf-8?B?" : "\n =?utf-8?B?") + ToBase64(piece) + "?=";
  }
  return header;
}

// Readable words of an internal name.
std::string Word(std::string text) {
  std::erase_if(text, [](char c) { return c <= ' ' || c > '~'; });
  return text.substr(0, 200);
}

std::string Subject(const std::string& text) {
  constexpr size_t kSubjectMax = 150;
  const std::string subject = "[gpu-platform] " + std::string(Cut(text, kSubjectMax));
  const bool is_ascii = std::ranges::all_of(subject, [](char c) { return c >= ' ' && c <= '~'; });
  return is_ascii ? subject : HeaderText(subject);
}

// Addresses with the job's user in place of the placeholder; kInvalidArgument: the result is not an
// address.
Result<std::vector<std::string>> AddressesFor(const Receiver& receiver, const Parsed& parsed) {
  const std::string user =
      parsed.data.is_object() && parsed.data.contains("user") && parsed.data["user"].is_string()
          ? parsed.data["user"].get<std::string>()
          : "";
  const bool is_plain =
      !user.empty() && user.front() != '-' && std::ranges::all_of(user, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
      });
  std::vector<std::string> addresses = receiver.recipients;
  for (std::string& address : addresses) {
    const size_t at = address.find(kUserMark);
    if (at == std::string::npos) continue;
    if (!is_plain)
      return Fail(InvalidArgument("the job's user \"" + Printable(user, 60) + "\" has no address"));
    address.replace(at, kUserMark.size(), user);
  }
  return addresses;
}

// No text of the event can become a header or end the mail: Printable leaves no line break.
std::string Letter(const NotifyConfig& config, const std::vector<std::string>& addresses,
                   const Parsed& parsed) {
  constexpr size_t kAny = 100'000;
  constexpr size_t kLineMax = 900;  // a mail's lines have 998 bytes at most
  const auto line = [](const std::string& text) {
    return std::string(Cut(Printable(text, kAny), kLineMax)) + "\n";
  };
  std::string letter = "To: " + Join(addresses, ",\n ") + "\n";
  if (!config.mail_from.empty()) letter += "From: " + config.mail_from + "\n";
  letter += "Subject: " + Subject(Printable(parsed.text, kAny)) + "\n";
  letter +=
      "Auto-Submitted: auto-generated\nMIME-Version: 1.0\nContent-Type: text/plain; "
      "charset=utf-8\nContent-Transfer-Encoding: 8bit\n";
  letter += "X-Gpu-Platform-Event: " + Word(parsed.type) +
            "\nX-Gpu-Platform-Id: " + Word(parsed.id) + "\n\n";
  letter += line(parsed.text) + "\n";
  for (const auto& [name, value] : parsed.data.items())
    letter += line(name + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return letter;
}

}  // namespace

Result<std::string> ReadWebhookKey(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Fail(InvalidArgument(path + ": " + std::strerror(errno)));
  struct stat facts{};
  char text[256];
  const bool is_file = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const ssize_t got = is_file ? read(file, text, sizeof text) : -1;
  close(file);
  if (!is_file) return Fail(InvalidArgument(path + ": is not a file"));
  if ((facts.st_mode & 077) != 0)
    return Fail(InvalidArgument(path + ": others may read this secret; chmod 600 " + path));
  std::string_view secret(text, got > 0 ? static_cast<size_t>(got) : 0);
  while (secret.ends_with('\n') || secret.ends_with('\r')) secret.remove_suffix(1);
  if (secret.starts_with(kKeyPrefix)) {
    auto key = FromBase64(secret.substr(kKeyPrefix.size()));
    if (key && key->size() >= kKeyBytesMin && key->size() <= kKeyBytesMax) return key;
  }
  return Fail(InvalidArgument(path +
                              ": must be whsec_ and 24 to 64 bytes as base64; make one: (umask "
                              "077; echo whsec_$(openssl rand -base64 32) > " +
                              path + ")"));
}

std::string ProblemOf(const Receiver& receiver) {
  if (!receiver.secret_file.empty()) {
    const auto key = ReadWebhookKey(receiver.secret_file);
    if (!key) return key.error().message;
  }
  for (const std::string& path :
       {receiver.authorities, receiver.command.empty() ? std::string() : receiver.command[0]}) {
    if (!path.empty() && access(path.c_str(), path == receiver.authorities ? R_OK : X_OK) != 0)
      return path + ": " + std::strerror(errno);
  }
  return "";
}

WebhookSignature Sign(const std::string& key, const std::string& id, Instant at,
                      const std::string& body) {
  WebhookSignature signature{id, std::to_string(at.ns / 1'000'000'000), ""};
  if (!key.empty())
    signature.signature =
        "v1," + ToBase64(HmacSha256(key, id + "." + signature.timestamp + "." + body));
  return signature;
}

Status Deliver(const NotifyConfig& config, const Receiver& receiver, const std::string& body,
               Instant now, int stop_fd) {
  const Parsed parsed = GP_TRY(Parse(body));
  switch (receiver.way) {
    case NotifyWay::kWebhook: return SendWebhook(receiver, parsed.id, body, now, stop_fd);
    case NotifyWay::kExec: return Run(receiver.command, body + "\n", stop_fd);
    case NotifyWay::kMail: {
      const std::vector<std::string> addresses = GP_TRY(AddressesFor(receiver, parsed));
      return Run({config.sendmail, "-t", "-i"}, Letter(config, addresses, parsed), stop_fd);
    }
  }
  return Ok();
}

}  // namespace gp
