/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzzing: a line of a request into its parts, and what reads the parts: batches, parameters, inputs and their values.
 */
#include "sdk.h"

#include <stdlib.h>
#include <string.h>

#define VALUE_MAX ((size_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool right)
{
    if (!right)
        abort();
}

static void values(const cs_request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        const char *text = request->field[i].value;
        size_t len;
        need(cs_request_value(request, request->field[i].name) == text);
        if (cs_value_length(text, &len) != CS_DECODE_OK || len > VALUE_MAX)
            continue;
        uint8_t *out = malloc(len + 1); /* exactly as long: a byte more is seen */
        if (out == NULL)
            continue;
        out[len] = 0xa5;
        (void)cs_value_bytes(text, out, len);
        need(out[len] == 0xa5);
        free(out);
    }
}

static void shape(const cs_request *request)
{
    cs_shape found;
    const char *id = cs_request_value(request, "op");
    if (cs_shape_params(request, &found) == NULL) {
        need(found.params <= CS_PARAMS_MAX);
        for (size_t i = 0; i < found.params; i++)
            need(strlen(found.param[i].name) <= CS_PARAM_MAX && strlen(found.param[i].value) <= CS_PARAM_MAX);
        (void)cs_shape_fits(&found, "out=4|8,mode=sum");
        const char *params = cs_request_value(request, "fits");
        if (params != NULL)
            (void)cs_shape_fits(&found, params);
    }
    if (id != NULL && cs_shape_inputs(request, id, &found) == NULL)
        need(found.inputs <= CS_INPUTS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = malloc(size + 1);
    cs_request request;
    cs_run run;
    if (line == NULL)
        return 0;
    if (size > 0)
        memcpy(line, data, size);
    uint64_t seq = cs_request_seq(line, size);
    const char *wrong = cs_request_parse(line, size, &request);
    need(request.seq == seq && request.count <= CS_FIELDS_MAX);
    if (wrong == NULL) {
        need(request.verb != NULL && *request.verb != '\0');
        if (cs_run_parse(&request, &run) == NULL)
            need(run.calls > 0 && run.batches <= CS_MAX_BATCHES && run.ring <= CS_MAX_RING);
        values(&request);
        shape(&request);
    }
    free(line);
    return 0;
}
