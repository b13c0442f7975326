/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: key pairs of RSA.
 *
 * Entry points: ippsRSA_GenerateKeys, ippsRSA_GetPrivateKeyType2.
 */
#include "adapter.h"

struct rsa {
    struct contexts all;
    IppsRSAPrivateKeyState *pair;
    Ipp8u *scratch;
    IppsBigNumState *wanted, *exponent, *modulus, *part[CS_CRT_PARTS];
};

/* `param` is the length of the modulus in bits. */
static int bits_of(const cs_case *c)
{
    const int *bits = c->op->param;

    return *bits;
}

static int make_numbers(struct rsa *s, int bits)
{
    static const uint8_t f4[CS_RSA_EXPONENT] = {0, 1, 0, 1};

    s->wanted = number_of(&s->all, (cs_span){.data = f4, .len = sizeof f4});
    s->exponent = new_number(&s->all, CS_RSA_EXPONENT);
    s->modulus = new_number(&s->all, CS_RSA_MODULUS_OF(bits));
    if (s->wanted == NULL || s->exponent == NULL || s->modulus == NULL)
        return CS_ERROR;
    for (size_t i = 0; i < CS_CRT_PARTS; i++)
        if ((s->part[i] = new_number(&s->all, CS_RSA_PART_OF(bits))) == NULL)
            return CS_ERROR;
    return CS_OK;
}

static int setup_rsa_keygen(cs_case *c)
{
    struct rsa *s = cs_new_state(c, sizeof *s);
    IppStatus status;
    int prime_bits = bits_of(c) / 2, size;

    if (s == NULL)
        return CS_ERROR;
    status = ippsRSA_GetSizePrivateKeyType2(prime_bits, prime_bits, &size);
    if (status >= ippStsNoErr && (s->pair = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status >= ippStsNoErr)
        status = ippsRSA_InitPrivateKeyType2(prime_bits, prime_bits, s->pair, size);
    if (status >= ippStsNoErr)
        status = ippsRSA_GetBufferSizePrivateKey(&size, s->pair);
    if (status >= ippStsNoErr && (s->scratch = new_context(&s->all, size)) == NULL)
        return give_up(c, CS_ERROR);
    if (status < ippStsNoErr)
        return give_up(c, failed("ippsRSA_InitPrivateKeyType2", status));
    return make_numbers(s, bits_of(c)) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

/* The number of tests for primality is the library's choice. Where the second prime is not found within the candidates
 * that it allows itself, it warns of entropy, and is asked anew. */
static int call_rsa_keygen(cs_case *c)
{
    struct rsa *s = c->state;
    int done;
    IppStatus status;

    do
        status = ippsRSA_GenerateKeys(s->wanted, s->modulus, s->exponent, NULL, s->pair, s->scratch, 0, NULL,
                                      random_bits, random_context);
    while (status == ippStsInsufficientEntropy);
    if (status >= ippStsNoErr)
        status = ippsRSA_GetPrivateKeyType2(s->part[CS_CRT_P], s->part[CS_CRT_Q], s->part[CS_CRT_DP],
                                            s->part[CS_CRT_DQ], s->part[CS_CRT_QINV], s->pair);
    if (status < ippStsNoErr)
        return failed("ippsRSA_GenerateKeys", status);
    c->out_len = 0;
    done = CS_OK;
    for (size_t i = 0; i < CS_CRT_PARTS && done == CS_OK; i++)
        done = take(c, s->part[i], CS_RSA_PART_OF(bits_of(c)));
    if (done == CS_OK)
        done = take(c, s->modulus, CS_RSA_MODULUS_OF(bits_of(c)));
    return done == CS_OK ? take(c, s->exponent, CS_RSA_EXPONENT) : done;
}

/* ---- rows ---- */

/* clang-format off */
#define RSA_KEYGEN(BITS)                                                                                               \
    {.id = "rsa-" #BITS "/keygen", .impl = "default", .name = "ippsRSA_GenerateKeys", .setup = setup_rsa_keygen, .call = call_rsa_keygen, .param = &(const int){BITS}, .teardown = teardown, .seed = seed, .counts_random = 1}

static const cs_op rows[] = {
    RSA_KEYGEN(2048),
    RSA_KEYGEN(3072),
    RSA_KEYGEN(4096),
};
/* clang-format on */

const cs_table ipp_rsa_keygen = CS_TABLE(rows);
