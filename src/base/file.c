#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/try.h"

/* Format 1.0 with a header of 118 bytes. */
static const unsigned char npy_magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};

static netdp_status cannot(netdp_error *error, const char *verb, const char *path)
{
    const char *advice = "check the path and its permissions";
    if (errno == ENOSPC || errno == EDQUOT)
        advice = "free some space or choose another place";
    else if (errno == ENOENT)
        advice = "check the spelling and that the folder exists";
    return netdp_i_fail(error, NETDP_ENVIRONMENT, "%s: cannot %s: %s; %s", path, verb,
                        strerror(errno), advice);
}

/* The temporary names of files that are open: what is left to remove where the process must end. */
enum { MOST_OPEN = 64 };
static _Atomic(char *) open_beside[MOST_OPEN];

/* Of more files than that the last ones' would stay, as after kill -9. */
static void note_beside(char *beside)
{
    for (int i = 0; i < MOST_OPEN; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&open_beside[i], &none, beside))
            return;
    }
}

static void forget_beside(char *beside)
{
    for (int i = 0; i < MOST_OPEN; i++) {
        char *mine = beside;
        if (atomic_compare_exchange_strong(&open_beside[i], &mine, NULL))
            return;
    }
}

void netdp_i_outputs_abandon(void)
{
    for (int i = 0; i < MOST_OPEN; i++) {
        char *beside = atomic_exchange(&open_beside[i], NULL);
        if (beside != NULL)
            unlink(beside);
    }
}

/*
 * A new file, never one that is there: what somebody put in its place, a link to another file say, is taken
 * away, not followed.
 */
static FILE *open_new(const char *path)
{
    enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
    int made = open(path, FLAGS, 0666);
    if (made < 0 && errno == EEXIST && unlink(path) == 0)
        made = open(path, FLAGS, 0666);
    FILE *stream = made >= 0 ? fdopen(made, "wb") : NULL;
    if (made >= 0 && stream == NULL)
        close(made);
    return stream;
}

/* `own`: what is at the path is looked at, not what a link there leads to. */
static netdp_status open_output(netdp_i_output *output, const char *path, bool own,
                                netdp_error *error)
{
    size_t room = strlen(path) + 32;
    output->path = netdp_i_copy_text(path);
    output->beside = netdp_i_new((int64_t)room, 1);
    if (output->path == NULL || output->beside == NULL) {
        netdp_i_output_drop(output);
        return netdp_i_no_memory(error);
    }
    snprintf(output->beside, room, "%s.part-%ld", path, (long)getpid());
    struct stat existing;
    const bool replaces = (own ? lstat : stat)(path, &existing) == 0 && !S_ISLNK(existing.st_mode);
    if (replaces && !S_ISREG(existing.st_mode)) {
        /* A device such as /dev/full or a pipe cannot be renamed over: write into it. */
        if (S_ISDIR(existing.st_mode) || own) {
            netdp_i_output_drop(output);
            return netdp_i_fail(error, NETDP_ENVIRONMENT,
                                S_ISDIR(existing.st_mode)
                                    ? "%s: is a folder; name a file in it"
                                    : "%s: is a pipe or a device; move it away",
                                path);
        }
        netdp_i_free(output->beside);
        output->beside = NULL;
    }
    output->stream = output->beside != NULL ? open_new(output->beside) : fopen(path, "wb");
    if (output->stream == NULL) {
        netdp_status status = cannot(error, "write", path);
        netdp_i_output_drop(output);
        return status;
    }
    if (output->beside != NULL)
        note_beside(output->beside);
    /* Who may read it stays as someone has set it, never wider than a new file. */
    struct stat made;
    if (replaces && output->beside != NULL && fstat(fileno(output->stream), &made) == 0 &&
        fchmod(fileno(output->stream), made.st_mode & existing.st_mode & 0777) != 0) {
        netdp_status status = cannot(error, "write", path);
        netdp_i_output_drop(output);
        return status;
    }
    return NETDP_OK;
}

netdp_status netdp_i_output_open(netdp_i_output *output, const char *path, netdp_error *error)
{
    *output = (netdp_i_output){0};
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        return NETDP_OK;
    }
    return open_output(output, path, false, error);
}

static netdp_status make_private(netdp_i_output *output, const char *path, netdp_error *error)
{
    if (output->beside == NULL || fchmod(fileno(output->stream), 0600) == 0)
        return NETDP_OK;
    const netdp_status status = cannot(error, "write", path);
    netdp_i_output_drop(output);
    return status;
}

netdp_status netdp_i_output_open_own(netdp_i_output *output, const char *path, bool private,
                                     netdp_error *error)
{
    *output = (netdp_i_output){0};
    TRY(open_output(output, path, true, error));
    return private ? make_private(output, path, error) : NETDP_OK;
}

netdp_status netdp_i_output_open_private(netdp_i_output *output, const char *path,
                                         netdp_error *error)
{
    TRY(netdp_i_output_open(output, path, error));
    return make_private(output, path, error);
}

