#include "adapters/inbound/rest/docs_page.h"

#include <map>
#include <vector>

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

std::string Escaped(const std::string& text) {
  static const std::map<char, std::string> kEntities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "<br>"}};
  std::string escaped;
  for (const char c : text) {
    const auto entity = kEntities.find(c);
    escaped += entity == kEntities.end() ? std::string(1, c) : entity->second;
  }
  return escaped;
}

std::string Upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return text;
}

std::string Row(const std::string& method, const std::string& path, const Json& operation) {
  const std::string& summary = operation["summary"].get_ref<const std::string&>();
  return "<tr id=\"" + Escaped(operation["operationId"]) + "\"><td>" + Upper(method) +
         "</td><td><code>" + Escaped(path) + "</code></td><td>" +
         Escaped(operation.value("description", summary)) + "</td></tr>\n";
}

const std::string kDocsHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>gpu-platform API</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/app.css">
<script type="module" src="/docs.js"></script>
</head>
<body>
<div id="api">
)";

}  // namespace

std::string DocsPage(const Json& openapi) {
  std::vector<std::string> tags;  // in order of first use
  std::map<std::string, std::string> rows;
  for (const auto& [path, operations] : openapi["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      const std::string tag = operation["tags"].front();
      if (!rows.contains(tag)) tags.push_back(tag);
      rows[tag] += Row(method, path, operation);
    }
  }
  const Json& info = openapi["info"];
  std::string page = kDocsHead + "<h1>gpu-platform API " + Escaped(info["version"]) + "</h1>\n<p>" +
                     Escaped(info["description"]) +
                     "</p>\n<p>With all messages and fields, for programs: <a "
                     "href=\"/openapi.json\">/openapi.json</a> (OpenAPI 3.1).</p>\n";
  for (const std::string& tag : tags)
    page += "<h2>" + Escaped(tag) + "</h2>\n<table>\n" + rows[tag] + "</table>\n";
  return page + "</div></body></html>\n";
}

}  // namespace gp
