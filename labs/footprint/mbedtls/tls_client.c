/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of TLS is the configuration's. SYSTEM_RANDOM: the system's random bytes as they are, where otherwise the
 * library's generator is seeded with them.
 */
#include "../client.h"
#include "hooks.h"

#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#ifdef MBEDTLS_PSA_CRYPTO_C
#include <psa/crypto.h>
#endif

#ifdef SYSTEM_RANDOM
#include "random.h"
#ifdef MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *context, uint8_t *to, size_t size,
                                             size_t *len)
{
    *len = size;
    return system_random(context, to, size) == 0 ? PSA_SUCCESS : PSA_ERROR_INSUFFICIENT_ENTROPY;
}
#endif
#else
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>

static mbedtls_entropy_context entropy;
static mbedtls_ctr_drbg_context drbg;
#endif

static mbedtls_ssl_config config;
static mbedtls_ssl_context ssl;
static mbedtls_x509_crt root;

static int send_some(void *fd, const unsigned char *from, size_t len)
{
    return (int)write(*(int *)fd, from, len);
}

static int receive(void *fd, unsigned char *to, size_t len)
{
    return (int)read(*(int *)fd, to, len);
}

static int seed(void)
{
#ifdef MBEDTLS_PSA_CRYPTO_C
    if (psa_crypto_init() != PSA_SUCCESS)
        return 0;
#endif
#ifdef SYSTEM_RANDOM
    mbedtls_ssl_conf_rng(&config, system_random, NULL);
#else
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&drbg);
    if (mbedtls_ctr_drbg_seed(&drbg, mbedtls_entropy_func, &entropy, NULL, 0) != 0)
        return 0;
    mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &drbg);
#endif
    return 1;
}

/* 1 if all is ready for the handshake. */
static int set_up(span anchor, const char *host, int *fd)
{
    mbedtls_ssl_init(&ssl);
    mbedtls_ssl_config_init(&config);
    mbedtls_x509_crt_init(&root);
    if (!seed() || mbedtls_x509_crt_parse_der(&root, anchor.data, anchor.len) != 0 ||
        mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                    MBEDTLS_SSL_PRESET_DEFAULT) != 0)
        return 0;
    mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&config, &root, NULL);
    if (mbedtls_ssl_setup(&ssl, &config) != 0 || mbedtls_ssl_set_hostname(&ssl, host) != 0)
        return 0;
    mbedtls_ssl_set_bio(&ssl, fd, send_some, receive, NULL);
    return 1;
}

/* What is no data and no end: the ticket of TLS 1.3. */
static int read_some(unsigned char *to, size_t most)
{
    int n;

    do
        n = mbedtls_ssl_read(&ssl, to, most);
    while (n == MBEDTLS_ERR_SSL_WANT_READ || n == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
    return n;
}

int main(int argc, char **argv)
{
    uint8_t token[TOKEN];
    span anchor;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0 ||
        !set_up(anchor, argv[2], &fd))
        return BROKEN;
    if (mbedtls_ssl_handshake(&ssl) != 0 ||
        mbedtls_ssl_write(&ssl, (const unsigned char *)REQUEST, sizeof REQUEST - 1) != sizeof REQUEST - 1)
        return NO;
    for (size_t len = 0; len < TOKEN;) {
        int n = read_some(token + len, TOKEN - len);

        if (n <= 0)
            return NO;
        len += (size_t)n;
    }
    return write_output(token, TOKEN);
}
