/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: key agreement in finite fields, through DH, a SimpleKeyAgreementDomain.
 */
#include "adapter.h"
#include "ffdhe.h"

#include <cryptopp/dh.h>

namespace cs_cryptopp
{

namespace
{

using CryptoPP::Integer;

struct Domain {
    CryptoPP::DH dh;
    CryptoPP::SecByteBlock key; /* as long as the domain wants it, which is the order's length */
};

int setup_domain(cs_case *c, size_t out_len) noexcept
{
    return setup<Domain>(c, out_len, [c](Domain &s) {
        const auto *of = static_cast<const cs_ffdhe *>(c->op->param);
        s.dh.AccessGroupParameters().Initialize(Integer(of->p, of->bytes), Integer(of->q, of->bytes),
                                                Integer(CS_FFDHE_GENERATOR));
        s.key.resize(s.dh.PrivateKeyLength());
        return static_cast<int>(CS_OK);
    });
}

int setup_ffdh(cs_case *c) noexcept
{
    const int status = setup_domain(c, c->pub.len);
    if (status != CS_OK)
        return status;
    return guarded([c] {
        auto &s = state<Domain>(c);
        return cs_put_number(s.key, s.key.size(), cs_span{c->key.data, c->key.len});
    });
}

/* Agree checks the public value in every call, unless the caller switches this off. */
int call_ffdh(cs_case *c) noexcept
{
    return guarded([c] {
        const auto &s = state<Domain>(c);
        return static_cast<int>(s.dh.Agree(c->out, s.key, c->pub.data) ? CS_OK : CS_BAD_KEY);
    });
}

int setup_ffdh_keygen(cs_case *c) noexcept
{
    return setup_domain(c, 2 * static_cast<const cs_ffdhe *>(c->op->param)->bytes);
}

int call_ffdh_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        auto &s = state<Domain>(c);
        const size_t bytes = c->out_len / 2;
        s.dh.GenerateKeyPair(rng(), s.key, c->out + bytes);
        return cs_put_number(c->out, bytes, cs_span{s.key, s.key.size()});
    });
}

#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "DH::Agree",                                                                                              \
     .setup = setup_ffdh,                                                                                              \
     .call = call_ffdh,                                                                                                \
     .teardown = teardown<Domain>,                                                                                     \
     .param = &(GROUP),                                                                                                \
     .rekey = cs_setup_again},                                                                                         \
        {.id = ALGORITHM "/keygen",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "DH::GenerateKeyPair",                                                                                \
         .setup = setup_ffdh_keygen,                                                                                   \
         .call = call_ffdh_keygen,                                                                                     \
         .teardown = teardown<Domain>,                                                                                 \
         .param = &(GROUP),                                                                                            \
         .seed = seed_rng,                                                                                             \
         .counts_random = 1}

const cs_op rows[] = {FFDH_ROWS_OF("dh-2048", cs_ffdhe_2048), FFDH_ROWS_OF("dh-3072", cs_ffdhe_3072)};

} // namespace

const cs_table cryptopp_ffdh = CS_TABLE(rows);

} // namespace cs_cryptopp
