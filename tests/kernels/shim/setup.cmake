# test_shim: the CUDA sources on the host with every access to memory observed, and copies of them with one fault
# each (mutants.py), which must be caught.
set(shim ${CMAKE_CURRENT_LIST_DIR})
set(mutants /usr/bin/python3 ${shim}/mutants.py)
file(GLOB device_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cuda/*.cuh ${PROJECT_SOURCE_DIR}/kernels/cuda/*.hpp)
# GCC's -fsanitize=thread puts a call before every access; tsan_hooks.cpp answers it, not ThreadSanitizer's library.
# The two cannot be had together, nor with another sanitizer.
if(NOT MASKBENCH_SANITIZE)
  set(observed -fsanitize=thread -fno-tree-loop-distribute-patterns)
  target_sources(test_shim PRIVATE ${shim}/../cuda_on_host/tsan_hooks.cpp)
endif()

# mb_device_source(name source [option...]): one file that includes the device's sources, as mutants.py writes them for
# `name`.
function(mb_device_source name source)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/shim/${name})
  add_custom_command(OUTPUT ${folder}/written
    COMMAND ${mutants} write ${name} ${PROJECT_SOURCE_DIR} ${folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/written
    DEPENDS ${device_sources} ${PROJECT_SOURCE_DIR}/kernels/random/normal.hpp ${shim}/mutants.py)
  set_source_files_properties(${source} PROPERTIES INCLUDE_DIRECTORIES ${folder} OBJECT_DEPENDS ${folder}/written
    COMPILE_OPTIONS "-Wno-tsan;-Wno-unused-parameter;${observed};${ARGN}")
  target_sources(test_shim PRIVATE ${source} ${folder}/written)
endfunction()

function(mb_mutant name)
  set(MUTANT ${name})
  configure_file(${shim}/mutant.cpp.in shim/${name}.cpp @ONLY)
  mb_device_source(${name} ${CMAKE_CURRENT_BINARY_DIR}/shim/${name}.cpp ${ARGN})
endfunction()

execute_process(COMMAND ${mutants} names OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${shim}/mutants.py)
string(REPLACE "\n" ";" names "${names}")
foreach(name ${names})
  set(options "")
  if(name STREQUAL fmad_left_on)  # what nvcc does without -fmad=false
    set(options -O2 -mfma -ffp-contract=fast)  # at -O1 GCC fuses nothing
  endif()
  mb_mutant(${name} ${options})
endforeach()
execute_process(COMMAND ${mutants} list ${CMAKE_CURRENT_BINARY_DIR}/shim/mutants.inc COMMAND_ERROR_IS_FATAL ANY)
target_include_directories(test_shim PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/shim)
mb_device_source(true ${shim}/observed.cpp)
set_source_files_properties(${shim}/toy_kernels.cpp PROPERTIES COMPILE_OPTIONS "-Wno-tsan;${observed}")
add_test(NAME ShimMutant.every_kernel_has_one COMMAND ${mutants} check ${PROJECT_SOURCE_DIR})
