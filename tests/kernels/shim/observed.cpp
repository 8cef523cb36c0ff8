#include "tests/kernels/shim/observed.hpp"

#include "tests/kernels/cuda_on_host/host_device.hpp"

namespace maskbench::kernels {

std::unique_ptr<Backend> observed_backend() {
  return std::make_unique<device::DeviceBackend<device::HostDevice>>(device::HostDevice());
}

}  // namespace maskbench::kernels
