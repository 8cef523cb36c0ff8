#include "kernels/backend.hpp"
#include "kernels/cuda/cuda_device.cuh"

namespace maskbench::kernels {

std::string cuda_missing() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  cudaGetLastError();
  if (status == cudaSuccess && devices > 0) return "";
  return std::string("backend cuda: no usable device (") +
         (status == cudaSuccess ? "none found" : cudaGetErrorString(status)) +
         "); use backend: cpu on this machine";
}

std::unique_ptr<Backend> cuda_backend() {
  if (const std::string why = cuda_missing(); !why.empty()) throw KernelError(why);
  return std::make_unique<device::DeviceBackend<device::CudaDevice>>(device::CudaDevice());
}

}  // namespace maskbench::kernels
