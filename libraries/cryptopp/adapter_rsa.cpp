/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: RSA signatures and encryption, through PK_Signer, PK_Verifier, PK_Encryptor and PK_Decryptor.
 */
#include "adapter.h"

#include <cryptopp/oaep.h>
#include <cryptopp/pkcspad.h>
#include <cryptopp/pssr.h>
#include <cryptopp/rsa.h>
#include <cryptopp/sha.h>

namespace cs_cryptopp
{

namespace
{

using CryptoPP::Integer;
using Pkcs1Signature = CryptoPP::RSASS<CryptoPP::PKCS1v15, CryptoPP::SHA256>;
using Pss = CryptoPP::RSASS<CryptoPP::PSS, CryptoPP::SHA256>;
using Oaep = CryptoPP::RSAES<CryptoPP::OAEP<CryptoPP::SHA256>>;
using Pkcs1Cipher = CryptoPP::RSAES<CryptoPP::PKCS1v15>;

/* One of them is there. */
struct Rsa {
    std::unique_ptr<CryptoPP::PK_Signer> signer;
    std::unique_ptr<CryptoPP::PK_Verifier> verifier;
    std::unique_ptr<CryptoPP::PK_Encryptor> encryptor;
    std::unique_ptr<CryptoPP::PK_Decryptor> decryptor;
    size_t size = 0; /* bytes of the modulus */
};

Integer number(cs_span bytes)
{
    return Integer(bytes.data, bytes.len);
}

template <typename Scheme> std::unique_ptr<Scheme> with_private(const cs_rsa_key &of)
{
    auto made = std::make_unique<Scheme>();
    made->AccessKey().Initialize(number(of.n), number(of.e), number(of.d), number(of.part[CS_CRT_P]),
                                 number(of.part[CS_CRT_Q]), number(of.part[CS_CRT_DP]), number(of.part[CS_CRT_DQ]),
                                 number(of.part[CS_CRT_QINV]));
    return made;
}

template <typename Scheme> std::unique_ptr<Scheme> with_public(const cs_rsa_key &of)
{
    auto made = std::make_unique<Scheme>();
    made->AccessKey().Initialize(number(of.n), number(of.e));
    return made;
}

/* Runs `take` on the state and the numbers of the key. */
template <typename Take> int setup_key(cs_case *c, Take take) noexcept
{
    cs_rsa_key of;
    if (cs_rsa_numbers(c, &of) != CS_OK)
        return CS_ERROR;
    const size_t out_len = c->sig.data == nullptr ? of.n.len : 0; /* verification has no output */
    return setup<Rsa>(c, out_len, [take, of](Rsa &s) {
        s.size = of.n.len;
        take(s, of);
        return static_cast<int>(CS_OK);
    });
}

int setup_rsa_pkcs1_sign(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.signer = with_private<Pkcs1Signature::Signer>(of); });
}

int setup_rsa_pss_sign(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.signer = with_private<Pss::Signer>(of); });
}

int setup_rsa_pkcs1_verify(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.verifier = with_public<Pkcs1Signature::Verifier>(of); });
}

int setup_rsa_pss_verify(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.verifier = with_public<Pss::Verifier>(of); });
}

int setup_rsa_oaep_encrypt(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.encryptor = with_public<Oaep::Encryptor>(of); });
}

int setup_rsa_oaep_decrypt(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.decryptor = with_private<Oaep::Decryptor>(of); });
}

int setup_rsa_pkcs1_encrypt(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.encryptor = with_public<Pkcs1Cipher::Encryptor>(of); });
}

int setup_rsa_pkcs1_decrypt(cs_case *c) noexcept
{
    return setup_key(c, [](Rsa &s, const cs_rsa_key &of) { s.decryptor = with_private<Pkcs1Cipher::Decryptor>(of); });
}

int call_rsa_sign(cs_case *c) noexcept
{
    return guarded([c] {
        const size_t len = state<Rsa>(c).signer->SignMessage(rng(), c->msg.data, c->msg.len, c->out);
        return static_cast<int>(len == c->out_len ? CS_OK : CS_ERROR);
    });
}

/* The library reads a signature as a number of any length. Only one length is right, so it is checked here. */
int call_rsa_verify(cs_case *c) noexcept
{
    return guarded([c] {
        const auto &s = state<Rsa>(c);
        if (c->sig.len != s.size)
            return static_cast<int>(CS_REJECTED);
        const bool valid = s.verifier->VerifyMessage(c->msg.data, c->msg.len, c->sig.data, c->sig.len);
        return static_cast<int>(valid ? CS_OK : CS_REJECTED);
    });
}

int call_rsa_encrypt(cs_case *c) noexcept
{
    return guarded([c] {
        state<Rsa>(c).encryptor->Encrypt(rng(), c->msg.data, c->msg.len, c->out);
        return static_cast<int>(CS_OK);
    });
}

/* The library throws for a wrong length, and for a number that is not below the modulus. */
int call_rsa_decrypt(cs_case *c) noexcept
{
    return guarded([c] {
        c->out_len = 0;
        try {
            const auto found = state<Rsa>(c).decryptor->Decrypt(rng(), c->msg.data, c->msg.len, c->out);
            c->out_len = found.isValidCoding ? found.messageLength : 0;
            return static_cast<int>(found.isValidCoding ? CS_OK : CS_REJECTED);
        } catch (const CryptoPP::Exception &) {
            return static_cast<int>(CS_REJECTED);
        }
    });
}

#define RSA_ROW(ID, NAME, SETUP, CALL)                                                                                 \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_rsa_##SETUP,                                                                                       \
     .call = call_rsa_##CALL,                                                                                          \
     .teardown = teardown<Rsa>,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define RSA_SIGNATURE(ALGORITHM, NAME, PADDING)                                                                        \
    RSA_ROW(ALGORITHM "/sign", NAME "::Signer", PADDING##_sign, sign),                                                 \
        RSA_ROW(ALGORITHM "/verify", NAME "::Verifier", PADDING##_verify, verify)
#define RSA_CIPHER(ALGORITHM, NAME, PADDING)                                                                           \
    RSA_ROW(ALGORITHM "/public-encrypt", NAME "::Encryptor", PADDING##_encrypt, encrypt),                              \
        RSA_ROW(ALGORITHM "/private-decrypt", NAME "::Decryptor", PADDING##_decrypt, decrypt)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", "RSASS<PKCS1v15, SHA256>", pkcs1),                                      \
        RSA_SIGNATURE("rsa-" BITS "-pss-sha256", "RSASS<PSS, SHA256>", pss),                                           \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", "RSAES<OAEP<SHA256>>", oaep)

const cs_op rows[] = {RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"),
                      RSA_CIPHER("rsa-2048-pkcs1", "RSAES<PKCS1v15>", pkcs1)};

} // namespace

const cs_table cryptopp_rsa = CS_TABLE(rows);

} // namespace cs_cryptopp
