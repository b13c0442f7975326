/* SPDX-License-Identifier: Apache-2.0
 *
 * Upstream's own settings, both versions, without a database; its verifier of paths and of the host's name. Its sockets
 * are NSPR's, which is dialled by as well.
 */
#include "own.h"

#include "../client.h"

#include <cert.h>
#include <prio.h>
#include <prnetdb.h>
#include <ssl.h>

/* 1 if a server may be proven by it. */
static int trust(span anchor)
{
    SECItem der = item(anchor);
    CERTCertificate *root = CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &der, NULL, PR_FALSE, PR_TRUE);
    CERTCertTrust trusted;

    return root != NULL && CERT_DecodeTrustString(&trusted, "C,,") == SECSuccess &&
           CERT_ChangeCertTrust(CERT_GetDefaultCertDB(), root, &trusted) == SECSuccess;
}

/* NULL if something cannot be set up. */
static PRFileDesc *set_up(const char *port, const char *host)
{
    PRFileDesc *fd = PR_NewTCPSocket(), *ssl;
    PRNetAddr at;

    if (fd == NULL || PR_InitializeNetAddr(PR_IpAddrLoopback, (PRUint16)atoi(port), &at) != PR_SUCCESS ||
        PR_Connect(fd, &at, PR_INTERVAL_NO_TIMEOUT) != PR_SUCCESS)
        return NULL;
    ssl = SSL_ImportFD(NULL, fd);
    return ssl != NULL && SSL_SetURL(ssl, host) == SECSuccess && SSL_ResetHandshake(ssl, PR_FALSE) == SECSuccess ? ssl
                                                                                                                 : NULL;
}

int main(int argc, char **argv)
{
    uint8_t token[TOKEN];
    PRFileDesc *ssl;
    span anchor;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || !begun() || NSS_SetDomesticPolicy() != SECSuccess ||
        !trust(anchor) || (ssl = set_up(argv[1], argv[2])) == NULL)
        return BROKEN;
    if (SSL_ForceHandshake(ssl) != SECSuccess || PR_Write(ssl, REQUEST, sizeof REQUEST - 1) != sizeof REQUEST - 1)
        return NO;
    for (int len = 0; len < TOKEN;) {
        PRInt32 n = PR_Read(ssl, token + len, TOKEN - len);

        if (n <= 0)
            return NO;
        len += n;
    }
    PR_Close(ssl);
    return write_output(token, TOKEN);
}
