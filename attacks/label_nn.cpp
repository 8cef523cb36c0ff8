#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "attacks/attacks.hpp"
#include "attacks/fabricated.hpp"
#include "attacks/network/network.hpp"
#include "attacks/view.hpp"
#include "harness/base/error.hpp"
#include "harness/base/program.hpp"

// The paper's attack: a five-layer network learns g from what PP would see of records that it makes
// up (fabricated.hpp says what is fed), then estimates g of the real ones; y = 1 where g < 0. It
// looks at one record at a time and so cannot use that all rows share one c, as label-subspace
// does. label-nn: L2 0.01 is a penalty in the loss, as the paper's words go. label-nn-decay: the
// same network and inputs, L2 0.01 as decoupled weight decay.
namespace maskbench {

namespace {

using FitNetwork = bool (*)(NetworkTask*);

std::string module_path() {
  return file_of_program("libmaskbench_network.so", "lib/maskbench/libmaskbench_network.so");
}

// It and libtorch stay loaded.
FitNetwork load_network() {
  void* library = dlopen(module_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(fmt::format("label-nn: {}", dlerror()));
  // OpenBLAS has threads of its own; sums over several of them depend on their number.
  if (auto* one = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")))
    one(1);
  auto* fit = reinterpret_cast<FitNetwork>(dlsym(library, "maskbench_fit_network"));
  if (fit == nullptr) throw Error(fmt::format("label-nn: {}", dlerror()));
  return fit;
}

LabelGuess estimate(const AttackInput& input, const Lesson& lesson, bool decoupled) {
  LabelGuess guess{lesson.rows, std::vector<float>(lesson.rows.size()), {}};
  std::function<void(int, int)> progress = input.progress;
  NetworkTask task{};
  task.inputs = lesson.inputs;
  task.train_rows = lesson.g.size();
  task.train_x = lesson.fabricated.data();
  task.train_y = lesson.g.data();
  task.apply_rows = lesson.rows.size();
  task.apply_x = lesson.received.data();
  task.estimate = guess.score.data();
  task.seed = input.seed;
  task.decoupled = decoupled;
  task.context = &progress;
  task.on_epoch = [](void* context, int epoch, int most) {
    if (const auto& tell = *static_cast<decltype(progress)*>(context)) tell(epoch, most);
  };
  static const FitNetwork fit = load_network();
  if (!fit(&task)) throw Error(fmt::format("label-nn: {}", task.error));
  for (float& score : guess.score) score = -score;
  guess.effort = {{"attack_train_rows", static_cast<double>(lesson.g.size()), "rows"},
                  {"attack_epochs", static_cast<double>(task.epochs), ""},
                  {"attack_inputs", static_cast<double>(lesson.inputs), ""}};
  return guess;
}

AttackResult by_network(const AttackInput& input, bool decoupled) {
  if (const std::string missing = missing_masked(input); !missing.empty()) return Skip{missing};
  return estimate(input, make_lesson(input), decoupled);
}

}  // namespace

std::string label_nn_missing() {
  if (std::filesystem::exists(module_path())) return "";
  return "not built: install libtorch-dev and libopenblas0-pthread and configure again, or use "
         "label-subspace, which is stronger";
}

AttackResult label_nn(const AttackInput& input) {
  return by_network(input, false);
}

AttackResult label_nn_decay(const AttackInput& input) {
  return by_network(input, true);
}

}  // namespace maskbench
