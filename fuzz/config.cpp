#include "harness/config/config.hpp"

#include "fuzz/targets.hpp"
#include "harness/base/error.hpp"
#include "harness/base/folder.hpp"
#include "harness/config/expand.hpp"
#include "harness/config/yaml.hpp"
#include "harness/sweep/shard.hpp"

namespace maskbench::fuzz {
namespace {

void one_line_only(const Error& error) {
  must(std::string_view(error.what()).find('\n') == std::string_view::npos);
}

}  // namespace

void config(std::string_view bytes) {
  try {
    const ConfigFile file = parse_config(std::string(bytes), "f.yaml");
    must(is_plain_name(file.name));
    if (combinations(file) > 16) return;
    DataContents nowhere("");
    const auto jobs = expand(file, nowhere);
    must(!jobs.empty() || !file.includes.empty());
    for (const auto& job : jobs) must(job.id.size() == 16 && is_plain_name(job.spec.data.dataset));
  } catch (const Error& error) {
    one_line_only(error);
  }
}

void setting(std::string_view bytes) {
  const auto shard = parse_shard(bytes);
  if (shard) must(shard->index < shard->count && shard->count <= 1'000'000);
  try {
    ConfigFile file;
    parse_override(std::string(bytes), file);
    must(file.settings.size() + file.axes.size() == 1);
  } catch (const Error&) {
  }
}

}  // namespace maskbench::fuzz
