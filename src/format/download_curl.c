/*
 * download_curl.c - one attempt at a download, by libcurl.
 *
 * A range is requested as a header and not by CURLOPT_RESUME_FROM, with which libcurl fails where
 * the server sends the whole file.
 */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "format/download.h"

enum { REDIRECTS_MAX = 10, HTTP_WHOLE = 200, HTTP_PART = 206, HTTP_NO_RANGE = 416 };

struct attempt {
    const struct download *download;
    download_progress *progress;
    void *context;
    CURL *curl;
    int descriptor;
    int64_t have;        /* bytes of the partial file */
    int64_t range_start; /* what the server says that it sends; -1: nothing */
    bool has_begun;      /* the first bytes of the answer are there */
    bool is_stopped;     /* by the progress function */
    enum download_fault fault;
};

bool download_is_available(void)
{
    return true;
}

static enum status fail_server(struct attempt *a, const char *what)
{
    a->fault = DOWNLOAD_SERVER;
    return FAIL(STATUS_IO, "%s: %s", a->download->address, what);
}

static enum status fail_own(struct attempt *a, const char *what)
{
    a->fault = DOWNLOAD_OWN;
    return FAIL(STATUS_IO, "%s: cannot %s: %s", a->download->path, what, strerror(errno));
}

static enum status empty_file(struct attempt *a)
{
    a->have = 0;
    return ftruncate(a->descriptor, 0) == 0 ? STATUS_OK : fail_own(a, "write");
}

/* --- what the server answers --- */

/* "Content-Range: bytes 100-199/200"; each answer of a chain of redirects has its own headers. */
static size_t on_header(char *line, size_t size, size_t count, void *context)
{
    static const char name[] = "content-range: bytes ";
    const size_t bytes = size * count, name_bytes = sizeof name - 1;
    struct attempt *a = context;
    int64_t start = 0;

    if (bytes >= 5 && strncmp(line, "HTTP/", 5) == 0)
        a->range_start = -1;
    if (bytes > name_bytes && strncasecmp(line, name, name_bytes) == 0) {
        char *text = mem_text_n(line + name_bytes, bytes - name_bytes);

        text[strcspn(text, "-")] = '\0';
        if (text_to_int(text, &start))
            a->range_start = start;
        mem_free(text);
    }
    return bytes;
}

/* The number of bytes must be right before they are written. */
static enum status check_length(struct attempt *a)
{
    curl_off_t length = -1;

    curl_easy_getinfo(a->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length < 0 || a->have + (int64_t)length == a->download->bytes)
        return STATUS_OK;
    a->fault = DOWNLOAD_SERVER;
    return FAIL(STATUS_IO, "%s: the file at this address has %lld bytes, not %lld",
                a->download->address, (long long)(a->have + (int64_t)length),
                (long long)a->download->bytes);
}

static enum status begin_answer(struct attempt *a)
{
    long code = 0;

    curl_easy_getinfo(a->curl, CURLINFO_RESPONSE_CODE, &code);
    if (a->have > 0 && code == HTTP_WHOLE)
        TRY(empty_file(a));
    if (code == HTTP_PART && a->range_start != a->have) {
        TRY(empty_file(a));
        return fail_server(a, "the server sends another part of the file than was requested");
    }
    return check_length(a);
}

static enum status take_bytes(struct attempt *a, const char *data, size_t bytes)
{
    if (!a->has_begun) {
        a->has_begun = true;
        TRY(begin_answer(a));
    }
    if (a->have + (int64_t)bytes > a->download->bytes) {
        TRY(empty_file(a));
        a->fault = DOWNLOAD_SERVER;
        return FAIL(STATUS_IO, "%s: the file at this address has more than %lld bytes",
                    a->download->address, (long long)a->download->bytes);
    }
    while (bytes > 0) {
        const ssize_t n = pwrite(a->descriptor, data, bytes, (off_t)a->have);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_own(a, "write");
        data += n;
        bytes -= (size_t)n;
        a->have += n;
    }
    return STATUS_OK;
}

static size_t on_bytes(char *data, size_t size, size_t count, void *context)
{
    return take_bytes(context, data, size * count) == STATUS_OK ? size * count : 0;
}

static int on_progress(void *context, curl_off_t down, curl_off_t now, curl_off_t up,
                       curl_off_t up_now)
{
    struct attempt *a = context;

    (void)down;
    (void)now;
    (void)up;
    (void)up_now;
    a->is_stopped = !a->progress(a->context, a->have);
    return a->is_stopped ? 1 : 0;
}

/* --- why it ended --- */

static enum status judge_answer(struct attempt *a)
{
    long code = 0;

