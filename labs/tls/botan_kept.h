/* SPDX-License-Identifier: Apache-2.0
 *
 * What a client and a server of Botan keep from connection to connection: policy and credentials.
 */
#ifndef CIPHERSTONE_LAB_TLS_BOTAN_KEPT_H
#define CIPHERSTONE_LAB_TLS_BOTAN_KEPT_H

#include <botan/certstor.h>
#include <botan/credentials_manager.h>
#include <botan/pkcs8.h>
#include <botan/rng.h>
#include <botan/tls_external_psk.h>
#include <botan/tls_policy.h>
#include <botan/tls_signature_scheme.h>
#include <botan/x509cert.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include "tls.h"
}

namespace
{

using Botan::TLS::Group_Params;
using Botan::TLS::Protocol_Version;
using Botan::TLS::Signature_Scheme;

std::span<const uint8_t> bytes_of(cs_span bytes)
{
    return {bytes.data, bytes.len};
}

Signature_Scheme scheme_of(int signature)
{
    return Signature_Scheme(static_cast<uint16_t>(signature));
}

/* Of one side. */
class Pinned final : public Botan::TLS::Policy
{
  public:
    Pinned(const tls_case &of, int side) : m_case(of), m_wish(of.wish), m_side(side)
    {
    }

    bool allow_tls12() const override
    {
        return m_wish.version == TLS_1_2;
    }

    bool allow_tls13() const override
    {
        return m_wish.version == TLS_1_3;
    }

    bool allow_dtls12() const override
    {
        return false;
    }

    std::vector<uint16_t> ciphersuite_list(Protocol_Version) const override
    {
        return {static_cast<uint16_t>(m_wish.suite)};
    }

    /* One for the proof of a key; what certificates are signed with by keys of RSA stands behind it. */
    std::vector<Signature_Scheme> allowed_signature_schemes() const override
    {
        std::vector<Signature_Scheme> schemes{scheme_of(m_wish.signature)};

        if (m_wish.signature == TLS_RSA_PSS || m_wish.rsa_issuer)
            schemes.push_back(scheme_of(TLS_RSA_PKCS1));
        return schemes;
    }

    std::vector<Group_Params> key_exchange_groups() const override
    {
        int groups[TLS_GROUPS];
        std::vector<Group_Params> found;

        tls_groups(&m_wish, m_side, groups);
        for (size_t i = 0; groups[i] != 0; i++)
            found.emplace_back(static_cast<uint16_t>(groups[i]));
        return found;
    }

    std::vector<Group_Params> key_exchange_groups_to_offer() const override
    {
        int groups[TLS_GROUPS];

        tls_groups(&m_wish, m_side, groups);
        return {Group_Params(static_cast<uint16_t>(groups[0]))};
    }

    bool require_cert_revocation_info() const override
    {
        return false;
    }

    bool support_cert_status_message() const override
    {
        return false;
    }

    bool request_client_certificate_authentication() const override
    {
        return m_wish.mutual != 0;
    }

    bool require_client_certificate_authentication() const override
    {
        return m_wish.mutual != 0;
    }

    size_t new_session_tickets_upon_handshake_success() const override
    {
        return m_case.first ? 1 : 0;
    }

    /* All handshakes resume by what the first one left. */
    bool reuse_session_tickets() const override
    {
        return true;
    }

  private:
    const tls_case &m_case;
    const tls_wish &m_wish;
    const int m_side;
};

using Path = std::vector<Botan::X509_Certificate>;

Path path_of(const cs_span *path, size_t length)
{
    Path found;

    for (size_t i = 0; i < length; i++)
        found.emplace_back(bytes_of(path[i]));
    return found;
}

class Credentials final : public Botan::Credentials_Manager
{
  public:
    Credentials(const tls_wish &wish, Botan::RandomNumberGenerator &rng)
        : m_wish(wish), m_key(Botan::PKCS8::load_key(bytes_of(wish.key))), m_path(path_of(wish.path, wish.path_length)),
          m_mutual(wish.mutual != 0), m_ticket_key(rng.random_vec(TICKET_KEY))
    {
        m_roots.add_certificate(Botan::X509_Certificate(bytes_of(wish.root)));
        if (!m_mutual)
            return;
        m_client_key = Botan::PKCS8::load_key(bytes_of(wish.client_key));
        m_client_path = path_of(wish.client_path, wish.path_length);
    }

    std::vector<Botan::Certificate_Store *> trusted_certificate_authorities(const std::string &side,
                                                                            const std::string &) override
    {
        if (side == CLIENT || m_mutual)
            return {&m_roots};
        return {};
    }

    Path find_cert_chain(const std::vector<std::string> &kinds, const std::vector<Botan::AlgorithmIdentifier> &,
                         const std::vector<Botan::X509_DN> &, const std::string &side, const std::string &) override
    {
        if (std::find(kinds.begin(), kinds.end(), m_key->algo_name()) == kinds.end())
            return {};
        return side == CLIENT ? m_client_path : m_path;
    }

    std::shared_ptr<Botan::Private_Key> private_key_for(const Botan::X509_Certificate &, const std::string &side,
                                                        const std::string &) override
    {
        return side == CLIENT ? m_client_key : m_key;
    }

    Botan::secure_vector<uint8_t> session_ticket_key() override
    {
        return m_ticket_key;
    }

    std::string psk_identity(const std::string &, const std::string &, const std::string &) override
    {
        return TLS_IDENTITY;
    }

    /* A key that both sides have from elsewhere. */
    std::vector<Botan::TLS::ExternalPSK> find_preshared_keys(std::string_view, Botan::TLS::Connection_Side side,
                                                             const std::vector<std::string> &names,
                                                             const std::optional<std::string> &prf) override
    {
        const cs_span key = m_wish.psk[side == Botan::TLS::Connection_Side::Client ? TLS_CLIENT : TLS_SERVER];
        std::vector<Botan::TLS::ExternalPSK> found;

        if (key.data != nullptr && (!prf || *prf == "SHA-256") &&
            (names.empty() || std::find(names.begin(), names.end(), TLS_IDENTITY) != names.end()))
            found.emplace_back(TLS_IDENTITY, "SHA-256", Botan::secure_vector<uint8_t>(key.data, key.data + key.len));
        return found;
    }

  private:
    static constexpr size_t TICKET_KEY = 32;
    static constexpr const char *CLIENT = "tls-client";
    const tls_wish &m_wish;
    std::shared_ptr<Botan::Private_Key> m_key, m_client_key;
    Path m_path, m_client_path;
    bool m_mutual;
    Botan::secure_vector<uint8_t> m_ticket_key;
    Botan::Certificate_Store_In_Memory m_roots;
};

} // namespace

#endif
