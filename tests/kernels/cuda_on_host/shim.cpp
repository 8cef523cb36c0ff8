#include "tests/kernels/cuda_on_host/shim.hpp"

#include "tests/kernels/cuda_on_host/host_device.hpp"

namespace maskbench::kernels {

std::unique_ptr<Backend> shim_backend() {
  return std::make_unique<device::DeviceBackend<device::HostDevice>>(device::HostDevice());
}

void run_warps_backward(bool backward) {
  run_in(backward ? cuda_on_host::Order::kBackward : cuda_on_host::Order::kForward);
}

std::unique_ptr<Backend> limited_shim_backend(size_t bytes, size_t* refusals) {
  auto memory = std::make_shared<cuda_on_host::Memory>();
  memory->limit = bytes;
  memory->refusals = refusals;
  return std::make_unique<device::DeviceBackend<device::HostDevice>>(device::HostDevice(memory));
}

}  // namespace maskbench::kernels
