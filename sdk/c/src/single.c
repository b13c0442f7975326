/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of an operation as a process of its own, whose fields of `prepare` are the arguments (PROTOCOL.md section
 * 6).
 */
#include "sdk.h"

#include <stdio.h>

#define LINE_MAX_BYTES (1 << 17)

static char line[LINE_MAX_BYTES];

/* `1 prepare case=0 FIELDS`; its length, or 0 if it is too long. */
static size_t joined(int count, char **fields)
{
    size_t len = (size_t)snprintf(line, sizeof line, "1 prepare case=0");
    for (int i = 0; i < count && len < sizeof line; i++)
        len += (size_t)snprintf(line + len, sizeof line - len, " %s", fields[i]);
    if (len < sizeof line)
        return len;
    fprintf(stderr, "more than 128 KiB of fields; a long input is gen:SEED:LENGTH, or with --once file:PATH\n");
    return 0;
}

static int exit_status(int status)
{
    return status == CS_OK ? 0 : status & CS_ERROR ? 1 : 3;
}

int cs_single_told(int count, char **fields)
{
    static char compute[] = "2 compute case=0 form=crc32";
    size_t len = joined(count, fields);
    if (len == 0)
        return 2;
    cs_worker_serve(line, len);
    if (cs_worker_slot(0) == NULL)
        return 1;
    cs_worker_serve(compute, sizeof compute - 1);
    return exit_status(cs_worker_slot(0)->status);
}

int cs_single_raw(int count, char **fields)
{
    size_t len = joined(count, fields);
    if (len == 0)
        return 2;
    cs_request request;
    const char *code = "bad-request", *detail = cs_request_parse(line, len, &request);
    cs_values_from_files = true;
    cs_slot *slot = detail == NULL ? cs_worker_open(0, &request, &code, &detail) : NULL;
    if (slot == NULL) {
        fprintf(stderr, "%s: %s\n", code, detail);
        return 4;
    }
    cs_slot_before(slot);
    cs_slot_after(slot, slot->c.op->call(&slot->c));
    int status = exit_status(slot->status);
    if (status == 0 && !cs_channel_write((const char *)slot->out, slot->c.out_len))
        status = 1;
    if (status == 1)
        fprintf(stderr, "%s\n", slot->detail[0] != '\0' ? slot->detail : "the library reported a failure");
    return status;
}
