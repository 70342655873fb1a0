#include "adapters/outbound/kernel_log/parse_xid.h"

#include <limits>

#include "adapters/outbound/kernel_log/cursor.h"
#include "adapters/outbound/kernel_log/other_lines.h"
#include "adapters/outbound/kernel_log/process_part.h"
#include "adapters/outbound/kernel_log/xid_message.h"

namespace gp {
namespace {

constexpr int kKernelFacility = 0;
constexpr int kUserFacility = 1;
constexpr int kInstanceMax = 65535;

// Digits only, as many as a 64-bit number has at most.
bool IsCount(std::string_view text) {
  return !text.empty() && text.size() <= 20 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Consumes the header, and returns whether to trust the writer.
bool SkipHeader(Cursor& record, bool accept_user) {
  const auto priority = record.Number(std::numeric_limits<int>::max());
  if (!priority || !record.Skip(",")) return false;
  const auto sequence = record.Until(',');
  if (!sequence || !IsCount(*sequence)) return false;
  const auto microseconds = record.Until(',');
  if (!microseconds || !IsCount(*microseconds)) return false;
  const auto flags = record.Until(';');
  if (!flags || flags->find('\n') != std::string_view::npos) return false;
  const int facility = *priority >> 3;  // the low bits are the level
  return facility == kKernelFacility || (accept_user && facility == kUserFacility);
}

// The number after `word`, if the word exists.  False: the word has no number.
bool TakeInstance(Cursor& line, std::string_view word, std::optional<int>& instance) {
  if (!line.Skip(word)) return true;
  instance = line.Number(kInstanceMax);
  return instance.has_value();
}

// Up to the number, which must be complete: a comma always follows it.
bool TakeLocationAndNumber(Cursor& line, KernelXid& found) {
  if (!line.Skip("NVRM: Xid (")) return false;
  line.Skip("PCI:");  // old drivers leave it out
  const auto bus_id = TakeBusId(line);
  if (!bus_id) return false;
  if (!TakeInstance(line, " GPU-I:", found.gpu_instance)) return false;
  if (!TakeInstance(line, " GPU-CI:", found.compute_instance)) return false;
  if (!line.Skip("): ")) return false;
  const auto xid = line.Number(kKernelXidMax);
  if (!xid || *xid == 0 || !line.Skip(",")) return false;
  found.bus_id = *bus_id;
  found.xid = *xid;
  return true;
}

}  // namespace

std::optional<std::string_view> TextOf(std::string_view kmsg_record, bool accept_user) {
  if (kmsg_record.size() > kKernelRecordBytesMax) return std::nullopt;
  Cursor record(kmsg_record);
  if (!SkipHeader(record, accept_user)) return std::nullopt;
  // Line breaks in the text are escaped; after a real one come the properties.
  return record.left().substr(0, record.left().find('\n'));
}

std::optional<KernelXid> ParseXid(std::string_view kmsg_record, bool accept_user) {
  const auto text = TextOf(kmsg_record, accept_user);
  if (!text) return std::nullopt;
  Cursor line(*text);
  KernelXid found;
  if (!TakeLocationAndNumber(line, found)) return std::nullopt;
  line.Skip(" ");
  const ProcessPart process = ReadProcessPart(line.left());
  found.pid = process.pid;
  found.name = process.name;
  found.reported = AdviceOf(found.xid, process.message);
  found.is_fatal = IsFatal(found.xid, process.message);
  found.is_of_peer = IsOfPeer(found.xid, process.message);
  found.text = *text;
  return found;
}

}  // namespace gp
