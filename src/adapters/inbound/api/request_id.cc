#include "adapters/inbound/api/request_id.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "base/digest.h"

namespace gp {
namespace {

Status CheckRequestId(std::string_view id) {
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (id.empty() || id.size() > kRequestIdMax || !std::ranges::all_of(id, is_printable))
    return Fail(InvalidArgument("Idempotency-Key: 1 to 128 printable ASCII characters"));
  return Ok();
}

// Equal requests have equal bytes: the entries of maps are sorted.
std::string BytesOf(const google::protobuf::Message& request) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  request.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace

Status WithRequestId(const Caller& caller, std::optional<std::string_view> id,
                     std::string_view operation, const google::protobuf::Message& request,
                     const std::function<Status(const Caller&)>& answer) {
  if (!id) return answer(caller);
  GP_CHECK_OK(CheckRequestId(*id));
  Caller known = caller;
  known.request = {std::string(*id), Digest64(BytesOf(request), Digest64(operation))};
  return answer(known);
}

}  // namespace gp
