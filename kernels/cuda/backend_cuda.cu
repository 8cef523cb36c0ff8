#include "kernels/backend.hpp"
#include "kernels/cuda/cuda_device.cuh"
#include "kernels/fork_guard.hpp"

namespace maskbench::kernels {

namespace {

cudaError_t count_devices(int& devices) {
  static ForkGuard guard;
  guard.enter();
  devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  cudaGetLastError();
  if (status != cudaSuccess) devices = 0;
  return status;
}

}  // namespace

int cuda_devices() {
  int devices = 0;
  count_devices(devices);
  return devices;
}

std::string cuda_missing() {
  int devices = 0;
  const cudaError_t status = count_devices(devices);
  if (devices > 0) return "";
  return std::string("backend cuda: no usable device (") +
         (status == cudaSuccess ? "none found" : cudaGetErrorString(status)) +
         "); use backend: cpu on this machine";
}

std::unique_ptr<Backend> cuda_backend(int device) {
  if (const std::string why = cuda_missing(); !why.empty()) throw KernelError(why);
  if (device < 0 || device >= cuda_devices()) {
    throw KernelError("backend cuda: there is no device " + std::to_string(device) +
                      "; this machine has " + std::to_string(cuda_devices()));
  }
  return std::make_unique<device::DeviceBackend<device::CudaDevice>>(
      device::CudaDevice::of(device));
}

}  // namespace maskbench::kernels
