/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan 3: policy, credentials and managers of sessions kept, a TLS::Client or TLS::Server a connection, which hands
 * out what it sends through a callback. It throws; nothing that it throws gets further than this file.
 */
#include <botan/auto_rng.h>
#include <botan/tls_callbacks.h>
#include <botan/tls_client.h>
#include <botan/tls_server.h>
#include <botan/tls_session_manager_memory.h>
#include <botan/tls_session_manager_noop.h>
#include <botan/tls_session_manager_stateless.h>
#include <botan/tls_signature_scheme.h>
#include <botan/version.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {
#include "data.h"
}
#include "botan_kept.h"

namespace
{

/* ---- a side ---- */

class Side final : public Botan::TLS::Callbacks
{
  public:
    explicit Side(const tls_end &end)
        : m_end(end), m_padding(scheme_of(end.of->wish.signature).padding_string()),
          m_algorithm(scheme_of(end.of->wish.signature).algorithm_name())
    {
    }

    tls_agreed agreed{};
    bool refused = false; /* by this side, a certificate */
    bool kept = false;    /* a session that can be resumed */
    std::string ended;    /* the alert that the peer ended the connection with */

    /* A parameter that the library does not report is taken from the wire: the group. Unused ones stay 0: signatures.
     */
    void begin()
    {
        agreed = tls_agreed{};
        agreed.version = agreed.suite = agreed.group = agreed.resumed = TLS_UNTOLD;
        refused = false;
        ended.clear();
        rest.clear();
    }

    void tls_emit_data(std::span<const uint8_t> data) override
    {
        if (!tls_send(&m_end, data.data(), data.size()))
            throw std::runtime_error("more is sent than the pipe holds");
    }

    /* Into the caller's buffer; what it does not take waits for the next one. */
    void tls_record_received(uint64_t, std::span<const uint8_t> data) override
    {
        const size_t n = std::min(data.size(), static_cast<size_t>(room.size()));

        std::copy_n(data.begin(), n, room.begin());
        room = room.subspan(n);
        rest.insert(rest.end(), data.begin() + static_cast<std::ptrdiff_t>(n), data.end());
    }

    std::span<uint8_t> room{};   /* of the reader */
    std::vector<uint8_t> rest{}; /* read already, and not taken */

    void tls_alert(Botan::TLS::Alert alert) override
    {
        if (alert.is_fatal())
            ended = alert.type_string();
    }

    void tls_session_established(const Botan::TLS::Session_Summary &session) override
    {
        agreed.version = session.version().version_code();
        agreed.suite = session.ciphersuite_code();
        agreed.resumed = session.was_resumption();
    }

    /* A server sends no ticket where this says no, and drops a session that was resumed by its id. */
    bool tls_should_persist_resumption_information(const Botan::TLS::Session &) override
    {
        kept = true;
        return m_end.of->first || m_end.of->wish.session;
    }

    void tls_verify_cert_chain(const Path &path, const std::vector<std::optional<Botan::OCSP::Response>> &responses,
                               const std::vector<Botan::Certificate_Store *> &roots, Botan::Usage_Type usage,
                               std::string_view host, const Botan::TLS::Policy &policy) override
    {
        refused = true;
        Botan::TLS::Callbacks::tls_verify_cert_chain(path, responses, roots, usage, host, policy);
        refused = false;
    }

    std::vector<uint8_t> tls_sign_message(const Botan::Private_Key &key, Botan::RandomNumberGenerator &rng,
                                          std::string_view padding, Botan::Signature_Format format,
                                          const std::vector<uint8_t> &message) override
    {
        proof_of(m_end.side) = signature_of(key, padding);
        return Botan::TLS::Callbacks::tls_sign_message(key, rng, padding, format, message);
    }

    bool tls_verify_message(const Botan::Public_Key &key, std::string_view padding, Botan::Signature_Format format,
                            const std::vector<uint8_t> &message, const std::vector<uint8_t> &signature) override
    {
        proof_of(TLS_SIDES - 1 - m_end.side) = signature_of(key, padding);
        return Botan::TLS::Callbacks::tls_verify_message(key, padding, format, message, signature);
    }

    std::chrono::system_clock::time_point tls_current_timestamp() override
    {
        return std::chrono::system_clock::time_point(std::chrono::seconds(m_end.of->wish.time));
    }

  private:
    int &proof_of(int side)
    {
        return side == TLS_SERVER ? agreed.signature : agreed.client_signature;
    }

    /* By the names that the scheme asked for has: anything else is none of the numbers here. */
    int signature_of(const Botan::Public_Key &key, std::string_view padding) const
    {
        return padding == m_padding && key.algo_name() == m_algorithm ? m_end.of->wish.signature : 0;
    }

    const tls_end &m_end;
    const std::string m_padding, m_algorithm;
};

/* Of a side: without a limit, which would be kept by a list that grows with every session stored again. */
std::shared_ptr<Botan::TLS::Session_Manager> sessions_of(const tls_wish &wish, int side,
                                                         const std::shared_ptr<Credentials> &credentials,
                                                         const std::shared_ptr<Botan::RandomNumberGenerator> &rng)
{
    if (!wish.resumes && !wish.session)
        return std::make_shared<Botan::TLS::Session_Manager_Noop>();
    if (wish.resumes && side == TLS_SERVER)
        return std::make_shared<Botan::TLS::Session_Manager_Stateless>(credentials, rng);
    return std::make_shared<Botan::TLS::Session_Manager_In_Memory>(rng, 0);
}

struct Both {
    /* With what `of` keeps, but for the generator, if there is one. */
    Both(tls_case *s, const Both *of)
        : rng(std::make_shared<Botan::AutoSeeded_RNG>()),
          credentials(of != nullptr ? of->credentials : std::make_shared<Credentials>(s->wish, *rng))
    {
        for (int side = 0; side < TLS_SIDES; side++) {
            policy[side] = of != nullptr ? of->policy[side] : std::make_shared<Pinned>(*s, side);
            sides[side] = std::make_shared<Side>(s->end[side]);
            sessions[side] = of != nullptr ? of->sessions[side] : sessions_of(s->wish, side, credentials, rng);
        }
    }