/* The rename is on disk only once its folder is. Spoils the path. */
static bool sync_folder_of(char *path)
{
    int folder = open(dirname(path), O_RDONLY | O_DIRECTORY);
    if (folder < 0)
        return false;
    /* Some file systems cannot sync a folder and say EINVAL: nothing more can be done there. */
    bool synced = fsync(folder) == 0 || errno == EINVAL;
    close(folder);
    return synced;
}

netdp_status netdp_i_output_commit(netdp_i_output *output, netdp_error *error)
{
    const char *path = output->path != NULL ? output->path : "standard output";
    bool written = fflush(output->stream) == 0 && ferror(output->stream) == 0;
    if (output->beside != NULL) {
        written = written && fsync(fileno(output->stream)) == 0;
        written = fclose(output->stream) == 0 && written;
        output->stream = NULL;
        written = written && rename(output->beside, output->path) == 0;
        if (written) {
            forget_beside(output->beside);
            written = sync_folder_of(output->beside);
            netdp_i_free(output->beside);
            output->beside = NULL;
        }
    }
    netdp_status status = written ? NETDP_OK : cannot(error, "write", path);
    netdp_i_output_drop(output);
    return status;
}

netdp_status netdp_i_output_check(const netdp_i_output *output, netdp_error *error)
{
    if (fflush(output->stream) == 0 && ferror(output->stream) == 0)
        return NETDP_OK;
    return cannot(error, "write", output->path != NULL ? output->path : "standard output");
}

void netdp_i_output_drop(netdp_i_output *output)
{
    if (output->stream != NULL && output->path != NULL)
        fclose(output->stream);
    if (output->beside != NULL) {
        unlink(output->beside);
        forget_beside(output->beside);
    }
    netdp_i_free(output->path);
    netdp_i_free(output->beside);
    *output = (netdp_i_output){0};
}

