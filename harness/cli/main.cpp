#include "harness/cli/commands.hpp"

int main(int argc, char** argv) {
  return maskbench::run_app(argc, argv, maskbench::execute);
}
