/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC: key wrap, which takes an expanded key (openssl/aes.h).
 */
#include <openssl/err.h>

#include "adapter_modes.h"

enum { CHECK_VALUE = 8 };

int wrap_setup(cs_case *c)
{
    int status = aes_encrypt_setup(c);

    c->out_len = c->msg.len + CHECK_VALUE;
    return status;
}

int unwrap_setup(cs_case *c)
{
    int status = aes_decrypt_setup(c);

    c->out_len = c->msg.len - CHECK_VALUE;
    return status;
}

int wrap_call(cs_case *c)
{
    struct session *s = c->state;

    return AES_wrap_key(&s->aes, NULL, c->out, c->msg.data, c->msg.len) == (int)c->out_len
               ? CS_OK
               : session_fail("AES_wrap_key");
}

int unwrap_call(cs_case *c)
{
    struct session *s = c->state;

    return AES_unwrap_key(&s->aes, NULL, c->out, c->msg.data, c->msg.len) == (int)c->out_len
               ? CS_OK
               : session_reject("AES_unwrap_key");
}
