/* SPDX-License-Identifier: Apache-2.0
 *
 * Handshakes of several threads at once: each plays both sides, over pipes of its own, and makes as many in a call as
 * every other. The thread of the SDK is the first of them, so that one thread is no thread more.
 *
 * The others are started by setup and sleep between calls. Waking them stands aside: the stopwatch runs from the moment
 * at which all are awake and let go until the last is done.
 */
#define _GNU_SOURCE /* processors of a thread */
#include "tls.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, EACH = 8, MADE = 2 }; /* EACH: src/cipherstone/operations/handshakes.py has it too */
enum { SHARED, BY_THREAD, BY_CONNECTION };

struct crew;

typedef struct hand {
    struct crew *of;
    tls_case *s;
    pthread_t thread;
    int number, started, status, made;
    uint8_t agreed[TLS_AGREED];
} hand;

typedef struct crew {
    hand hand[MOST];
    int count, contexts;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    unsigned turn; /* with `lock`; the last one that was begun */
    int ends;
    atomic_uint go, here, done; /* `go`: the turn that may be played */
} crew;

/* ---- processors ---- */

/* Those that the asker lends the process, the n-th of them; -1 behind the last. */
static int lent(int n)
{
    const char *text = getenv("CS_CPUS");

    for (; text != NULL && *text != '\0'; n--) {
        char *end;
        long cpu = strtol(text, &end, 10);

        if (end == text || cpu < 0 || cpu > 0xffff)
            return -1;
        if (n == 0)
            return (int)cpu;
        text = *end == ',' ? end + 1 : end;
    }
    return -1;
}

static int threads_of(const char *text)
{
    int threads = 0;

    text = strstr(text, "threads=");
    return text != NULL && sscanf(text, "threads=%d", &threads) == 1 ? threads : 0;
}

const char *tls_no_threads(const cs_op *op)
{
    int processors = 0;

    while (lent(processors) >= 0)
        processors++;
    return threads_of(op->params) <= (processors > 0 ? processors : 1) ? NULL
                                                                       : "there are fewer processors than threads";
}

#ifdef __linux__
/* The first thread is where the asker put it, and may be put elsewhere between two calls, with all others: each of
 * those gets one of the processors that are left. One that is not pinned leaves them to the system. */
static int place(crew *w)
{
    cpu_set_t own;
    int at = 0;

    if (sched_getaffinity(0, sizeof own, &own) != 0)
        return cs_fail("sched_getaffinity");
    for (int i = 1; i < w->count; i++) {
        cpu_set_t one = own;

        if (CPU_COUNT(&own) == 1) {
            while (lent(at) >= 0 && CPU_ISSET((size_t)lent(at), &own))
                at++;
            if (lent(at) < 0)
                return cs_fail("there are fewer processors than threads");
            CPU_ZERO(&one);
            CPU_SET((size_t)lent(at++), &one);
        }
        if (pthread_setaffinity_np(w->hand[i].thread, sizeof one, &one) != 0)
            return cs_fail("pthread_setaffinity_np");
    }
    return CS_OK;
}
#else
static int place(crew *w)
{
    (void)w;
    return CS_OK;
}
#endif

/* ---- what a thread does ---- */

static int one_handshake(hand *h, int last)
{
    tls_case *s = h->s;
    int anew = h->of->contexts == BY_CONNECTION, status = anew ? tls_here.setup(s) : CS_OK;

    if (status == CS_OK)
        status = tls_connect(s);
    if (status == CS_OK && last) {
        tls_look(s, &s->wire);
        status = tls_report(s, &s->wire, h->agreed);
    }
    tls_disconnect(s);
    if (anew)
        tls_here.teardown(s);
    return status;
}

static void play(hand *h)
{
    h->status = CS_OK;
    for (h->made = 0; h->made < EACH && h->status == CS_OK; h->made += h->status == CS_OK)
        h->status = one_handshake(h, h->made == EACH - 1);
}

/* Yields while it waits: the awaited thread may share this thread's processor. */
static void await(const atomic_uint *number, unsigned due)
{
    while (atomic_load(number) != due)
        sched_yield();
}

static void *live(void *argument)
{
    hand *h = argument;
    crew *w = h->of;

    for (unsigned turn = 0;;) {
        int ends;

        pthread_mutex_lock(&w->lock);
        while (w->turn == turn && !w->ends)
            pthread_cond_wait(&w->wake, &w->lock);
        turn = w->turn;
        ends = w->ends;
        pthread_mutex_unlock(&w->lock);
        if (ends)
            return NULL;
        atomic_fetch_add(&w->here, 1);
        await(&w->go, turn);
        play(h);
        atomic_fetch_add(&w->done, 1);
    }
}

