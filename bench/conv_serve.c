/*
 * conv_serve.c - main of muster_conv and onednn_conv: reads a line, times, answers a line.
 */
#include "conv_serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int same(const struct conv *a, const struct conv *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static int serve(struct conv_peer *p, const char *pass, double seconds)
{
    double sum = 0;
    int64_t calls = 0;

    if (conv_peer_run(p, pass) < 0) { /* the first call also warms up */
        printf("{\"error\": \"no pass %s\"}\n", pass);
        return 2;
    }
    while (sum < seconds) {
        sum += conv_peer_run(p, pass);
        calls++;
    }
    printf("{\"calls\": %" PRId64 ", \"seconds\": %.9g}\n", calls, sum);
    fflush(stdout);
    return 0;
}

int main(void)
{
    struct conv_peer *peer = NULL;
    struct conv now = {0}, c = {0};
    char line[256], pass[32];
    double seconds;
    int code = 0;

    puts("{\"ready\": true}");
    fflush(stdout);
    while (code == 0 && fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line,
                   "%31s %lf %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                   " %" SCNd64,
                   pass, &seconds, &c.batch, &c.channels, &c.side, &c.filters, &c.kernel, &c.stride,
                   &c.pad) != 9) {
            puts("{\"error\": \"nine words: pass seconds batch channels side filters kernel stride "
                 "padding\"}");
            code = 2;
            break;
        }
        if (peer == NULL || !same(&now, &c)) {
            conv_peer_free(peer);
            peer = conv_peer_new(&c);
            now = c;
        }
        code = serve(peer, pass, seconds);
    }
    conv_peer_free(peer);
    return code;
}
