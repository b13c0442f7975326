/* SPDX-License-Identifier: Apache-2.0
 *
 * FULL: upstream's profile with all that it has. Otherwise one suite, with the implementations that the step names:
 * SMALL the smallest, RSA also certificates of RSA, PINNED no certificates but the one key that is known.
 */
#include "../client.h"

#include <string.h>

#include <bearssl.h>

#ifdef FOOTPRINT_BOARD
#include <sys/random.h>
#include <time.h>
#endif

enum { NAME = 256 };

static br_ssl_client_context client;
static br_sslio_context stream;
static unsigned char buffer[BR_SSL_BUFSIZE_MONO];

#ifdef PINNED
static br_x509_knownkey_context verifier;

static int verify_by(span anchor)
{
    br_ec_public_key key = {BR_EC_secp256r1, anchor.data, anchor.len};

    br_x509_knownkey_init_ec(&verifier, &key, BR_KEYTYPE_KEYX | BR_KEYTYPE_SIGN);
    br_ssl_engine_set_x509(&client.eng, &verifier.vtable);
    return anchor.len > 0;
}
#else
static br_x509_minimal_context verifier;
static br_x509_decoder_context decoder; /* holds the bytes of the anchor's key */
static br_x509_trust_anchor anchors[1];
static unsigned char name[NAME];
static size_t name_len;

static void append(void *to, const void *bytes, size_t len)
{
    (void)to;
    if (len <= NAME - name_len) {
        memcpy(name + name_len, bytes, len);
        name_len += len;
    }
}

/* 1 if the anchor could be read. */
static int decode(span anchor)
{
    br_x509_pkey *key;

    name_len = 0;
    br_x509_decoder_init(&decoder, append, NULL);
    br_x509_decoder_push(&decoder, anchor.data, anchor.len);
    key = br_x509_decoder_get_pkey(&decoder);
    if (key == NULL)
        return 0;
    anchors[0] = (br_x509_trust_anchor){{name, name_len}, BR_X509_TA_CA, *key};
    return 1;
}

#ifndef FULL
static int verify_by(span anchor)
{
    br_x509_minimal_init(&verifier, &br_sha256_vtable, anchors, 1);
    br_x509_minimal_set_hash(&verifier, br_sha256_ID, &br_sha256_vtable);
#ifdef SMALL
    br_x509_minimal_set_ecdsa(&verifier, &br_ec_prime_i31, br_ecdsa_i31_vrfy_asn1);
#else
    br_x509_minimal_set_ecdsa(&verifier, br_ec_get_default(), br_ecdsa_vrfy_asn1_get_default());
#endif
#ifdef RSA
    br_x509_minimal_set_rsa(&verifier, br_rsa_pkcs1_vrfy_get_default());
#endif
    br_ssl_engine_set_x509(&client.eng, &verifier.vtable);
    return decode(anchor);
}
#endif
#endif

#ifndef FULL
static const uint16_t suites[] = {
    BR_TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
#ifdef RSA
    BR_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
#endif
};

static void choose(void)
{
    br_ssl_engine_context *engine = &client.eng;

    br_ssl_client_zero(&client);
    br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
    br_ssl_engine_set_suites(engine, suites, sizeof suites / sizeof suites[0]);
    br_ssl_engine_set_hash(engine, br_sha256_ID, &br_sha256_vtable);
    br_ssl_engine_set_prf_sha256(engine, &br_tls12_sha256_prf);
    br_ssl_engine_set_gcm(engine, &br_sslrec_in_gcm_vtable, &br_sslrec_out_gcm_vtable);
#ifdef SMALL
    br_ssl_engine_set_ec(engine, &br_ec_prime_i31);
    br_ssl_engine_set_ecdsa(engine, br_ecdsa_i31_vrfy_asn1);
    br_ssl_engine_set_aes_ctr(engine, &br_aes_small_ctr_vtable);
    br_ssl_engine_set_ghash(engine, br_ghash_ctmul64);
#else
    br_ssl_engine_set_ec(engine, br_ec_get_default());
    br_ssl_engine_set_ecdsa(engine, br_ecdsa_vrfy_asn1_get_default());
    br_ssl_engine_set_default_aes_gcm(engine);
#endif
#ifdef RSA
    br_ssl_engine_set_rsavrfy(engine, br_rsa_pkcs1_vrfy_get_default());
#endif
}
#endif

#ifdef FOOTPRINT_BOARD
enum { SEED = 32, DAY = 86400, DAYS_BEFORE_1970 = 719528 };

/* The library finds neither random bytes nor a date where there is no system. */
static int set_up_board(void)
{
    uint8_t seed[SEED];

    if (getrandom(seed, sizeof seed, 0) != SEED)
        return 0;
    br_ssl_engine_inject_entropy(&client.eng, seed, sizeof seed);
#ifndef PINNED
    time_t now = time(NULL);

    br_x509_minimal_set_time(&verifier, (uint32_t)(now / DAY) + DAYS_BEFORE_1970, (uint32_t)(now % DAY));
#endif
    return 1;
}
#endif

static int receive(void *fd, unsigned char *to, size_t len)
{
    ssize_t n = read(*(int *)fd, to, len);

    return n > 0 ? (int)n : -1;
}

static int send_some(void *fd, const unsigned char *from, size_t len)
{
    ssize_t n = write(*(int *)fd, from, len);

    return n > 0 ? (int)n : -1;
}

int main(int argc, char **argv)
{
    uint8_t token[TOKEN];
    span anchor;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0)
        return BROKEN;
#ifdef FULL
    if (!decode(anchor))
        return BROKEN;
    br_ssl_client_init_full(&client, &verifier, anchors, 1);
#else
    choose();
    if (!verify_by(anchor))
        return BROKEN;
#endif
#ifdef FOOTPRINT_BOARD
    if (!set_up_board())
        return BROKEN;
#endif
    br_ssl_engine_set_buffer(&client.eng, buffer, sizeof buffer, 0);
    if (!br_ssl_client_reset(&client, argv[2], 0))
        return BROKEN;
    br_sslio_init(&stream, &client.eng, receive, &fd, send_some, &fd);
    if (br_sslio_write_all(&stream, REQUEST, sizeof REQUEST - 1) != 0 || br_sslio_flush(&stream) != 0 ||
        br_sslio_read_all(&stream, token, sizeof token) != 0)
        return NO;
    return write_output(token, sizeof token);
}
