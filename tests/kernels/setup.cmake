# CUDA's headers are enough to run cuRAND's device generator on the host; no toolkit is needed.
find_path(MASKBENCH_CUDA_HEADERS curand_kernel.h PATHS /usr/local/cuda/include)
find_path(MASKBENCH_RANDOM123 Random123/philox.h)
if(MASKBENCH_CUDA_HEADERS)
  target_include_directories(test_kernels SYSTEM PRIVATE ${MASKBENCH_CUDA_HEADERS})
endif()
if(MASKBENCH_RANDOM123)
  target_include_directories(test_kernels SYSTEM PRIVATE ${MASKBENCH_RANDOM123})
endif()

# The CUDA sources run on the host as fibres, and so do copies of kernels with one fault
# each: the conformance suite must tell them from the true one.
target_sources(test_kernels PRIVATE ${CMAKE_CURRENT_LIST_DIR}/cuda_on_host/shim.cpp)
function(mb_mutant name file kernel from to)
  set(kernel_file ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../kernels/cuda/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel_file})
  file(READ ${kernel_file} source)
  # Only the kernel itself, in a namespace of its own.
  string(REGEX MATCH "__global__ void __launch_bounds__[(][^)]*[)][ \n]+${kernel}[(]" head "${source}")
  string(FIND "${source}" "${head}" start)
  string(SUBSTRING "${source}" ${start} -1 source)
  string(FIND "${source}" "\n}\n" end)
  string(SUBSTRING "${source}" 0 ${end} source)
  string(FIND "${source}" "${from}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "mutant ${name}: '${from}' is not in ${kernel} of ${file}")
  endif()
  string(REPLACE "${from}" "${to}" source "${source}")
  set(MUTANT ${name})
  set(KERNEL ${kernel})
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuh "#pragma once\n#include \"kernels/cuda/${file}\"\n"
    "namespace maskbench::kernels::device::${name} {\n${source}\n}\n}\n")
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda_on_host/mutant.cpp.in ${name}.cpp @ONLY)
  target_sources(test_kernels PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
endfunction()
target_include_directories(test_kernels PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
mb_mutant(wrong_predecessor noise.cuh noise
  "rank > 0 ? rank - 1 : view.job.active - 1" "rank > 0 ? rank - 1 : 0")
mb_mutant(early_flush histogram.cuh histogram "__syncthreads();  // every row is in" "")
mb_mutant(later_of_ties score.cuh best_splits "mine.consider(score_of(left), number);"
  "if (score_of(left) >= mine.score) mine = {score_of(left), number};")

# ctest -L gpu: the conformance suite on the device, skipped where there is none.
add_test(NAME kernels_on_device COMMAND test_kernels --gtest_filter=*cuda_device*)
set_tests_properties(kernels_on_device PROPERTIES LABELS gpu SKIP_REGULAR_EXPRESSION "SKIPPED")
find_program(MASKBENCH_COMPUTE_SANITIZER compute-sanitizer PATHS /usr/local/cuda/bin)
if(MASKBENCH_WITH_CUDA AND MASKBENCH_COMPUTE_SANITIZER)
  add_test(NAME kernels_under_compute_sanitizer COMMAND ${MASKBENCH_COMPUTE_SANITIZER}
    --error-exitcode 1 $<TARGET_FILE:test_kernels> --gtest_filter=*cuda_device*)
  set_tests_properties(kernels_under_compute_sanitizer PROPERTIES LABELS gpu
    SKIP_REGULAR_EXPRESSION "SKIPPED")
endif()

# No kernel may spill registers; and the check must see it when they do.
find_program(MASKBENCH_NVCC nvcc PATHS /usr/local/cuda/bin)
find_package(Python3 COMPONENTS Interpreter)
if(MASKBENCH_NVCC AND Python3_FOUND)
  set(ptxas_report ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/ptxas_report.py ${MASKBENCH_NVCC}
    ${CMAKE_CURRENT_LIST_DIR}/../..)
  add_test(NAME kernels_do_not_spill COMMAND ${ptxas_report})
  add_test(NAME kernels_spill_is_seen COMMAND ${ptxas_report} -DMASKBENCH_SPILL)
  set_tests_properties(kernels_spill_is_seen PROPERTIES
    PASS_REGULAR_EXPRESSION "registers are spilled by")
endif()
