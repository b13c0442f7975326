/* SPDX-License-Identifier: Apache-2.0
 *
 * cipherstone: what an adapter sees.
 *
 * An adapter describes one library: its identity, and a table of operations. It has no loop, no clock, no printing: the
 * SDK owns those, and the protocol (protocol/PROTOCOL.md). An adapter includes this header and its library's public
 * headers, nothing else.
 *
 * Life of a case:  setup (untimed) -> call, call, call ... (timed) -> teardown (untimed).
 * The function that computes known answers is `call`, the function that is timed is `call`, on the same case.
 */
#ifndef CIPHERSTONE_H
#define CIPHERSTONE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status of setup and call. The SDK ORs the status of all calls in a batch, hence powers of two. */
enum {
    CS_OK = 0,
    CS_REJECTED = 1, /* the library says that a tag or a signature is not authentic */
    CS_ERROR = 2,    /* any other failure */
    CS_BAD_KEY = 4   /* the library says that a key or a public value must not be used */
};

/* Read-only bytes. `data` is NULL if the input was not given; an empty input has a non-NULL `data` and `len` 0. */
typedef struct cs_span {
    const uint8_t *data;
    size_t len;
} cs_span;

struct cs_op;
typedef struct cs_case cs_case;
typedef struct cs_facts cs_facts;

/* One prepared operation. An adapter reads every field and writes only `state`, `out_len` and the bytes at `out`. */
struct cs_case {
    const struct cs_op *op;
    void *state;    /* the adapter's own; NULL before setup */
    void *fetched;  /* the value from the row's `fetch`; NULL without one */
    uint8_t *out;   /* output buffer, 64-byte aligned, `out_cap` bytes, spoilt by the SDK before calls */
    size_t out_cap; /* bytes of room that the asker declared; length of `msg` + 4096 if it did not */
    size_t out_len; /* bytes of output that the last call left; set it in setup if it never changes, else in call */
    /* The usual inputs of a verb (PROTOCOL.md section 2), decoded, 64-byte aligned, live until teardown. They never
     * change: writing to them is an error that the SDK finds. Any input by its name: cs_input. */
    cs_span key, iv, aad, msg, tag, pub, sig;
    const struct cs_input_span *inputs; /* all of them, for cs_input */
    size_t n_inputs;
    const struct cs_param *params; /* for cs_param_text and cs_param_number */
    size_t n_params;
};

/* An input and its name. */
typedef struct cs_input_span {
    const char *name;
    cs_span span;
} cs_input_span;