    std::shared_ptr<Botan::RandomNumberGenerator> rng;
    std::shared_ptr<Credentials> credentials;
    std::shared_ptr<Pinned> policy[TLS_SIDES];
    std::shared_ptr<Side> sides[TLS_SIDES];
    std::shared_ptr<Botan::TLS::Session_Manager> sessions[TLS_SIDES];
    std::unique_ptr<Botan::TLS::Channel> channel[TLS_SIDES];
    uint8_t incoming[TLS_WIRE];
};

Both *both_of(tls_case *s)
{
    return static_cast<Both *>(s->library);
}

template <typename Body> int guarded(Body body) noexcept
{
    try {
        body();
        return CS_OK;
    } catch (const std::exception &e) {
        return cs_fail(e.what());
    } catch (...) {
        return cs_fail("an exception that is not a std::exception");
    }
}

int setup(tls_case *s)
{
    return guarded([s] { s->library = new Both(s, nullptr); });
}

int share(tls_case *s, const tls_case *of)
{
    return guarded([s, of] { s->library = new Both(s, static_cast<const Both *>(of->library)); });
}

void teardown(tls_case *s)
{
    delete both_of(s);
    s->library = nullptr;
}

/* A client sends its hello when it is made. */
int open_side(tls_case *s, int side)
{
    return guarded([s, side] {
        Both *b = both_of(s);

        b->sides[side]->begin();
        if (side == TLS_CLIENT)
            b->channel[side] = std::make_unique<Botan::TLS::Client>(
                b->sides[side], b->sessions[side], b->credentials, b->policy[side], b->rng,
                Botan::TLS::Server_Information(s->wish.host), Protocol_Version(static_cast<uint16_t>(s->wish.version)));
        else
            b->channel[side] = std::make_unique<Botan::TLS::Server>(b->sides[side], b->sessions[side], b->credentials,
                                                                    b->policy[side], b->rng);
    });
}

/* True if there was something. */
bool take(tls_case *s, int side)
{
    Both *b = both_of(s);
    const size_t n = tls_receive(&s->end[side], b->incoming, sizeof b->incoming);

    if (n > 0)
        b->channel[side]->received_data({b->incoming, n});
    return n > 0;
}

int step(tls_case *s, int side)
{
    Both *b = both_of(s);
    const int status = guarded([s, side, b] {
        while (!b->channel[side]->is_handshake_complete() && take(s, side))
            continue;
        if (!b->sides[side]->ended.empty())
            throw std::runtime_error("the peer's alert: " + b->sides[side]->ended);
    });

    if (status != CS_OK)
        return b->sides[side]->refused ? TLS_REFUSED : TLS_FAILED;
    return b->channel[side]->is_handshake_complete() ? TLS_DONE : TLS_WAITS;
}

void told(tls_case *s, int side, tls_agreed *agreed)
{
    *agreed = both_of(s)->sides[side]->agreed;
}

void close_side(tls_case *s, int side)
{
    both_of(s)->channel[side].reset();
}

/* The ticket of TLS 1.3 comes behind the handshake. */
int keep(tls_case *s)
{
    const int status = guarded([s] { take(s, TLS_CLIENT); });

    if (status != CS_OK)
        return status;
    return both_of(s)->sides[TLS_CLIENT]->kept ? static_cast<int>(CS_OK) : cs_fail("nothing came to resume by");
}

int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    return guarded([&] { both_of(s)->channel[side]->send(from, static_cast<size_t>(len)); }) == CS_OK;
}

int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    Side &own = *both_of(s)->sides[side];
    const std::span<uint8_t> all{to, static_cast<size_t>(most)};

    own.room = all;
    if (!own.rest.empty()) {
        const std::vector<uint8_t> waiting = std::exchange(own.rest, {});
        own.tls_record_received(0, waiting);
    } else if (guarded([s, side] { take(s, side); }) != CS_OK) {
        own.room = {};
        return -1;
    }
    return static_cast<int>(all.size() - std::exchange(own.room, {}).size());
}

} // namespace

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, keep, share};
const tls_data tls_data_here = {write_data, read_data};

/* ---- identity ---- */

namespace
{

TLS_WHY(no_ed25519, "Botan has Ed25519, but none of its signatures in TLS")
TLS_WHY(no_mldsa, "Botan has ML-DSA, but none of its signatures in TLS")
TLS_WHY(no_early, "Botan has no early data")

const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa), TLS_LACKS("cert=ed25519", no_ed25519),
                     TLS_LACKS(TLS_AXIS_EARLY, no_early), TLS_ROWS("TLS::Channel::received_data")};

const cs_table own = CS_TABLE(ops);
const cs_table *const tables[] = {&own, nullptr};

const cs_library library = {
    .abi = CS_ABI, .id = "tls", .version = Botan::short_version_cstr, .version_from = "library", .tables = tables};

} // namespace

CS_WORKER_MAIN(library)