    curl_easy_getinfo(a->curl, CURLINFO_RESPONSE_CODE, &code);
    if (code == HTTP_NO_RANGE && a->have > 0)
        TRY(empty_file(a)); /* more bytes than the server has */
    a->fault = code == HTTP_NO_RANGE || code == 408 || code == 429 || code >= 500
                   ? DOWNLOAD_CONNECTION
                   : DOWNLOAD_SERVER;
    return FAIL(STATUS_IO, "%s: the server answers %ld%s", a->download->address, code,
                code == 404 ? " (not found)" : "");
}

static bool may_work_again(CURLcode code)
{
    return code == CURLE_OPERATION_TIMEDOUT || code == CURLE_PARTIAL_FILE ||
           code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
           code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
}

static enum status judge(struct attempt *a, CURLcode code, const char *details)
{
    const struct download *d = a->download;

    if (a->fault != DOWNLOAD_NO_FAULT) /* a callback has failed and has said why */
        return STATUS_IO;
    if (code == CURLE_HTTP_RETURNED_ERROR)
        return judge_answer(a);
    if (code == CURLE_OK && a->have == d->bytes)
        return STATUS_OK;
    a->fault = code == CURLE_OK || may_work_again(code) ? DOWNLOAD_CONNECTION : DOWNLOAD_SERVER;
    if (a->is_stopped)
        a->fault = DOWNLOAD_OWN;
    if (code == CURLE_OPERATION_TIMEDOUT)
        return FAIL(STATUS_IO, "%s: the server has sent nothing for %lld s (%lld of %lld bytes)",
                    d->address, (long long)d->patience, (long long)a->have, (long long)d->bytes);
    if ((a->has_begun || a->have > 0) && a->fault == DOWNLOAD_CONNECTION)
        return FAIL(STATUS_IO, "%s: the connection ended after %lld of %lld bytes", d->address,
                    (long long)a->have, (long long)d->bytes);
    return FAIL(STATUS_IO, "%s: %s", d->address,
                details[0] != '\0' ? details : curl_easy_strerror(code));
}

/* --- the request --- */

static void allow_protocols(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS,
                     (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FILE));
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static enum status perform(struct attempt *a)
{
    const long patience = (long)a->download->patience;
    char details[CURL_ERROR_SIZE] = "", range[32];

    if (a->have > 0) {
        (void)snprintf(range, sizeof range, "%lld-", (long long)a->have);
        curl_easy_setopt(a->curl, CURLOPT_RANGE, range);
    }
    allow_protocols(a->curl);
    curl_easy_setopt(a->curl, CURLOPT_URL, a->download->address);
    curl_easy_setopt(a->curl, CURLOPT_USERAGENT, "muster");
    curl_easy_setopt(a->curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(a->curl, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX);
    curl_easy_setopt(a->curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(a->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(a->curl, CURLOPT_CONNECTTIMEOUT, patience);
    curl_easy_setopt(a->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(a->curl, CURLOPT_LOW_SPEED_TIME, patience);
    curl_easy_setopt(a->curl, CURLOPT_ERRORBUFFER, details);
    curl_easy_setopt(a->curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(a->curl, CURLOPT_HEADERDATA, a);
    curl_easy_setopt(a->curl, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(a->curl, CURLOPT_WRITEDATA, a);
    curl_easy_setopt(a->curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(a->curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(a->curl, CURLOPT_XFERINFODATA, a);

    const CURLcode code = curl_easy_perform(a->curl);
    return judge(a, code, details);
}

static enum status request(struct attempt *a)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return fail_server(a, "libcurl cannot be started");
    a->curl = curl_easy_init();
    const enum status s =
        a->curl == NULL ? fail_server(a, "libcurl cannot be started") : perform(a);
    curl_easy_cleanup(a->curl);
    curl_global_cleanup();
    return s;
}

static enum status download_to(struct attempt *a)
{
    struct stat info;

    if (fstat(a->descriptor, &info) != 0)
        return fail_own(a, "read");
    a->have = (int64_t)info.st_size;
    if (a->have > a->download->bytes)
        TRY(empty_file(a));
    if (a->have < a->download->bytes)
        TRY(request(a));
    return fsync(a->descriptor) == 0 || errno == EINVAL ? STATUS_OK : fail_own(a, "write");
}

enum status download_attempt(const struct download *d, download_progress *progress, void *context,
                             enum download_fault *fault)
{
    struct attempt a = {
        .download = d,
        .progress = progress,
        .context = context,
        .range_start = -1,
        .descriptor = open(d->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666),
    };
    enum status s = a.descriptor < 0 ? fail_own(&a, "create the file") : download_to(&a);

    if (a.descriptor >= 0 && close(a.descriptor) != 0 && s == STATUS_OK)
        s = fail_own(&a, "close");
    if (s != STATUS_OK && a.have == 0)
        (void)unlink(d->path);
    *fault = a.fault;
    return s;
}
