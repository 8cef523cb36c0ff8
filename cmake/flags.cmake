# One interface target carries how our own code is compiled; every library of ours links it.
add_library(mb_flags INTERFACE)
target_include_directories(mb_flags INTERFACE ${PROJECT_SOURCE_DIR})
# -Wrestrict misfires in GCC 12 on std::string. No contraction into fma unless the source says so: the same bits on every machine.
# No one reads floating-point traps or errno; without them loops vectorise, values stay the same.
target_compile_options(mb_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Werror;-Wno-restrict;-ffp-contract=off;-fno-trapping-math;-fno-math-errno>)
if(MASKBENCH_SANITIZE)
  target_compile_options(mb_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${MASKBENCH_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
  target_link_options(mb_flags INTERFACE -fsanitize=${MASKBENCH_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # it knows other warnings than GCC, which the tests are built with
  target_compile_options(mb_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-warning-option;-Wno-error>)
endif()
if(MASKBENCH_FUZZ)  # what the fuzzer steers by
  target_compile_options(mb_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
