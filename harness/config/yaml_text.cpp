#include "harness/config/yaml_text.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <sstream>

#include "harness/base/error.hpp"
#include "harness/data/utf8.hpp"

namespace maskbench {
namespace {

struct TooMuch {
  YAML::Mark mark;
  std::string what;
};

// Counts what the parser meets and stops it in time.
class Limits : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { node(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { node(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    node(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    descend(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    descend(mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  void node(const YAML::Mark& mark) {
    if (++nodes_ > kMostYamlNodes)
      throw TooMuch{mark, fmt::format("over {} values; a config needs far fewer", kMostYamlNodes)};
  }
  void descend(const YAML::Mark& mark) {
    node(mark);
    if (++depth_ > kMostYamlDepth)
      throw TooMuch{mark, fmt::format("nested over {} deep", kMostYamlDepth)};
  }
  size_t nodes_ = 0;
  size_t depth_ = 0;
};

}  // namespace

YAML::Node parse_yaml(const std::string& text, const std::string& path, bool located) {
  const auto fail = [&](const YAML::Mark& mark, const std::string& what) -> Error {
    if (!located || mark.is_null()) return Error(path + ": " + what);
    return Error(fmt::format("{}:{}:{}: {}", path, mark.line + 1, mark.column + 1, what));
  };
  if (text.size() > kMostYamlBytes)
    throw fail(YAML::Mark::null_mark(),
               fmt::format("over {} bytes; is this a config?", kMostYamlBytes));
  if (!is_utf8(text)) throw fail(YAML::Mark::null_mark(), "not UTF-8; convert it, e.g. by iconv");
  try {
    Limits limits;
    std::istringstream in(text);
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(limits)) return {};
    if (parser.HandleNextDocument(limits))
      throw fail(YAML::Mark::null_mark(), "more than one YAML document; keep one");
    return YAML::Load(text);
  } catch (const TooMuch& much) {
    throw fail(much.mark, much.what);
  } catch (const YAML::Exception& error) {
    throw fail(error.mark,
               "not YAML from here on; look at its brackets, quotes, colons and indents");
  }
}

}  // namespace maskbench
