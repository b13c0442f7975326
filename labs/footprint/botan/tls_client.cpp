/* SPDX-License-Identifier: Apache-2.0
 *
 * The versions that the library was built with, by upstream's policy with one exception: it requires revocation
 * information for each certificate, and nothing here can supply it. The library has no sockets of its own: it passes
 * the bytes to send to a callback.
 */
#include "botan.h"

#include "../client.h"

#include <botan/certstor.h>
#include <botan/credentials_manager.h>
#include <botan/tls_callbacks.h>
#include <botan/tls_client.h>
#include <botan/tls_policy.h>
#include <botan/tls_session_manager_noop.h>
#include <botan/x509cert.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

class Verifying final : public Botan::TLS::Policy
{
  public:
    bool require_cert_revocation_info() const override
    {
        return false;
    }
};

class Anchor final : public Botan::Credentials_Manager
{
  public:
    explicit Anchor(struct span root)
    {
        m_roots.add_certificate(Botan::X509_Certificate(bytes_of(root)));
    }

    std::vector<Botan::Certificate_Store *> trusted_certificate_authorities(const std::string &,
                                                                            const std::string &) override
    {
        return {&m_roots};
    }

  private:
    Botan::Certificate_Store_In_Memory m_roots;
};

class Connection final : public Botan::TLS::Callbacks
{
  public:
    explicit Connection(int fd) : m_fd(fd)
    {
    }

    void tls_emit_data(std::span<const uint8_t> data) override
    {
        while (!data.empty()) {
            const ssize_t n = write(m_fd, data.data(), data.size());

            if (n <= 0)
                throw std::runtime_error("write");
            data = data.subspan(static_cast<size_t>(n));
        }
    }

    void tls_record_received(uint64_t, std::span<const uint8_t> data) override
    {
        const size_t n = std::min(data.size(), sizeof token - length);

        std::memcpy(token + length, data.data(), n);
        length += n;
    }

    void tls_alert(Botan::TLS::Alert alert) override
    {
        if (alert.is_fatal())
            throw std::runtime_error("alert");
    }

    uint8_t token[TOKEN];
    size_t length = 0;

  private:
    int m_fd;
};

/* Reads one more piece from the server. */
void step(Botan::TLS::Client &client, int fd)
{
    const ssize_t n = read(fd, given, sizeof given);

    if (n <= 0)
        throw std::runtime_error("read");
    client.received_data({given, static_cast<size_t>(n)});
}

int asked(struct span anchor, const char *host, int fd)
{
    const auto generator = std::make_shared<Generator>();
    const auto connection = std::make_shared<Connection>(fd);
    Botan::TLS::Client client(connection, std::make_shared<Botan::TLS::Session_Manager_Noop>(),
                              std::make_shared<Anchor>(anchor), std::make_shared<Verifying>(), generator,
                              Botan::TLS::Server_Information(host));

    while (!client.is_active())
        step(client, fd);
    client.send(reinterpret_cast<const uint8_t *>(REQUEST), sizeof REQUEST - 1);
    while (connection->length < TOKEN)
        step(client, fd);
    return write_output(connection->token, TOKEN);
}

} // namespace

int main(int argc, char **argv)
{
    struct span anchor;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0)
        return BROKEN;
    return guarded(NO, [&] { return asked(anchor, argv[2], fd); });
}