/* An input by name ("seed", "salt"); `data` is NULL if it was not given. For setup: not for a timed call. */
cs_span cs_input(const cs_case *c, const char *name);
/* A parameter of the case ("crt"): its text, or NULL if it was not given. For setup. */
const char *cs_param_text(const cs_case *c, const char *name);
/* The same as a number ("bits"); `absent` if it was not given or is no number. */
uint64_t cs_param_number(const cs_case *c, const char *name, uint64_t absent);
/* A structure whose members are named where it is written down (.id = ...), in every row: GCC warns where one is not,
 * and warnings are errors in the tests. C++20 has no such word. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#define CS_NAMED_MEMBERS __attribute__((designated_init))
#else
#define CS_NAMED_MEMBERS
#endif

/* One row of the table. Rows that share functions differ in `param`. */
typedef struct cs_op {
    const char *id;   /* "aes-128-gcm/seal": ALGORITHM/VERB of the catalogue */
    const char *impl; /* implementation inside the build: "aes_ct64"; "default" where the library chooses */
    const char *name; /* the library's own name for what is called: "EVP_aes_128_gcm" */
    /* Untimed; parse keys, allocate, expand key schedules; CS_OK, CS_BAD_KEY or CS_ERROR. */
    int (*setup)(cs_case *c);
    int (*call)(cs_case *c); /* timed */
    void (*teardown)(
        cs_case *c);   /* untimed; frees `state`; may be NULL. Called once for each setup that returned CS_OK */
    const void *param; /* the adapter's own: a descriptor, a vtable */
    const char *form;  /* signature encoding "der" or "p1363"; NULL where it does not apply */
    /* NULL: always there. Else returns NULL if this CPU and build can run it, or the reason why not (a static string).
     */
    const char *(*unavailable)(const struct cs_op *op);
    size_t block; /* `msg` must be a multiple of this many bytes; 0 means any length */
    /* Untimed; NULL where `call` itself writes at `out`. Takes the result of the last call out of `state`: encodes it
     * at `out`, sets `out_len`, and spoils it in `state`, so that a later call that does nothing leaves no right
     * result. For operations so short that encoding would be a part of the figure. CS_OK or CS_ERROR. */
    int (*finish)(cs_case *c);
    /* Untimed; may be NULL. Reports facts of the prepared case with cs_fact_number and cs_fact_text: operation counts,
     * bytes of working memory and tables, symbols of the code. May run the operation in a counting mode. */
    void (*facts)(cs_case *c, cs_facts *sink);
    /* Parameters that the row is made for: "crt=yes,bits=1024|2048"; NULL: any. Of rows with the same `id` and `impl`
     * the first that fits is taken. */
    const char *params;
    /* Timed, before each call of a case with key=fresh; NULL: the row does not support it. Loads the present `key`, and
     * the other inputs that belong to it (iv, tag, pub, sig; the length of `msg` stays), into the context that setup
     * made. CS_OK, CS_BAD_KEY or CS_ERROR. Use cs_setup_again if the library has nothing cheaper. */
    int (*rekey)(cs_case *c);
    /* Conditions that the interface does not allow, and why: "place: the buffers must not overlap"; several with "; "
     * between them. NULL: none. */
    const char *cannot;
    /* Steps that a process makes once, before the first setup of a row that needs them. Each is timed separately from
     * the others and from setup. None is part of a figure of calls. All may be NULL. Each returns NULL, or the reason
     * why the row cannot be used (a static string). `open` starts the interface behind the row (psa_crypto_init).
     * `seed` seeds the generator that its calls draw from. Rows that name the same function share its result. `fetch`
     * looks up the row's algorithms and sets the value for `fetched` of its cases; it is valid until the process ends.
     */
    const char *(*open)(void);
    const char *(*seed)(void);
    const char *(*fetch)(const struct cs_op *op, void **fetched);
    /* Also called once a process and by the same rules, but in no figure, and not where a first call is timed. Uses
     * other parts of the library that change the time of this row's calls for the rest of the process (a table that
     * grows with each kind of algorithm). So a figure does not depend on the cases before it. */
    const char *(*settle)(void);
    /* Not 0: where cs_counts_random is not 0, the row reports the bytes that setup and calls draw from their generator
     * with cs_random_drawn. */
    int counts_random;
    /* Not 0: takes the input `seed`, all the randomness of a call: two calls with it give the same. If 0, the SDK
     * refuses a case with a seed. */
    int seeded;
    /* Not 0: calls do other work than the operation's, between cs_aside_begin and cs_aside_end. */
    int stands_aside;
} CS_NAMED_MEMBERS cs_op;

/* For the calls of rows with `stands_aside`: the work between the two is in no figure, of time or of heap. It is
 * another side's work that a call needs (the peer of a handshake). A call may use several pairs, one behind another; it
 * ends with the end of the last. Elsewhere they have no visible effect. */
void cs_aside_begin(void);
void cs_aside_end(void);

/* A `rekey` that is teardown and then setup: for interfaces that cannot take a new key into a context that there is. */
int cs_setup_again(cs_case *c);
/* A `rekey` that does nothing: `call` takes the key from `key` each time. */
int cs_key_in_call(cs_case *c);

/* One fact: `key` is a word of lower-case letters, digits and `_`. A key reported twice keeps its last value. */
void cs_fact_number(cs_facts *sink, const char *key, uint64_t value);
void cs_fact_text(cs_facts *sink, const char *key, const char *text);

/* For facts of memory that is kept: bytes that the process has allocated and not freed, as `memory` counts them; below
 * 0 in a process without a counter. */
