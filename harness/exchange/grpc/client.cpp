#include "harness/exchange/grpc/client.hpp"

#include <fmt/format.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/sync_stream.h>

#include <mutex>
#include <thread>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/exchange/grpc/method.hpp"
#include "harness/exchange/grpc/slices.hpp"

namespace maskbench {

namespace {

using Clock = std::chrono::system_clock;  // gRPC's deadlines are of this one
using Talk = grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

std::unique_ptr<Talk> start_talk(grpc::Channel& channel, grpc::ClientContext& context) {
  static const grpc::internal::RpcMethod method(kExchangeMethod,
                                                grpc::internal::RpcMethod::BIDI_STREAMING);
  return std::unique_ptr<Talk>(
      grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(
          &channel, method, &context));
}

class ClientStream final : public ByteStream {
 public:
  explicit ClientStream(std::shared_ptr<grpc::Channel> channel)
      : channel_(std::move(channel)), talk_(start_talk(*channel_, context_)) {}
  ~ClientStream() override {
    context_.TryCancel();
    status();
  }

  void write(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) override {
    const auto send = [&](const grpc::ByteBuffer& buffer) { return talk_->Write(buffer); };
    if (!send_in_chunks(bytes, owner, send)) throw StreamEnded(why());
  }
  void read(std::span<std::byte> bytes) override {
    if (!reader_.read(bytes, [&](grpc::ByteBuffer& buffer) { return talk_->Read(&buffer); }))
      throw StreamEnded(why());
    heard_ = true;
  }
  void finish_writing() override { talk_->WritesDone(); }
  void cancel() override { context_.TryCancel(); }

 private:
  const grpc::Status& status() {
    std::call_once(finished_, [&] { status_ = talk_->Finish(); });
    return status_;
  }
  std::string why() {
    const std::string text = one_line(status().error_message());
    return fmt::format("the connection is lost ({}){}", text.empty() ? "closed" : text,
                       heard_ ? "" : "; does the other party accept this one's certificate?");
  }

  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  std::unique_ptr<Talk> talk_;
  SliceReader reader_;
  std::once_flag finished_;
  grpc::Status status_;
  std::atomic<bool> heard_ = false;
};

std::shared_ptr<grpc::Channel> make_channel(const Endpoint& endpoint) {
  grpc::ChannelArguments arguments;
  for_each_channel_argument([&](const char* name, int value) { arguments.SetInt(name, value); });
  // The peer is known by its role, not by its host.
  if (!endpoint.plaintext) arguments.SetSslTargetNameOverride(certificate_name(other(endpoint.me)));
  return grpc::CreateCustomChannel("dns:///" + endpoint.address, client_credentials(endpoint),
                                   arguments);
}

// Why the channel does not come up, as gRPC tells a call that does not wait.
std::string failure_of(grpc::Channel& channel) {
  grpc::ClientContext context;
  context.set_deadline(Clock::now() + std::chrono::seconds(5));
  const std::unique_ptr<Talk> talk = start_talk(channel, context);
  context.TryCancel();
  const grpc::Status status = talk->Finish();
  return status.error_code() == grpc::StatusCode::CANCELLED ? "" : one_line(status.error_message());
}

// Waiting does not mend it.
bool is_about_certificates(const std::string& text) {
  for (const char* word : {"andshake failed", "SSL", "certificate", "Peer name"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

// gRPC's own words are for its developers.
std::string in_our_words(const std::string& problem) {
  const std::pair<const char*, const char*> known[] = {
      {"Peer name", "; its certificate is not that of the other party's role"},
      {"certificate", "; its certificate is not one that ca.pem vouches for"},
      {"andshake failed", "; the certificates do not agree: are both of one ca.pem, and in date?"},
      {"SSL", "; the certificates do not agree: are both of one ca.pem, and in date?"},
      {"onnection refused", "; nobody listens there"},
      // With TLS 1.3 a server that refuses the client's certificate just hangs up.
      {"Socket closed", "; it hung up: does it accept this party's certificate?"},
      {"DNS", "; the host is not known"},
      {"empty address list", "; the host is not known, or a certificate is broken"}};
  for (const auto& [words, ours] : known) {
    if (problem.find(words) != std::string::npos) return ours;
  }
  return "";
}

}  // namespace

std::unique_ptr<ByteStream> connect_as_client(const Endpoint& endpoint) {
  const std::shared_ptr<grpc::Channel> channel = make_channel(endpoint);
  const auto deadline = Clock::now() + endpoint.patience;
  std::string problem;
  while (!channel->WaitForConnected(Clock::now() + std::chrono::milliseconds(250))) {
    if (channel->GetState(true) == GRPC_CHANNEL_TRANSIENT_FAILURE) {
      const std::string text = failure_of(*channel);
      if (!text.empty()) problem = text;
    }
    const std::string peer(name_of(other(endpoint.me)));
    if (is_about_certificates(problem))
      throw Error(fmt::format("{} at {}: no trusted connection{}", peer, endpoint.address,
                              in_our_words(problem)));
    if (Clock::now() > deadline)
      throw PeerAbsent(fmt::format(
          "{} at {}: no connection within {:g} s{}", peer, endpoint.address,
          std::chrono::duration<double>(endpoint.patience).count(), in_our_words(problem)));
  }
  return std::make_unique<ClientStream>(channel);
}

}  // namespace maskbench
