#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "harness/exchange/grpc/connect.hpp"

namespace maskbench {

// Mutual TLS 1.3: each side shows a certificate that the other's ca.pem vouches for.
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const Endpoint& endpoint);
std::shared_ptr<grpc::ServerCredentials> server_credentials(const Endpoint& endpoint);

// How a dead connection is noticed while nothing is sent: a ping every 10 s that must be answered
// within 20 s.
inline constexpr int kPingEvery = 10'000;
inline constexpr int kPingPatience = 20'000;
inline constexpr int kChunkBytes = 1 << 20;  // of one gRPC message

// The arguments that both ends share.
template <class Set>
void for_each_channel_argument(Set set) {
  set(GRPC_ARG_KEEPALIVE_TIME_MS, kPingEvery);
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingPatience);
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kPingEvery / 2);
  set(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  set(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 4 * kChunkBytes);
  set(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kChunkBytes);
  set(GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, kChunkBytes);
  set(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, 2 * kChunkBytes);
  set(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  set(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20'000);  // the time that an attempt has, not a pause
  set(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
}

}  // namespace maskbench
