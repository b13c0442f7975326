/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: RSA signatures and encryption, through PK_Signer, PK_Verifier, PK_Encryptor_EME and PK_Decryptor_EME.
 */
#include "adapter.h"

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

int setup_rsa_decrypt(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new DecryptState(private_key(c), padding(c));
        return static_cast<int>(CS_OK);
    });
}

/* For a message that is not a ciphertext of this key, the library throws exceptions of several classes. */
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

/* `param` is the padding in Botan's words. */
#define RSA_ROW(ID, NAME, SETUP, CALL, TEARDOWN, PADDING)                                                              \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME " " PADDING,                                                                                         \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = TEARDOWN,                                                                                             \
     .param = PADDING,                                                                                                 \
     .unavailable = rsa_unavailable,                                                                                   \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define RSA_SIGNATURE(ALGORITHM, PADDING)                                                                              \
    RSA_ROW(ALGORITHM "/sign", "PK_Signer", setup_rsa_sign, call_sign, teardown<SignState>, PADDING),                  \
        RSA_ROW(ALGORITHM "/verify", "PK_Verifier", setup_rsa_verify, call_verify_message, teardown<VerifyState>,      \
                PADDING)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM "/public-encrypt", "PK_Encryptor_EME", setup_rsa_encrypt, call_rsa_encrypt,                      \
            teardown<EncryptState>, PADDING),                                                                          \
        RSA_ROW(ALGORITHM "/private-decrypt", "PK_Decryptor_EME", setup_rsa_decrypt, call_rsa_decrypt,                 \
                teardown<DecryptState>, PADDING)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", RSA_PKCS1), RSA_SIGNATURE("rsa-" BITS "-pss-sha256", RSA_PSS),          \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", "OAEP(SHA-256)")

const cs_op rows[] = {RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"),
                      RSA_CIPHER("rsa-2048-pkcs1", "PKCS1v15")};

} // namespace

const cs_table botan_rsa = CS_TABLE(rows);

} // namespace cs_botan
