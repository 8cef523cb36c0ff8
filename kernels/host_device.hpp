#pragma once

// Marks a function that both the CPU and the CUDA backend compile: the maths is written once.
#if defined(__CUDACC__)
#define MB_HD __host__ __device__
#else
#define MB_HD
#endif
