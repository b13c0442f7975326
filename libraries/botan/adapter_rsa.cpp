/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: RSA signatures and encryption, through PK_Signer, PK_Verifier, PK_Encryptor_EME and PK_Decryptor_EME.
 */
#include "adapter_rsa.h"
#include "adapter_sig.h"

#include <botan/bigint.h>
#include <botan/rsa.h>

#include <cstring>

namespace cs_botan
{

namespace
{

struct EncryptState {
    std::unique_ptr<Botan::Public_Key> key;
    Botan::PK_Encryptor_EME encryptor;

    EncryptState(std::unique_ptr<Botan::Public_Key> k, const std::string &padding)
        : key(std::move(k)), encryptor(*key, rng(), padding)
    {
    }
};

struct DecryptState {
    std::unique_ptr<Botan::Private_Key> key;
    Botan::PK_Decryptor_EME decryptor;

    DecryptState(std::unique_ptr<Botan::Private_Key> k, const std::string &padding)
        : key(std::move(k)), decryptor(*key, rng(), padding)
    {
    }
};

Botan::BigInt number(cs_span bytes)
{
    return Botan::BigInt(bytes.data, bytes.len);
}

cs_rsa_key numbers_of(const cs_case *c)
{
    cs_rsa_key numbers;
    if (cs_rsa_numbers(c, &numbers) != CS_OK)
        throw Botan::Invalid_Argument("the key is not as long as the numbers of an RSA key");
    return numbers;
}

/* Botan computes dP, dQ and qInv itself: there is no way to give them. */
std::unique_ptr<Botan::Private_Key> private_key(const cs_case *c)
{
    const cs_rsa_key of = numbers_of(c);
    return std::make_unique<Botan::RSA_PrivateKey>(number(of.part[CS_CRT_P]), number(of.part[CS_CRT_Q]), number(of.e),
                                                   number(of.d), number(of.n));
}

std::unique_ptr<Botan::Public_Key> public_key(const cs_case *c)
{
    const cs_rsa_key of = numbers_of(c);
    return std::make_unique<Botan::RSA_PublicKey>(number(of.n), number(of.e));
}

const char *padding(const cs_case *c)
{
    return static_cast<const char *>(c->op->param);
}

template <typename Bytes> int put(cs_case *c, const Bytes &bytes)
{
    if (bytes.size() > c->out_cap)
        return cs_fail("the result is longer than the modulus");
    std::copy(bytes.begin(), bytes.end(), c->out);
    c->out_len = bytes.size();
    return CS_OK;
}

} // namespace

/* A build can leave paddings out: Botan 3 has each in a module. No key is asked for when the name is looked up. */
const char *rsa_unavailable(const cs_op *op) noexcept
{
    try {
        const std::string id = op->id, name = static_cast<const char *>(op->param);
        const Botan::RSA_PublicKey key(Botan::BigInt::power_of_2(2047) + 1, 65537);
        Botan::Null_RNG none;
        if (id.find("sha256/") != std::string::npos && id.find("crypt") == std::string::npos)
            (void)Botan::PK_Verifier(key, name);
        else
            (void)Botan::PK_Encryptor_EME(key, none, name);
        return nullptr;
    } catch (const std::exception &) {
        return "this build of Botan leaves the padding out";
    }
}

int setup_rsa_sign(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new SignState(private_key(c), padding(c));
        return static_cast<int>(CS_OK);
    });
}

int setup_rsa_verify(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new VerifyState(public_key(c), padding(c));
        return static_cast<int>(CS_OK);
    });
}

int call_verify_message(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<VerifyState *>(c->state);
        const bool valid = s->verifier.verify_message(c->msg.data, c->msg.len, c->sig.data, c->sig.len);
        return static_cast<int>(valid ? CS_OK : CS_REJECTED);
    });
}

int setup_rsa_encrypt(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new EncryptState(public_key(c), padding(c));
        return static_cast<int>(CS_OK);
    });
}

int call_rsa_encrypt(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const EncryptState *>(c->state);
        return put(c, s->encryptor.encrypt(c->msg.data, c->msg.len, rng()));
    });
}

void teardown_rsa_encrypt(cs_case *c) noexcept
{
    teardown<EncryptState>(c);
}

int setup_rsa_decrypt(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new DecryptState(private_key(c), padding(c));
        return static_cast<int>(CS_OK);
    });
}

/* What is not a ciphertext of this key is told by exceptions of several classes. */
int call_rsa_decrypt(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const DecryptState *>(c->state);
        c->out_len = 0;
        try {
            return put(c, s->decryptor.decrypt(c->msg.data, c->msg.len));
        } catch (const Botan::Exception &) {
            return static_cast<int>(CS_REJECTED);
        }
    });
}

void teardown_rsa_decrypt(cs_case *c) noexcept
{
    teardown<DecryptState>(c);
}

} // namespace cs_botan
