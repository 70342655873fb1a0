#include "adapters/outbound/objects/servers/xml_reader.h"

#include <expat.h>

#include <memory>
#include <vector>

namespace gp {
namespace {

constexpr size_t kXmlDepthMax = 8;
constexpr size_t kTextMax = 16 << 10;

// The state of one reading, which expat's handlers, being C functions, receive as a pointer.
class XmlReading {
 public:
  using OnEnd = std::function<Status(const std::string&, const std::string&)>;

  explicit XmlReading(const OnEnd& on_end) : on_end_(on_end), parser_(XML_ParserCreate(nullptr)) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), Begin, End);
    XML_SetCharacterDataHandler(parser_.get(), Text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), Doctype);
  }

  Status Read(std::string_view document) {
    const XML_Status read =
        XML_Parse(parser_.get(), document.data(), static_cast<int>(document.size()), 1);
    if (!status_) return status_;
    if (read == XML_STATUS_OK) return Ok();
    return Fail(InvalidArgument(std::string("its answer is no XML: ") +
                                XML_ErrorString(XML_GetErrorCode(parser_.get()))));
  }

 private:
  struct Element {
    size_t path_size;  // of the path without this element
    std::string text;
  };

  static XmlReading& Of(void* reading) { return *static_cast<XmlReading*>(reading); }

  static void XMLCALL Begin(void* reading, const XML_Char* name, const XML_Char**) {
    Of(reading).BeginElement(name);
  }
  static void XMLCALL End(void* reading, const XML_Char*) { Of(reading).EndElement(); }
  static void XMLCALL Text(void* reading, const XML_Char* text, int size) {
    Of(reading).AddText({text, static_cast<size_t>(size)});
  }
  static void XMLCALL Doctype(void* reading, const XML_Char*, const XML_Char*, const XML_Char*,
                              int) {
    Of(reading).Refuse(InvalidArgument("its answer is XML with a DOCTYPE"));
  }

  // Expat may still call some handlers after that.
  void Refuse(Error error) {
    if (status_) status_ = Fail(std::move(error));
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void BeginElement(std::string_view name) {
    if (elements_.size() >= kXmlDepthMax)
      return Refuse(InvalidArgument("its answer is XML that is nested too deeply"));
    elements_.push_back({path_.size(), ""});
    if (!path_.empty()) path_ += '/';
    path_ += name.substr(name.rfind(':') + 1);
  }
  void AddText(std::string_view text) {
    if (elements_.empty()) return;
    std::string& whole = elements_.back().text;
    if (whole.size() + text.size() > kTextMax)
      return Refuse(InvalidArgument("its answer is XML with a text that is too long"));
    whole += text;
  }
  void EndElement() {
    if (elements_.empty() || !status_) return;
    if (Status taken = on_end_(path_, elements_.back().text); !taken)
      Refuse(std::move(taken).error());
    path_.resize(elements_.back().path_size);
    elements_.pop_back();
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  const OnEnd& on_end_;
  const std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::string path_;
  std::vector<Element> elements_;  // from the root to the present one
  Status status_;
};

}  // namespace

Status ReadXml(std::string_view document,
               const std::function<Status(const std::string&, const std::string&)>& on_end) {
  return XmlReading(on_end).Read(document);
}

std::string XmlEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

}  // namespace gp
