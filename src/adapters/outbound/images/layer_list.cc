#include "adapters/outbound/images/layer_list.h"

#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/outbound/images/tree_walk.h"
#include "base/text.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

// One entry: seven words, each followed by a space, and the name, which may have any byte but this.
constexpr char kEnd = '\0';
constexpr size_t kWords = 7;
constexpr size_t kEntryMax = 1'024;
constexpr size_t kPieceBytes = 64 << 10;

std::string WordOf(const std::string& digest) { return digest.empty() ? "-" : digest; }

std::string TextOf(const TreeEntry& entry) {
  std::string text(1, entry.type);
  for (const int64_t number : {static_cast<int64_t>(entry.mode), static_cast<int64_t>(entry.uid),
                               static_cast<int64_t>(entry.gid), entry.size})
    text += " " + std::to_string(number);
  return text + " " + WordOf(entry.attributes) + " " + WordOf(entry.content) + " " + entry.name +
         kEnd;
}

template <typename Number>
bool ReadNumber(std::string_view word, Number& number) {
  const auto [rest, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  return fault == std::errc() && rest == word.data() + word.size();
}

std::optional<TreeEntry> EntryIn(std::string_view text) {
  std::string_view words[kWords];
  for (std::string_view& word : words) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    word = text.substr(0, space);
    text.remove_prefix(space + 1);
  }
  TreeEntry entry;
  const bool is_sound = words[0].size() == 1 && ReadNumber(words[1], entry.mode) &&
                        ReadNumber(words[2], entry.uid) && ReadNumber(words[3], entry.gid) &&
                        ReadNumber(words[4], entry.size);
  if (!is_sound) return std::nullopt;
  entry.type = words[0][0];
  if (words[5] != "-") entry.attributes = words[5];
  if (words[6] != "-") entry.content = words[6];
  entry.name = text;
  return entry;
}

// Reads a list once.  What cannot be read is as damaged as other content.
class ListReader {
 public:
  explicit ListReader(const Descriptor& list) : list_(list) {}

  // nullopt: the end, or no entry.
  std::optional<TreeEntry> Next() {
    size_t end = std::string::npos;
    while ((end = text_.find(kEnd, at_)) == std::string::npos) {
      text_.erase(0, at_);
      at_ = 0;
      if (text_.size() > kEntryMax || !Fill()) return std::nullopt;
    }
    const auto entry = EntryIn(std::string_view(text_).substr(at_, end - at_));
    at_ = end + 1;
    return entry;
  }

 private:
  bool Fill() {
    char piece[kPieceBytes];
    const ssize_t count = read(list_.get(), piece, sizeof piece);
    if (count <= 0) return false;
    text_.append(piece, static_cast<size_t>(count));
    return true;
  }

  const Descriptor& list_;
  std::string text_;
  size_t at_ = 0;  // of the next entry
};

// "sha256:…"; empty: it cannot be read.
std::string DigestOf(const Descriptor& list) {
  Sha256Stream digest;
  std::vector<char> piece(kPieceBytes);
  ssize_t count = 0;
  while ((count = read(list.get(), piece.data(), piece.size())) > 0)
    digest.Add({piece.data(), static_cast<size_t>(count)});
  const bool is_read = count == 0 && lseek(list.get(), 0, SEEK_SET) == 0;
  return is_read ? "sha256:" + digest.End() : "";
}

// Of two entries of the same name; empty: nothing differs.
std::string HowDiffers(const TreeEntry& listed, const TreeEntry& found) {
  if (listed.type != found.type) return "has another type";
  if (listed.size != found.size) return "has another size";
  if (listed.content != found.content)
    return found.type == 'l' ? "leads elsewhere" : "has other content";
  if (listed.mode != found.mode) return "has another mode";
  if (listed.uid != found.uid || listed.gid != found.gid) return "has another owner";
  if (listed.attributes != found.attributes) return "has other attributes";
  return "";
}

std::string Below(const std::string& directory, const std::string& name) {
  return directory.empty() || directory == "." ? name : directory + "/" + name;
}

class Comparison {
 public:
  Comparison(TreeWalk walk, const Descriptor& list) : walk_(std::move(walk)), list_(list) {}

  Result<LayerLook> Run() {
    std::string difference;
    std::optional<TreeEntry> found;
    do {
      const std::string directory = DirectoryNow(found);
      found = GP_TRY(walk_.Next());
      difference = DifferenceOf(list_.Next(), found, directory);
    } while (found && difference.empty());
    return LayerLook{.path = std::exchange(path_, ""),
                     .what = std::move(difference),
                     .files = walk_.files(),
                     .bytes = walk_.bytes()};
  }

 private:
  // Where the entry after this one is, unless this one is a directory, where it is inside.
  std::string DirectoryNow(const std::optional<TreeEntry>& last) const {
    if (!last) return "";
    const std::string path = walk_.Path();
    if (last->type == 'd' || last->type == 'e') return path;
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
  }

  std::string DifferenceOf(const std::optional<TreeEntry>& listed,
                           const std::optional<TreeEntry>& found, const std::string& directory) {
    if (found && !found->unreadable.empty()) {
      path_ = walk_.Path();
      return "cannot be read: " + found->unreadable;
    }
    if (!listed && !found) return "";
    const bool has_listed = listed && listed->type != 'e';
    const bool has_found = found && found->type != 'e';
    if (has_listed && (!has_found || listed->name < found->name)) {
      path_ = Below(directory, listed->name);
      return "is missing";
    }
    if (has_found && (!has_listed || found->name < listed->name)) {
      path_ = walk_.Path();
      return "is not of the layer";
    }
    if (!has_found) return "";  // the end of a directory, for both
    std::string difference = HowDiffers(*listed, *found);
    if (!difference.empty()) path_ = walk_.Path();
    return difference;
  }

  TreeWalk walk_;
  ListReader list_;
  std::string path_;
};

// Only that all of it can be read.
Result<LayerLook> ReadAll(TreeWalk walk) {
  LayerLook look;
  while (const auto entry = GP_TRY(walk.Next())) {
    if (entry->unreadable.empty()) continue;
    look.path = walk.Path();
    look.what = "cannot be read: " + entry->unreadable;
    break;
  }
  look.files = walk.files();
  look.bytes = walk.bytes();
  return look;
}

}  // namespace

Status MakeList(Descriptor root, const std::function<bool(std::string_view)>& take) {
  TreeWalk walk(std::move(root), false);
  std::string piece;
  size_t bytes = 0;
  while (const auto entry = GP_TRY(walk.Next())) {
    if (!entry->unreadable.empty())
      return Fail(Internal("cannot read " + Printable(walk.Path(), 100) +
                           " of a layer: " + entry->unreadable));
    const std::string text = TextOf(*entry);
    piece += text;
    bytes += text.size();
    if (bytes > kListBytesMax)
      return Fail(InvalidArgument("the names of a layer's files are too long, all together"));
    if (piece.size() < kPieceBytes) continue;
    if (!take(piece)) return Fail(Internal("the list of a layer's files cannot be written"));
    piece.clear();
  }
  if (take(piece)) return Ok();
  return Fail(Internal("the list of a layer's files cannot be written"));
}

Result<LayerLook> CompareWithList(Descriptor root, const Descriptor& list,
                                  const std::string& digest) {
  TreeWalk walk(std::move(root), true);
  if (!list.valid()) return ReadAll(std::move(walk));
  if (DigestOf(list) != digest)
    return LayerLook{.path = ".", .what = "has a list of files that is itself damaged"};
  return Comparison(std::move(walk), list).Run();
}

}  // namespace gp
