#include "report/page.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/try.h"

/* JSON has these three only inside strings, where \u may stand for them. */
static int write_escaped(const char *text, size_t length, void *stream)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        if (c == '<' || c == '>' || c == '&')
            fprintf(stream, "\\u%04x", (unsigned)c);
        else
            fputc(c, stream);
    }
    return ferror((FILE *)stream) ? -1 : 0;
}

netdp_status netdp_i_page_write(const json_t *data, bool private, const char *path,
                                netdp_error *error)
{
    const char *mark = strstr(netdp_i_page_template, NETDP_I_PAGE_MARK);
    REFUSE(mark == NULL, "this netdp was built without the page; meson setup -Dreport=enabled");
    const char *rest = mark + strlen(NETDP_I_PAGE_MARK);
    netdp_i_output output;
    TRY(private ? netdp_i_output_open_private(&output, path, error)
                : netdp_i_output_open(&output, path, error));
    fwrite(netdp_i_page_template, 1, (size_t)(mark - netdp_i_page_template), output.stream);
    if (json_dump_callback(data, write_escaped, output.stream, JSON_COMPACT | JSON_ENSURE_ASCII) !=
            0 &&
        !ferror(output.stream)) {
        netdp_i_output_drop(&output);
        return netdp_i_no_memory(error);
    }
    fwrite(rest, 1, strlen(rest), output.stream);
    return netdp_i_output_commit(&output, error);
}
