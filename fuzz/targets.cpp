#include "fuzz/targets.hpp"

namespace maskbench::fuzz {

const std::map<std::string, Target>& targets() {
  static const std::map<std::string, Target> all = {
      {"config", config}, {"setting", setting}, {"csv", csv},           {"gz", gz},
      {"model", model},   {"results", results}, {"manifest", manifest}, {"paillier", paillier},
      {"frame", frame},   {"link", link}};
  return all;
}

}  // namespace maskbench::fuzz
