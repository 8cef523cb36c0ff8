#include "kernels/trace.hpp"

#ifdef MASKBENCH_NVTX
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstddef>
#include <map>
#include <mutex>

namespace maskbench::trace {
namespace {

constexpr uint64_t kSchema = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 1;

// Tells the tool the names of Load's numbers.
void register_schema(nvtxDomainHandle_t domain) {
  nvtxPayloadSchemaEntry_t entries[6] = {};
  const char* names[6] = {"tree", "depth", "nodes", "candidates", "cells", "bytes"};
  for (int i = 0; i < 6; ++i) {
    entries[i].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
    entries[i].name = names[i];
  }
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.name = "load";
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 6;
  schema.payloadStaticSize = sizeof(Load);
  schema.schemaId = kSchema;
  nvtxPayloadSchemaRegister(domain, &schema);
}

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = [] {
    const nvtxDomainHandle_t made = nvtxDomainCreateA("maskbench");  // null without a tool
    if (made != nullptr) register_schema(made);
    return made;
  }();
  return handle;
}

nvtxStringHandle_t registered(const char* name) {
  static std::mutex mutex;
  static std::map<const char*, nvtxStringHandle_t> known;
  const std::scoped_lock lock(mutex);
  nvtxStringHandle_t& handle = known[name];
  if (handle == nullptr) handle = nvtxDomainRegisterStringA(domain(), name);
  return handle;
}

// The attributes point into it.
struct Event {
  Event(const char* name, const Load& load) : payload{kSchema, sizeof load, &load} {
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = registered(name);
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&payload);
    attributes.reserved0 = 1;
  }
  Event(const Event&) = delete;

  nvtxPayloadData_t payload;
  nvtxEventAttributes_t attributes{};
};

}  // namespace

bool is_on() {
  return domain() != nullptr;
}

void mark(const char* name, const Load& load) {
  if (!is_on()) return;
  const Event event(name, load);
  nvtxDomainMarkEx(domain(), &event.attributes);
}

Range::Range(const char* name, const Load& load) : is_open_(is_on()) {
  if (!is_open_) return;
  const Event event(name, load);
  id_ = nvtxDomainRangeStartEx(domain(), &event.attributes);
}

Range::~Range() {
  if (is_open_) nvtxDomainRangeEnd(domain(), id_);
}

}  // namespace maskbench::trace

#else

namespace maskbench::trace {

bool is_on() {
  return false;
}
void mark(const char*, const Load&) {}
Range::Range(const char*, const Load&) {}
Range::~Range() {}

}  // namespace maskbench::trace

#endif
