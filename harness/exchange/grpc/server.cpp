#include <fmt/format.h>
#include <grpcpp/impl/rpc_service_method.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/method_handler.h>
#include <grpcpp/support/sync_stream.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "harness/base/error.hpp"
#include "harness/exchange/grpc/client.hpp"
#include "harness/exchange/grpc/log.hpp"
#include "harness/exchange/grpc/method.hpp"
#include "harness/exchange/grpc/slices.hpp"

namespace maskbench {

namespace {

using ServerTalk = grpc::ServerReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

bool has_name(const grpc::ServerContext& context, const std::string& name) {
  const auto names = context.auth_context()->FindPropertyValues("x509_subject_alternative_name");
  return std::ranges::any_of(names, [&](const grpc::string_ref& one) {
    return std::string_view(one.data(), one.size()) == name;
  });
}

// Takes the first caller that shows the right name; its handler stays until the talk is over.
class ExchangeService final : public grpc::Service {
 public:
  explicit ExchangeService(std::string wanted_name) : wanted_name_(std::move(wanted_name)) {
    using Handler =
        grpc::internal::BidiStreamingHandler<ExchangeService, grpc::ByteBuffer, grpc::ByteBuffer>;
    AddMethod(new grpc::internal::RpcServiceMethod(
        kExchangeMethod, grpc::internal::RpcMethod::BIDI_STREAMING,
        new Handler([](ExchangeService* self, grpc::ServerContext* context,
                       ServerTalk* talk) { return self->handle(*context, *talk); },
                    this)));
  }

  // False: nobody came in time.
  bool wait_for_caller(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return talk_ != nullptr; });
  }
  ServerTalk& talk() { return *talk_; }
  grpc::ServerContext& context() { return *context_; }
  std::string refused() {
    const std::scoped_lock lock(mutex_);
    return refused_;
  }

  void let_go() {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  grpc::Status handle(grpc::ServerContext& context, ServerTalk& talk) {
    std::unique_lock lock(mutex_);
    if (!wanted_name_.empty() && !has_name(context, wanted_name_)) {
      refused_ = "a caller's certificate was not " + wanted_name_ + "'s";
      return {grpc::StatusCode::PERMISSION_DENIED,
              "the certificate must carry the name " + wanted_name_};
    }
    if (talk_ != nullptr || over_)
      return {grpc::StatusCode::ALREADY_EXISTS, "this party already has its peer"};
    talk_ = &talk;
    context_ = &context;
    changed_.notify_all();
    changed_.wait(lock, [&] { return over_; });
    return grpc::Status::OK;
  }

  std::string wanted_name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  ServerTalk* talk_ = nullptr;
  grpc::ServerContext* context_ = nullptr;
  std::string refused_;
  bool over_ = false;
};

class ServerStream final : public ByteStream {
 public:
  ServerStream(std::unique_ptr<ExchangeService> service, std::unique_ptr<grpc::Server> server)
      : service_(std::move(service)), server_(std::move(server)) {}
  ~ServerStream() override {
    service_->let_go();
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  }

  void write(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) override {
    const auto send = [&](const grpc::ByteBuffer& buffer) {
      return service_->talk().Write(buffer);
    };
    if (!send_in_chunks(bytes, owner, send)) throw StreamEnded("the connection is lost");
  }
  void read(std::span<std::byte> bytes) override {
    const auto more = [&](grpc::ByteBuffer& buffer) { return service_->talk().Read(&buffer); };
    if (!reader_.read(bytes, more)) throw StreamEnded("the connection is lost");
  }
  void finish_writing() override {}  // the handler's return does
  void cancel() override { service_->context().TryCancel(); }

 private:
  std::unique_ptr<ExchangeService> service_;
  std::unique_ptr<grpc::Server> server_;
  SliceReader reader_;
};

}  // namespace

std::unique_ptr<ByteStream> wait_as_server(const Endpoint& endpoint) {
  const Party peer = other(endpoint.me);
  auto service =
      std::make_unique<ExchangeService>(endpoint.plaintext ? "" : certificate_name(peer));
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(endpoint.address, server_credentials(endpoint), &port);
  builder.RegisterService(service.get());
  for_each_channel_argument(
      [&](const char* name, int value) { builder.AddChannelArgument(name, value); });
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || port == 0)
    throw Error(
        fmt::format("{}: cannot listen there; is the port taken, the address another "
                    "machine's, or a certificate broken?",
                    endpoint.address));
  if (!service->wait_for_caller(endpoint.patience)) {
    std::string refused = service->refused();
    if (refused.empty() && !failed_handshake().empty())
      refused = "a caller failed the TLS handshake: " + failed_handshake();
    service->let_go();
    server->Shutdown(std::chrono::system_clock::now());
    throw PeerAbsent(fmt::format("{}: {} did not connect within {:g} s{}", endpoint.address,
                                 name_of(peer),
                                 std::chrono::duration<double>(endpoint.patience).count(),
                                 refused.empty() ? "" : "; " + refused));
  }
  return std::make_unique<ServerStream>(std::move(service), std::move(server));
}

}  // namespace maskbench
