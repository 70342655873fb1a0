#include "adapters/outbound/objects/listing.h"

#include <algorithm>

#include "adapters/outbound/objects/tree_names.h"
#include "base/text.h"
#include "files/beneath.h"
#include "lib/secrets/secrets.h"

namespace gp {
namespace {

Error TooMany(const std::string& what) { return {ErrorCode::kResourceExhausted, what}; }

std::string CountOf(const ObjectTree& tree) {
  return Count(static_cast<int64_t>(tree.entries.size()), "object");
}

}  // namespace

Result<Listing> ListIncluded(ObjectServer& server, const ObjectUrl& root,
                             const TransferOptions& options) {
  Listing listing{.tree = GP_TRY(server.List(root))};
  ObjectTree& tree = listing.tree;
  std::erase_if(tree.entries, [&](const ObjectEntry& entry) {
    const std::string name = entry.Name();
    return name == kManifestName || !IsIncluded(name, options.include);
  });
  if (tree.entries.empty()) return Fail(NotFound("no object is included: check the patterns"));
  GP_CHECK_OK(CheckNames(tree));
  if (tree.entries.size() > kObjectsMax) return Fail(TooMany("it has more than a million objects"));
  listing.bytes = GP_TRY(BytesIn(tree));
  if (listing.bytes > options.bytes_max)
    return Fail(TooMany("it has " + BytesToText(listing.bytes) + " in " + CountOf(tree) +
                        ", and there may be " + BytesToText(options.bytes_max)));
  if (!options.sha256.empty() && tree.entries.size() != 1)
    return Fail(InvalidArgument("sha256 is that of one file, and the URL has " + CountOf(tree)));
  std::ranges::sort(tree.entries, {}, &ObjectEntry::NameView);
  return listing;
}

std::string DigestOf(const Listing& listing) {
  std::string text = listing.tree.version + "\n";
  for (const ObjectEntry& entry : listing.tree.entries) {
    const std::string& content = entry.version.empty() ? entry.sha256 : entry.version;
    if (content.empty() && listing.tree.version.empty()) return "";
    // A name has no zero byte.
    text += entry.Name() + '\0' + std::to_string(entry.size) + " " + content + "\n";
  }
  return "sha256:" + Sha256(text);
}

std::string SingleName(const ObjectUrl& root, const Listing& listing) {
  if (listing.tree.entries.size() != 1) return "";
  const std::string name = listing.tree.entries.front().Name();
  const bool is_web = root.scheme == ObjectScheme::kHttps || root.scheme == ObjectScheme::kHttp;
  return is_web || LastPartOf(root.path) == name ? name : "";
}

Result<TransferReport> Survey(ObjectServer& server, const ObjectUrl& root,
                              const TransferOptions& options) {
  const Listing listing = GP_TRY(ListIncluded(server, root, options));
  return TransferReport{.digest = DigestOf(listing),
                        .version = listing.tree.version,
                        .bytes = listing.bytes,
                        .files = static_cast<int64_t>(listing.tree.entries.size()),
                        .left_out = listing.tree.left_out,
                        .single = SingleName(root, listing)};
}

}  // namespace gp