bool netdp_i_file_is_planted(const char *path)
{
    struct stat there;
    return lstat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

/* O_NONBLOCK: a pipe that nobody reads would be waited for. */
int netdp_i_file_open_own(const char *path, int flags)
{
    struct stat opened;
    const int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (file < 0 || (fstat(file, &opened) == 0 && S_ISREG(opened.st_mode)))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

static netdp_status load(FILE *stream, const char *path, char **text, int64_t *bytes,
                         netdp_error *error)
{
    OWNED char *loaded = NULL;
    int64_t used = 0, room = 0;
    struct stat shape;
    if (fstat(fileno(stream), &shape) == 0 && S_ISDIR(shape.st_mode)) {
        errno = EISDIR;
        return cannot(error, "read", path);
    }
    for (;;) {
        if (used + 2 > room) {
            /* One read suffices for a regular file: its size, one byte to see its end, a NUL. */
            room = room == 0 ? (int64_t)shape.st_size + 4096 : room * 2;
            char *grown = netdp_i_grow(loaded, room, 1);
            if (grown == NULL)
                return netdp_i_no_memory(error);
            loaded = grown;
        }
        size_t got = fread(loaded + used, 1, (size_t)(room - used - 1), stream);
        used += (int64_t)got;
        if (got == 0)
            break;
    }
    if (ferror(stream))
        return cannot(error, "read", path);
    loaded[used] = '\0';
    *text = GIVE(loaded);
    *bytes = used;
    return NETDP_OK;
}

netdp_status netdp_i_file_load(const char *path, char **text, int64_t *bytes, netdp_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    if (standard && feof(stdin))
        return netdp_i_fail(error, NETDP_INVALID,
                            "-: standard input was read already; give a file for one of the two");
    FILE *stream = standard ? stdin : fopen(path, "rb");
    if (stream == NULL)
        return cannot(error, "read", path);
    const netdp_status status = load(stream, path, text, bytes, error);
    if (!standard)
        fclose(stream);
    return status;
}

netdp_status netdp_i_file_read_json(const char *path, const char *text, int64_t bytes,
                                    json_t **object, netdp_error *error)
{
    json_error_t fault;
    *object = json_loadb(text, (size_t)bytes, JSON_REJECT_DUPLICATES, &fault);
    REFUSE(*object == NULL, "%.300s:%d: not JSON: %s", path, fault.line,
           netdp_i_show_text(fault.text).text);
    return NETDP_OK;
}

netdp_status netdp_i_file_load_json(const char *path, json_t **object, netdp_error *error)
{
    OWNED char *text = NULL;
    int64_t bytes = 0;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    return netdp_i_file_read_json(path, text, bytes, object, error);
}

void netdp_i_print_double(FILE *stream, double value)
{
    fprintf(stream, "%.17g", value);
}

json_t *netdp_i_json_double(double value)
{
    if (isinf(value))
        return json_string(value > 0 ? "inf" : "-inf");
    return json_real(value);
}

double netdp_i_json_number(const json_t *value)
{
    return json_is_string(value) ? INFINITY : json_number_value(value);
}

double netdp_i_json_field(const json_t *object, const char *key)
{
    return netdp_i_json_number(json_object_get(object, key));
}

/* One that was read back and says its schema itself keeps it. */
static json_t *with_schema(const json_t *object)
{
    json_t *whole = json_pack("{s:i}", "schema", NETDP_I_JSON_SCHEMA);
    if (whole != NULL && json_object_update(whole, (json_t *)object) != 0) {
        json_decref(whole);
        whole = NULL;
    }
    return whole;
}

netdp_status netdp_i_json_commit(const json_t *object, netdp_i_output *output, netdp_error *error)
{
    json_t *whole = json_is_object(object) ? with_schema(object) : json_incref((json_t *)object);
    const bool lost = netdp_i_json_failed() || whole == NULL;
    const bool written =
        !lost && json_dumpf(whole, output->stream,
                            JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII) == 0;
    json_decref(whole);
    if (lost || (!written && ferror(output->stream) == 0)) {
        netdp_i_output_drop(output);
        return netdp_i_no_memory(error);
    }
    fputc('\n', output->stream);
    return netdp_i_output_commit(output, error);
}

netdp_status netdp_i_json_write(const json_t *object, const char *path, netdp_error *error)
{
    netdp_i_output output;
    TRY(netdp_i_output_open(&output, path, error));
    return netdp_i_json_commit(object, &output, error);
}

void netdp_i_npy_begin(FILE *stream, int64_t rows, int64_t columns)
{
    char header[128];
    int used = snprintf(header, sizeof header,
                        "{'descr': '<f8', 'fortran_order': True, 'shape': (%lld, %lld), }",
                        (long long)rows, (long long)columns);
    /* The header is padded with spaces to a multiple of 64 and ends with a newline (NEP 1). */
    memset(header + used, ' ', sizeof header - (size_t)used);
    header[117] = '\n';
    fwrite(npy_magic, 1, sizeof npy_magic, stream);
    fwrite(header, 1, 118, stream);
}

netdp_status netdp_i_npy_write(const double *values, int64_t rows, int64_t columns,
                               const char *path, netdp_error *error)
{
    netdp_i_output output;
    TRY(netdp_i_output_open(&output, path, error));
    netdp_i_npy_begin(output.stream, rows, columns);
    fwrite(values, sizeof *values, (size_t)(rows * columns), output.stream);
    return netdp_i_output_commit(&output, error);
}

/* The columns of a matrix as its rows; in tiles that stay in the cache. */
static void turn(const double *column, int64_t rows, int64_t columns, double *row)
{
    enum { TILE = 32 };
    for (int64_t r = 0; r < rows; r += TILE)
        for (int64_t c = 0; c < columns; c++)
            for (int64_t i = r; i < r + TILE && i < rows; i++)
                row[i * columns + c] = column[c * rows + i];
}

netdp_status netdp_i_npy_read(const char *path, double **values, int64_t *rows, int64_t *columns,
                              netdp_error *error)
{
    enum { HEADER = 128 };
    OWNED char *text = NULL;
    char order[8] = "";
    int64_t bytes = 0;
    long long high = 0, wide = 0;
    TRY(netdp_i_file_load(path, &text, &bytes, error));
    const bool ours = bytes >= HEADER && memcmp(text, npy_magic, sizeof npy_magic) == 0 &&
                      sscanf(text + sizeof npy_magic,
                             "{'descr': '<f8', 'fortran_order': %7[a-zA-Z], 'shape': (%lld, %lld)",
                             order, &high, &wide) == 3 &&
                      (strcmp(order, "True") == 0 || strcmp(order, "False") == 0) && high > 0 &&
                      wide > 0 && high <= INT32_MAX && wide <= INT32_MAX &&
                      (bytes - HEADER) / 8 / wide == high && bytes - HEADER == 8 * high * wide;
    if (!ours)
        return netdp_i_fail(error, NETDP_INVALID,
                            "%s: is not a table of float64 as netdp writes them; run the study "
                            "again",
                            path);
    double *read = NETDP_I_NEW(double, high *wide);
    if (read == NULL)
        return netdp_i_no_memory(error);
    if (strcmp(order, "True") == 0)
        turn((const double *)(const void *)(text + HEADER), high, wide, read);
    else
        memcpy(read, text + HEADER, (size_t)(bytes - HEADER));
    *values = read;
    *rows = high;
    *columns = wide;
    return NETDP_OK;
}

void netdp_i_file_path(char path[NETDP_I_PATH_ROOM], const char *folder, const char *file)
{
    snprintf(path, NETDP_I_PATH_ROOM, "%s/%s", folder, file);
}

bool netdp_i_file_is_folder(const char *path)
{
    struct stat shape;
    return stat(path, &shape) == 0 && S_ISDIR(shape.st_mode);
}

void netdp_i_file_folder(char folder[NETDP_I_PATH_ROOM], const char *path)
{
    const char *slash = strrchr(path, '/');
    if (netdp_i_file_is_folder(path))
        snprintf(folder, NETDP_I_PATH_ROOM, "%s", path);
    else
        snprintf(folder, NETDP_I_PATH_ROOM, "%.*s",
                 slash != NULL && slash > path ? (int)(slash - path) : 1,
                 slash != NULL ? path : ".");
}
