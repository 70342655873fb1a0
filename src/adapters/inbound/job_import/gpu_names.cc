#include "adapters/inbound/job_import/gpu_names.h"

#include <algorithm>

#include "base/text.h"
#include "domain/model/nodes/mig_name.h"

namespace gp {
namespace {

constexpr size_t kModelLengthMax = 64;
constexpr std::string_view kDigits = "0123456789";

// GPUs of one architecture, as drivers name them.  Of two names with the same beginning the longer
// one comes first.
struct Family {
  std::string_view name;
  std::vector<std::string> models;
};

const std::vector<Family>& Families() {
  static const std::vector<Family> families{
      {"KEPLER", {"K80", "K40", "K20", "K10", "GTX 780"}},
      {"MAXWELL", {"M60", "M40", "M10", "M6", "M4", "GTX TITAN X", "GTX 980", "GTX 970"}},
      {"PASCAL",
       {"P100", "P40", "P6", "P4", "P6000", "P5000", "P4000", "GP100", "TITAN Xp", "GTX 1080",
        "GTX 1070", "GTX 1060"}},
      {"VOLTA", {"V100", "GV100", "TITAN V"}},
      {"TURING",
       {"T4", "Quadro RTX", "TITAN RTX", "RTX 2080", "RTX 2070", "RTX 2060", "GTX 1660",
        "GTX 1650"}},
      {"AMPERE",
       {"A100", "A800", "A40", "A30", "A16", "A10", "A2", "RTX A", "RTX 3090", "RTX 3080",
        "RTX 3070", "RTX 3060"}},
      {"ADA", {"L40", "L20", "L4", "L2", "Ada", "RTX 4090", "RTX 4080", "RTX 4070", "RTX 4060"}},
      {"LOVELACE",
       {"L40", "L20", "L4", "L2", "Ada", "RTX 4090", "RTX 4080", "RTX 4070", "RTX 4060"}},
      {"HOPPER", {"H100", "H200", "H800", "H20", "GH200"}},
      {"BLACKWELL",
       {"B200", "B100", "B300", "GB200", "GB300", "GB10", "RTX PRO", "RTX 5090", "RTX 5080",
        "RTX 5070", "RTX 5060"}},
  };
  return families;
}

// Further models that sites name.
constexpr std::string_view kOthers[] = {
    "L40S",         "L40G",         "A10G",         "V100S",        "A100X",        "A30X",
    "GTX 1080 Ti",  "RTX 2080 Ti",  "RTX 3080 Ti",  "RTX 3090 Ti",  "TITAN X",      "RTX 6000 Ada",
    "RTX 5000 Ada", "RTX 4500 Ada", "RTX 4000 Ada", "RTX 2000 Ada", "RTX A6000",    "RTX A5500",
    "RTX A5000",    "RTX A4500",    "RTX A4000",    "RTX A2000",    "RTX 8000",     "RTX 6000",
    "RTX 5000",     "RTX 4000",     "RTX PRO 6000", "RTX PRO 5000", "RTX PRO 4500", "RTX PRO 4000",
    "T400",         "T600",         "T1000",
};

// Brands and board types, which do not help to find a model.
constexpr std::string_view kBrands[] = {"NVIDIA", "TESLA", "QUADRO", "GEFORCE"};
constexpr std::string_view kBuilds[] = {"GPU",   "GRAPHICS", "CARD",   "DGX",       "HGX",   "PCIE",
                                        "PCI",   "NVLINK",   "NVL",    "SXM",       "SXM2",  "SXM3",
                                        "SXM4",  "SXM5",     "SXM6",   "HBM2",      "HBM2E", "HBM3",
                                        "HBM3E", "MIG",      "SHARED", "GENERATION"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of(kDigits) == std::string_view::npos;
}

// "80" of "80GB" or "80G".
std::string AmountOf(std::string_view word) {
  for (const std::string_view unit : {"GIB", "GB", "G"}) {
    if (word.ends_with(unit) && IsNumber(word.substr(0, word.size() - unit.size())))
      return std::string(word.substr(0, word.size() - unit.size()));
  }
  return "";
}

// Removes a MIG profile such as "2G.20GB" with its suffix (".ME", "+GFX") from the text and returns
// it.
std::optional<std::string> TakeInstance(std::string& text) {
  for (size_t dot = text.find("G."); dot != std::string::npos; dot = text.find("G.", dot + 1)) {
    size_t begin = dot, end = dot + 2;
    while (begin > 0 && IsDigit(text[begin - 1])) --begin;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (begin == dot || end == dot + 2 || text.compare(end, 2, "GB") != 0) continue;
    const std::string profile =
        text.substr(begin, dot - begin) + "g." + text.substr(dot + 2, end - dot - 2) + "gb";
    if (!ParseMigName(profile)) continue;
    end += 2;
    while (end < text.size() && (text[end] == '.' || text[end] == '+' || IsCapital(text[end])))
      ++end;
    text.replace(begin, end - begin, " ");
    return profile;
  }
  return std::nullopt;
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (IsDigit(c) || IsCapital(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The words that may name a model; an amount of memory is stored in `memory`.
std::vector<std::string> TellingWords(std::string_view text, std::string& memory) {
  std::vector<std::string> telling;
  for (std::string word : WordsOf(text)) {
    for (const std::string_view brand : kBrands) {
      if (word.starts_with(brand)) word.erase(0, brand.size());  // "TESLAP100"
    }
    if (word.empty() || std::ranges::find(kBuilds, word) != std::end(kBuilds)) continue;
    if (std::string amount = AmountOf(word); !amount.empty()) {
      memory = std::move(amount);
    } else {
      telling.push_back(std::move(word));
    }
  }
  return telling;
}

// Length of the model at the beginning of `text`, without regard to spaces; 0: the text does not
// begin with it.
size_t LengthOf(std::string_view model, std::string_view text) {
  size_t at = 0;
  for (const char c : model) {
    if (c == ' ') continue;
    while (at < text.size() && text[at] == ' ') ++at;
    if (at == text.size() || text[at] != c) return 0;
    ++at;
  }
  return at < text.size() && IsDigit(text[at - 1]) && IsDigit(text[at]) ? 0 : at;
}

struct Found {
  std::string model;
  size_t begin = 0;
  size_t length = 0;  // 0: none
};

// The longest model that begins with one of the words.
Found FindModel(const std::vector<std::string>& words) {
  Found best;
  const std::string text = Join(words, " ");
  const auto consider = [&](std::string_view model, size_t at) {
    const std::string upper = Upper(model);
    const std::string_view rest = std::string_view(text).substr(at);
    size_t length = LengthOf(upper, rest);
    // "2080ti", "a6000": names without the series.
    if (length == 0 && (upper.starts_with("RTX ") || upper.starts_with("GTX ")) && upper.size() > 6)
      length = LengthOf(upper.substr(4), rest);
    if (length > best.length) best = {std::string(model), at, length};
  };
  for (size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && text[at - 1] != ' ') continue;
    for (const Family& family : Families()) {
      for (const std::string& model : family.models) consider(model, at);
    }
    for (const std::string_view model : kOthers) consider(model, at);
  }
  return best;
}

const Family* FindFamily(const std::vector<std::string>& words) {
  const auto found = std::ranges::find_if(Families(), [&](const Family& family) {
    return std::ranges::find(words, family.name) != words.end();
  });
  return found == Families().end() ? nullptr : &*found;
}

// The model of a GPU that is not in the list: the first word with a digit, or else all words.
std::string GuessedModel(const std::vector<std::string>& words) {
  const auto telling = std::ranges::find_if(words, [](const std::string& word) {
    return word.find_first_of(kDigits) != std::string::npos;
  });
  return (telling == words.end() ? Join(words, " ") : *telling).substr(0, kModelLengthMax);
}

// Reads the words around the model: an amount of memory, and others, which are added to `left`.
void ReadOtherWords(const std::vector<std::string>& words, const Found& found, std::string& memory,
                    std::string& left) {
  const std::string all = Join(words, " ");
  // "V100_32" has 32 GB; "A100L" has a letter that only the site knows.
  for (const std::string& word :
       WordsOf(all.substr(0, found.begin) + " " + all.substr(found.begin + found.length))) {
    if (IsNumber(word) && word.size() >= 2 && word.size() <= 3) {
      memory = word;
    } else {
      left += (left.empty() ? "" : " ") + word;
    }
  }
}

// The models that a name means, and the same as a text.
struct NamedModels {
  std::vector<std::string> names;
  std::string text = "any GPU";
};

// `found`, `family`: what the words name, if they do.
NamedModels ModelsOf(const Found& found, const Family* family,
                     const std::vector<std::string>& words) {
  if (found.length > 0) return {{found.model}, "any GPU with " + found.model + " in its name"};
  if (family != nullptr) return {family->models, "any of " + Join(family->models, ", ")};
  if (words.empty()) return {};
  const std::string model = GuessedModel(words);
  return {{model},
          "any GPU with " + model +
              " in its name, but no such NVIDIA GPU is known: gpu-platform gpus list shows the "
              "names"};
}

// The amount in the name of a superchip is the memory of its CPU.
bool IsSuperchip(std::string_view model) {
  return model.starts_with("GH") || model.starts_with("GB");
}

std::string Meaning(const NamedGpu& gpu, const std::string& of) {
  std::string meaning =
      gpu.mig ? "is a MIG instance as large as " + *gpu.mig + " of " + of : "is " + of;
  if (gpu.memory) meaning += " and " + *gpu.memory + " or more";
  return meaning;
}

}  // namespace

NamedGpu ReadGpuName(std::string_view name) {
  NamedGpu gpu;
  std::string text = Upper(name), memory, left;
  gpu.mig = TakeInstance(text);
  const std::vector<std::string> words = TellingWords(text, memory);
  const Family* family = FindFamily(words);
  // "Ada" is an architecture, and also part of the names of some models.
  const Found found = words.size() == 1 && family != nullptr ? Found() : FindModel(words);
  if (found.length > 0) ReadOtherWords(words, found, memory, left);
  const NamedModels models = ModelsOf(found, family, words);
  gpu.models = models.names;
  if (!memory.empty() && !IsSuperchip(found.model)) gpu.memory = memory + "GB";
  gpu.meaning = Meaning(gpu, models.text);
  if (!left.empty())
    gpu.meaning += "; " + left + " is left out, as only the site knows what it means";
  return gpu;
}

}  // namespace gp
