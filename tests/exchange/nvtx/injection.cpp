// A tool for NVTX that writes down what a program tells it: NVTX_INJECTION64_PATH names this library,
// MASKBENCH_NVTX_LOG the file. One line an event: what, the domain, the name, and the six numbers.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

FILE* log_file() {
  static FILE* const file = std::fopen(std::getenv("MASKBENCH_NVTX_LOG"), "w");
  return file;
}

// Handles are pointers to the names; they live as long as the program.
const char* keep(const char* name) {
  return (new std::string(name))->c_str();
}
nvtxDomainHandle_t create_domain(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<char*>(keep(name)));
}
nvtxStringHandle_t register_string(nvtxDomainHandle_t domain, const char* name) {
  std::fprintf(log_file(), "string\t%s\t%s\n", reinterpret_cast<const char*>(domain), name);
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(keep(name)));
}

void write(const char* what, nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event,
           uint64_t id) {
  const bool is_registered = event->messageType == NVTX_MESSAGE_TYPE_REGISTERED;
  std::fprintf(log_file(), "%s\t%s\t%s\t%" PRIu64, what, reinterpret_cast<const char*>(domain),
               is_registered ? reinterpret_cast<const char*>(event->message.registered)
                             : "a string that is not registered",
               id);
  if (event->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
    const auto* data = reinterpret_cast<const nvtxPayloadData_t*>(event->payload.ullValue);
    const auto* values = static_cast<const uint64_t*>(data->payload);
    for (size_t i = 0; i < data->size / sizeof *values; ++i)
      std::fprintf(log_file(), "\t%" PRIu64, values[i]);
  }
  std::fprintf(log_file(), "\n");
}

void mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  write("mark", domain, event, 0);
}
nvtxRangeId_t start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  static nvtxRangeId_t last = 0;
  write("start", domain, event, ++last);
  return last;
}
void end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  std::fprintf(log_file(), "end\t%s\t\t%" PRIu64 "\n", reinterpret_cast<const char*>(domain), id);
  std::fflush(log_file());
}

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  const auto set = [&](int number, auto function) {
    *table[number] = reinterpret_cast<NvtxFunctionPointer>(function);
  };
  set(NVTX_CBID_CORE2_DomainCreateA, create_domain);
  set(NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  set(NVTX_CBID_CORE2_DomainMarkEx, mark);
  set(NVTX_CBID_CORE2_DomainRangeStartEx, start);
  set(NVTX_CBID_CORE2_DomainRangeEnd, end);
  return 1;
}
