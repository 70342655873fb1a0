#include "adapters/outbound/images/layer_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace gp {

LayerStream::~LayerStream() {
  if (reader_ != nullptr) library_.read_free(reader_);
}

la_ssize_t LayerStream::ReadBlob(archive* reader, void* self, const void** buffer) {
  LayerStream& stream = *static_cast<LayerStream*>(self);
  const auto wanted = std::min<int64_t>(stream.blob_left_, sizeof stream.buffer_);
  const ssize_t count = read(stream.blob_, stream.buffer_, static_cast<size_t>(wanted));
  if (count < 0) {
    stream.read_error_ = errno;
    stream.library_.set_error(reader, errno, "cannot read the layer");
    return ARCHIVE_FATAL;
  }
  stream.blob_left_ -= count;
  stream.compressed_.Add({stream.buffer_, static_cast<size_t>(count)});
  *buffer = stream.buffer_;
  return count;
}

Error LayerStream::Failure() {
  if (read_error_ != 0)
    return Internal(std::string("a layer cannot be read: ") + std::strerror(read_error_));
  const char* const why = library_.error_string(reader_);
  return InvalidArgument("a layer cannot be decompressed: " +
                         Printable(why == nullptr ? "it is damaged" : why));
}

Status LayerStream::Open(int blob, int64_t blob_bytes, int64_t bytes_max) {
  blob_ = blob;
  blob_left_ = blob_bytes;
  left_ = bytes_max;
  reader_ = library_.read_new();
  if (reader_ == nullptr) return Fail(Internal("out of memory"));
  // A warning says that another program would do it, which this process cannot start.
  if (library_.read_support_filter_gzip(reader_) != ARCHIVE_OK ||
      library_.read_support_filter_zstd(reader_) != ARCHIVE_OK)
    return Fail(Unsupported("the host's libarchive was built without gzip or zstd"));
  library_.read_support_format_raw(reader_);
  library_.read_support_format_empty(reader_);
  archive_entry* entry = nullptr;
  if (library_.read_open(reader_, this, nullptr, &ReadBlob, nullptr) != ARCHIVE_OK)
    return Fail(Failure());
  const int found = library_.read_next_header(reader_, &entry);
  is_empty_ = found == ARCHIVE_EOF;
  return found == ARCHIVE_OK || is_empty_ ? Ok() : Fail(Failure());
}

Result<std::string_view> LayerStream::Next() {
  const void* piece = nullptr;
  size_t size = 0;
  la_int64_t offset = 0;
  while (!is_empty_ && size == 0) {
    const int read = library_.read_data_block(reader_, &piece, &size, &offset);
    if (read == ARCHIVE_EOF) break;
    if (read != ARCHIVE_OK) return Fail(Failure());
  }
  left_ -= static_cast<int64_t>(size);
  if (left_ < 0)
    return Fail(Error{ErrorCode::kResourceExhausted, "a layer is larger than there is room for"});
  const std::string_view bytes{static_cast<const char*>(piece), size};
  plain_.Add(bytes);
  return bytes;
}

LayerStream::Digests LayerStream::End() {
  return {"sha256:" + compressed_.End(), "sha256:" + plain_.End()};
}

}  // namespace gp
