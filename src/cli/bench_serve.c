/*
 * bench_serve.c - measures on demand: one line in, one line out.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/bench.h"
#include "cli/command.h"

enum { LINE_MAX_BYTES = 128 };
#define SECONDS_MAX 3600.0

/* Ends the object and sends it off: the other side waits for it. */
static void answer(struct json *j)
{
    json_close_map(j);
    text_add(j->out, "\n");
    command_print(text_get(j->out));
    fflush(stdout);
    text_clear(j->out);
}

static void begin(struct json *j, struct text *out)
{
    json_init(j, out);
    json_open_map(j, NULL);
}

static void write_ready(const struct trainer *t, struct text *out)
{
    const struct model *m = t->plan->model;
    struct json j;

    begin(&j, out);
    json_bool(&j, "ready", true);
    json_text(&j, "program", "muster");
    json_text(&j, "isa", kernel_get()->isa);
    json_text(&j, "model", m->name);
    json_text(&j, "data", t->config.dataset.entry->name);
    json_int(&j, "batch", t->config.train.batch_size);
    json_int(&j, "threads", t->build->threads);
    json_int(&j, "parameters", m->param_count);
    json_int(&j, "flops_per_sample", m->flops_training);
    json_number(&j, "gradient_error", t->check.gradient_error);
    answer(&j);
}

static enum status serve_window(struct trainer *t, const char *argument, struct text *out)
{
    struct trainer_window w;
    double seconds = 0;
    struct json j;

    if (!text_to_double(argument, &seconds) || !(seconds >= 0 && seconds <= SECONDS_MAX))
        return FAIL(STATUS_BAD_INPUT, "window: \"%s\" is not a number of seconds in [0, %g]",
                    argument, SECONDS_MAX);
    TRY(trainer_window(t, seconds, &w));
    begin(&j, out);
    json_int(&j, "samples", w.samples);
    json_number(&j, "seconds", w.seconds);
    answer(&j);
    return STATUS_OK;
}

static enum status serve_line(struct trainer *t, char *line, struct text *out)
{
    static const char window[] = "window ";
    struct json j;

    line[strcspn(line, "\r\n")] = '\0';
    if (strncmp(line, window, sizeof window - 1) == 0)
        return serve_window(t, line + sizeof window - 1, out);
    if (strcmp(line, "peak") != 0)
        return FAIL(STATUS_BAD_INPUT, "stdin: \"%s\" is neither \"window SECONDS\" nor \"peak\"",
                    line);
    begin(&j, out);
    json_number(&j, "peak_gflops", trainer_peak(t));
    answer(&j);
    return STATUS_OK;
}

enum status bench_serve(struct trainer *t)
{
    char line[LINE_MAX_BYTES];
    struct text out = {0};
    enum status s = STATUS_OK;

    write_ready(t, &out);
    while (s == STATUS_OK && fgets(line, sizeof line, stdin) != NULL)
        s = serve_line(t, line, &out);
    text_release(&out);
    return s;
}
