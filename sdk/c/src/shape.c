/* SPDX-License-Identifier: Apache-2.0
 *
 * What a case is given: parameters, and the inputs that its verb has (PROTOCOL.md section 2).
 */
#include "sdk.h"

#include <stdio.h>
#include <string.h>

#include "verbs.h"

static char problem[CS_DETAIL_MAX];

static const char *say(const char *what, const char *name)
{
    snprintf(problem, sizeof problem, "%s %.60s", what, name);
    return problem;
}

/* Copies a word of at most CS_PARAM_MAX bytes; false if it is empty, longer, or has other bytes than letters, digits,
 * `.`, `+`, `_` and `-`. */
static bool word(char *to, const char *from, size_t len)
{
    if (len == 0 || len > CS_PARAM_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        char b = from[i];
        bool good = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '.' ||
                    b == '+' || b == '_' || b == '-';
        if (!good)
            return false;
    }
    memcpy(to, from, len);
    to[len] = '\0';
    return true;
}

static const char *param(const cs_param *params, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(params[i].name, name) == 0)
            return params[i].value;
    return NULL;
}

const char *cs_shape_params(const cs_request *request, cs_shape *shape)
{
    shape->inputs = shape->params = 0;
    const char *at = cs_request_value(request, "params");
    if (at == NULL)
        return NULL;
    for (;;) {
        size_t len = strcspn(at, ",");
        const char *equals = memchr(at, '=', len);
        if (shape->params == CS_PARAMS_MAX)
            return "more than 8 parameters";
        cs_param *one = &shape->param[shape->params];
        if (equals == NULL || !word(one->name, at, (size_t)(equals - at)) ||
            !word(one->value, equals + 1, len - (size_t)(equals + 1 - at)))
            return "params is not name=value[,name=value...]";
        if (param(shape->param, shape->params, one->name) != NULL)
            return "a parameter appears twice";
        shape->params++;
        if (at[len] == '\0')
            return NULL;
        at += len + 1;
    }
}

/* Whether `value` is one of the alternatives `a|b|c` of length `len`. */
static bool one_of(const char *alternatives, size_t len, const char *value)
{
    size_t wanted = strlen(value);
    for (size_t at = 0; at <= len;) {
        size_t end = at;
        while (end < len && alternatives[end] != '|')
            end++;
        if (end - at == wanted && memcmp(alternatives + at, value, wanted) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

bool cs_shape_fits(const cs_shape *shape, const char *params)
{
    for (const char *at = params; at != NULL && *at != '\0';) {
        size_t len = strcspn(at, ","), name_len = strcspn(at, "=");
        char name[CS_PARAM_MAX + 1];
        if (name_len >= len || !word(name, at, name_len))
            return false;
        const char *value = param(shape->param, shape->params, name);
        if (value == NULL || !one_of(at + name_len + 1, len - name_len - 1, value))
            return false;
        at += len + (at[len] == ',');
    }
    return true;
}

static const cs_verb *verb_of(const char *id)
{
    const char *slash = strrchr(id, '/');
    for (size_t i = 0; i < CS_COUNT(cs_verbs); i++)
        if (strcmp(cs_verbs[i].name, slash == NULL ? id : slash + 1) == 0)
            return &cs_verbs[i];
    return NULL;
}

static bool is_input(const char *value)
{
    return strncmp(value, "hex:", 4) == 0 || strncmp(value, "gen:", 4) == 0;
}

static bool takes(const cs_verb *verb, const char *name)
{
    for (size_t i = 0; i < verb->count; i++)
        if (strcmp(verb->inputs[i], name) == 0)
            return true;
    return false;
}

const char *cs_shape_inputs(const cs_request *request, const char *id, cs_shape *shape)
{
    const cs_verb *verb = verb_of(id);
    shape->inputs = 0;
    /* Refuses an input that the verb does not read: else the case would be measured silently without it. */
    for (size_t i = 0; i < request->count; i++) {
        const cs_field *field = &request->field[i];
        if (!is_input(field->value))
            continue;
        if (verb != NULL && !takes(verb, field->name))
            return say("this verb has no input", field->name);
        if (verb == NULL) {
            if (shape->inputs == CS_INPUTS_MAX)
                return "more than 16 inputs";
            shape->input[shape->inputs++] = *field;
        }
    }
    for (size_t i = 0; verb != NULL && i < verb->count; i++) {
        const char *value = cs_request_value(request, verb->inputs[i]);
        /* What has a stated length is no option for this algorithm. */
        if (value == NULL && (i < verb->needed || cs_shape_length(id, verb->inputs[i]) != SIZE_MAX))
            return say("missing key", verb->inputs[i]);
        if (value != NULL)
            shape->input[shape->inputs++] = (cs_field){verb->inputs[i], value};
    }
    return NULL;
}

size_t cs_shape_length(const char *id, const char *input)
{
    const char *slash = strrchr(id, '/');
    size_t len = slash == NULL ? strlen(id) : (size_t)(slash - id);
    for (size_t i = 0; i < CS_COUNT(cs_lengths); i++)
        if (strlen(cs_lengths[i].algorithm) == len && memcmp(cs_lengths[i].algorithm, id, len) == 0 &&
            strcmp(cs_lengths[i].input, input) == 0)
            return cs_lengths[i].bytes;
    return SIZE_MAX;
}

cs_span cs_input(const cs_case *c, const char *name)
{
    for (size_t i = 0; i < c->n_inputs; i++)
        if (strcmp(c->inputs[i].name, name) == 0)
            return c->inputs[i].span;
    return (cs_span){NULL, 0};
}

const char *cs_param_text(const cs_case *c, const char *name)
{
    return param(c->params, c->n_params, name);
}

uint64_t cs_param_number(const cs_case *c, const char *name, uint64_t absent)
{
    uint64_t value;
    const char *text = cs_param_text(c, name);
    return text != NULL && cs_decimal(text, &value) ? value : absent;
}