int64_t cs_heap_bytes(void);

/* The rows of one file of an adapter: `const cs_table hashes = CS_TABLE(rows);` at its end. */
typedef struct cs_table {
    const cs_op *rows;
    size_t n_rows;
} cs_table;

#define CS_TABLE(rows) {(rows), CS_COUNT(rows)}
/* C alone: `.tables = CS_TABLES(&hashes, &keys)`, each a cs_table. */
#define CS_TABLES(...) ((const cs_table *const[]){__VA_ARGS__, NULL})
/* C alone, for a library of one file: `.tables = CS_ROWS(ops)`. */
#define CS_ROWS(rows) CS_TABLES(&(const cs_table)CS_TABLE(rows))

/* What this header promises. A worker ends with an error if the SDK that it is linked with promises something else. */
#define CS_ABI 1u

/* The library. All strings are static or live until exit. */
typedef struct cs_library {
    unsigned abi;                  /* CS_ABI */
    const char *id;                /* the folder's name under libraries/ */
    const char *(*version)(void);  /* what the library itself reports at run time */
    const char *version_from;      /* "library", "header" or "package" */
    const char *(*cpu_path)(void); /* CPU features the library says it uses; may be NULL or return NULL */
    int (*open)(void);             /* once, before anything else; may be NULL; CS_OK or CS_ERROR */
    const cs_table *const *tables; /* its rows, file by file; ends with NULL. NULL: none */
} cs_library;

/* Row `i` of the library, counted through its tables from 0; NULL behind the last. */
static inline const cs_op *cs_row(const cs_library *library, size_t i)
{
    for (const cs_table *const *table = library->tables; table != NULL && *table != NULL; table++) {
        if (i < (*table)->n_rows)
            return &(*table)->rows[i];
        i -= (*table)->n_rows;
    }
    return NULL;
}

/* Stores one line on why setup or call failed; the SDK passes it on as `detail`. Copies `text`. Returns CS_ERROR, for
 * `return cs_fail(...)`. Not for use in a call that succeeds. */
int cs_fail(const char *text);

/* Not 0 in a process that counts random bytes, where nothing is ever timed. The generator that the adapter gives to its
 * library then reports how many bytes were drawn from it. In any other process the library gets the generator itself.
 */
int cs_counts_random(void);
void cs_random_drawn(size_t bytes);

/* Features of the processor that the library must not use, in the library's own words with ':' between them: the value
 * of CS_HIDE in a mask of the library's folder. NULL if none. For `open` of a library that takes them through a
 * function; `open` fails if it knows none of them. */
const char *cs_hidden_features(void);

/* Zeroed memory for `state`, 64-byte aligned; NULL if there is none (the SDK then reports out-of-memory). Free with
 * cs_free. */
void *cs_alloc(size_t size);
void cs_free(void *p);

/* What many adapters have alike. A new `state` of `size` bytes, NULL if there is no memory; */
static inline void *cs_new_state(cs_case *c, size_t size)
{
    c->state = cs_alloc(size);
    return c->state;
}

/* the teardown of a state that is one block; */
static inline void cs_teardown_state(cs_case *c)
{
    cs_free(c->state);
    c->state = NULL;
}

/* the setup of a call that keeps nothing and whose output is as long as `msg`. */
static inline int cs_setup_msg_length(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

/* For the setup of an operation whose every call needs much memory: CS_OK if the system would give a block of `bytes`
 * now, which is given back at once, else CS_ERROR, and the SDK reports out-of-memory. What a library says when it has
 * too little is said in many ways, or in none. */
int cs_memory_there(uint64_t bytes);

/* The worker's main: `int main(int argc, char **argv) { return cs_worker_main(&library, argc, argv); }` */
int cs_worker_main(const cs_library *library, int argc, char **argv);

#define CS_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CS_WORKER_MAIN(library)                                                                                        \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return cs_worker_main(&(library), argc, argv);                                                                 \
    }

#ifdef __cplusplus
}
#endif
#endif