/* ---- a call ---- */

/* The results of all threads, which must have made their handshakes and agreed on the same parameters. */
static int collect(cs_case *c, crew *w)
{
    int made = 0;

    for (int i = 0; i < w->count; i++) {
        const hand *h = &w->hand[i];

        if (h->status != CS_OK)
            return h->status;
        if (memcmp(h->agreed, w->hand[0].agreed, TLS_AGREED) != 0)
            return cs_fail("threads agreed on different things");
        made += h->made;
    }
    memcpy(c->out, w->hand[0].agreed, TLS_AGREED);
    c->out[TLS_AGREED] = (uint8_t)(made >> 8);
    c->out[TLS_AGREED + 1] = (uint8_t)made;
    c->out_len = TLS_AGREED + MADE;
    return CS_OK;
}

int tls_threads_call(cs_case *c)
{
    crew *w = c->state;
    unsigned others = (unsigned)w->count - 1;
    int status;

    cs_aside_begin();
    for (int i = 0; i < w->count; i++)
        memset(w->hand[i].agreed, i, TLS_AGREED); /* so that an earlier result does not pass */
    status = place(w);
    if (status != CS_OK) {
        cs_aside_end();
        return status;
    }
    atomic_store(&w->here, 0);
    atomic_store(&w->done, 0);
    pthread_mutex_lock(&w->lock);
    w->turn++;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    await(&w->here, others);
    cs_aside_end();

    atomic_store(&w->go, w->turn);
    play(&w->hand[0]);
    await(&w->done, others);

    cs_aside_begin();
    status = collect(c, w);
    cs_aside_end();
    return status;
}

/* ---- a case ---- */

void tls_threads_teardown(cs_case *c)
{
    crew *w = c->state;

    pthread_mutex_lock(&w->lock);
    w->ends = 1;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    for (int i = 1; i < w->count; i++)
        if (w->hand[i].started)
            pthread_join(w->hand[i].thread, NULL);
    for (int i = w->count; i-- > 0;) /* the first one's contexts last */
        if (w->hand[i].s != NULL) {
            c->state = w->hand[i].s;
            tls_teardown(c);
        }
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    cs_free(w);
    c->state = NULL;
}

/* What a thread has to itself; the contexts too, unless they are shared. */
static int equip(cs_case *c, crew *w, hand *h)
{
    int status = tls_setup_with(c, w->contexts == SHARED && h->number > 0 ? w->hand[0].s : NULL);

    if (status != CS_OK)
        return status;
    h->s = c->state;
    if (w->contexts == BY_CONNECTION)
        tls_here.teardown(h->s);
    return CS_OK;
}

static int contexts_of(const cs_case *c)
{
    static const char *const known[] = {"shared", "thread", "connection"};
    const char *text = cs_param_text(c, "contexts");

    for (int i = 0; i < (int)CS_COUNT(known) && text != NULL; i++)
        if (strcmp(text, known[i]) == 0)
            return i;
    return -1;
}

int tls_threads_setup(cs_case *c)
{
    uint64_t count = cs_param_number(c, "threads", 0);
    int contexts = contexts_of(c), status = CS_OK;
    crew *w;

    if (count == 0 || count > MOST || contexts < 0 || c->out_cap < TLS_AGREED + MADE)
        return cs_fail("parameters or inputs that this laboratory does not know");
    if (contexts == SHARED && tls_here.share == NULL)
        return cs_fail("this adapter shares no contexts");
    w = cs_alloc(sizeof *w);
    if (w == NULL)
        return CS_ERROR;
    w->count = (int)count;
    w->contexts = contexts;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    for (int i = 0; i < w->count && status == CS_OK; i++) {
        w->hand[i].of = w;
        w->hand[i].number = i;
        status = equip(c, w, &w->hand[i]);
    }
    for (int i = 1; i < w->count && status == CS_OK; i++) {
        w->hand[i].started = pthread_create(&w->hand[i].thread, NULL, live, &w->hand[i]) == 0;
        status = w->hand[i].started ? CS_OK : cs_fail("pthread_create");
    }
    c->state = w;
    if (status == CS_OK)
        status = place(w);
    if (status != CS_OK)
        tls_threads_teardown(c);
    return status;
}
