#include "attacks/network/network.hpp"

// Not torch/torch.h: it brings data loaders, JIT and files along, and takes twice as long to compile.
#include <torch/cuda.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

constexpr int64_t kWidth = 64;
constexpr int64_t kBatch = 256;
constexpr double kRate = 1e-3;
constexpr double kL2 = 0.01;  // the paper's
constexpr int kMostEpochs = 200;
constexpr int kPatience = 20;  // epochs without a better held-out loss

torch::nn::Sequential five_layers(int64_t inputs) {
  using torch::nn::Linear, torch::nn::ReLU;
  return torch::nn::Sequential(Linear(inputs, kWidth), ReLU(), Linear(kWidth, kWidth), ReLU(),
                               Linear(kWidth, kWidth), ReLU(), Linear(kWidth, kWidth), ReLU(),
                               Linear(kWidth, 1));
}

torch::Tensor matrix(const float* values, size_t rows, size_t columns, torch::Device device) {
  const auto options = torch::TensorOptions().dtype(torch::kFloat32);
  return torch::from_blob(const_cast<float*>(values),
                          {static_cast<int64_t>(rows), static_cast<int64_t>(columns)}, options)
      .to(device);
}

std::vector<torch::Tensor> copy_of(const torch::nn::Sequential& network) {
  std::vector<torch::Tensor> out;
  for (const torch::Tensor& p : network->parameters()) out.push_back(p.detach().clone());
  return out;
}

void restore(torch::nn::Sequential& network, const std::vector<torch::Tensor>& values) {
  torch::NoGradGuard guard;
  const std::vector<torch::Tensor> parameters = network->parameters();
  for (size_t k = 0; k < parameters.size(); ++k) parameters[k].detach().copy_(values[k]);
}

void one_epoch(torch::nn::Sequential& network, torch::optim::Optimizer& optimizer,
               const torch::Tensor& x, const torch::Tensor& y) {
  const torch::Tensor order = torch::randperm(x.size(0)).to(x.device());
  for (int64_t begin = 0; begin < x.size(0); begin += kBatch) {
    const torch::Tensor rows = order.slice(0, begin, std::min(begin + kBatch, x.size(0)));
    optimizer.zero_grad();
    torch::mse_loss(network->forward(x.index_select(0, rows)), y.index_select(0, rows)).backward();
    optimizer.step();
  }
}

// Adam adds the penalty's gradient to the loss's and scales both alike; AdamW only shrinks the
// weights, which hardly hinders a network that has something to learn.
std::unique_ptr<torch::optim::Optimizer> optimizer_for(const torch::nn::Sequential& network,
                                                       bool decoupled) {
  namespace optim = torch::optim;
  if (decoupled)
    return std::make_unique<optim::AdamW>(network->parameters(),
                                          optim::AdamWOptions(kRate).weight_decay(kL2));
  return std::make_unique<optim::Adam>(network->parameters(),
                                       optim::AdamOptions(kRate).weight_decay(kL2));
}

// Until the held-out loss has not fallen for kPatience epochs; the best weights stay.
void train(torch::nn::Sequential& network, const torch::Tensor& x, const torch::Tensor& y,
           NetworkTask& task) {
  const int64_t held_out = std::max<int64_t>(1, x.size(0) / 10), learn = x.size(0) - held_out;
  const auto optimizer = optimizer_for(network, task.decoupled);
  const torch::Tensor learn_x = x.slice(0, 0, learn), learn_y = y.slice(0, 0, learn);
  std::vector<torch::Tensor> best = copy_of(network);
  double least = INFINITY;
  for (int since = 0; task.epochs < kMostEpochs && since < kPatience; ++since) {
    one_epoch(network, *optimizer, learn_x, learn_y);
    task.on_epoch(task.context, ++task.epochs, kMostEpochs);
    torch::NoGradGuard guard;
    const double loss =
        torch::mse_loss(network->forward(x.slice(0, learn)), y.slice(0, learn)).item<double>();
    if (!(loss < least)) continue;
    least = loss;
    best = copy_of(network);
    since = -1;
  }
  restore(network, best);
}

void fit(NetworkTask& task) {
  // One thread: the order of sums, and so the result, does not depend on the machine's cores.
  at::set_num_threads(1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  torch::manual_seed(task.seed);
  const torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  torch::nn::Sequential network = five_layers(static_cast<int64_t>(task.inputs));
  network->to(device);
  task.epochs = 0;
  train(network, matrix(task.train_x, task.train_rows, task.inputs, device),
        matrix(task.train_y, task.train_rows, 1, device), task);
  torch::NoGradGuard guard;
  const torch::Tensor out =
      network->forward(matrix(task.apply_x, task.apply_rows, task.inputs, device))
          .to(torch::kCPU)
          .contiguous();
  std::copy_n(out.data_ptr<float>(), task.apply_rows, task.estimate);
}

}  // namespace

bool maskbench_fit_network(NetworkTask* task) {
  try {
    fit(*task);
    return true;
  } catch (const std::exception& e) {
    std::snprintf(task->error, sizeof task->error, "%s", e.what());
    return false;
  }
}
