/* SPDX-License-Identifier: Apache-2.0
 *
 * What adapters need for the operations with certificates, whatever the library: times, names, private keys in DER, and
 * the fields that parsing writes. None allocates.
 */
#ifndef CIPHERSTONE_X509_H
#define CIPHERSTONE_X509_H

#include "cipherstone.h"
#include "cipherstone_encoding.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What `parse` writes: CA flag, not before, not after, serial number, public key. */
enum { CS_X509_SERIAL = 20, CS_X509_HEAD = 1 + 8 + 8 + CS_X509_SERIAL };
enum { CS_X509_KEY_DER = 1280, CS_X509_TEXT = 256, CS_X509_DATE = 16, CS_X509_RSA_MODULUS = 256 };

/* Seconds since 1970 of an input `time`, `since` or `until`. */
int64_t cs_x509_time(cs_span input);

/* The same of a date and a time of day in UTC. */
int64_t cs_x509_seconds(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute, int64_t second);

/* "YYYYMMDDhhmmssZ". */
void cs_x509_date(int64_t seconds, char out[CS_X509_DATE]);

/* The certificates of a path, the leaf first: how many there are. What is no certificate stays the last of them. */
enum { CS_X509_PATH = 4 };
size_t cs_x509_path(const cs_case *c, cs_span path[CS_X509_PATH]);

/* Copies an input that libraries want as a string; an input that was not given is "". CS_OK, or CS_ERROR after cs_fail
 * if it is longer than fits. */
int cs_x509_text(cs_span input, char out[CS_X509_TEXT]);

/* Writes all but the key at the beginning of the output. CS_REJECTED for a serial number of more than 20 bytes. */
int cs_x509_put(cs_case *c, int ca, int64_t since, int64_t until, cs_span serial);

/* Writes the key behind it and sets `out_len`. CS_REJECTED for a key that does not fill the output. */
int cs_x509_put_point(cs_case *c, cs_span x, cs_span y);
int cs_x509_put_rsa(cs_case *c, cs_span n, cs_span e);

/* Whether the case is about RSA; else it is about P-256. */
int cs_x509_is_rsa(const cs_case *c);

/* The private key of the case as ECPrivateKey (RFC 5915) or RSAPrivateKey (RFC 8017) at `out`: its length; 0 after
 * cs_fail. */
size_t cs_x509_private_key(const cs_case *c, uint8_t out[CS_X509_KEY_DER]);

#ifdef __cplusplus
}
#endif

#endif
