#include "graph/fields.h"

#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* A letter, or a byte of a character beyond ASCII. */
static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (unsigned char)byte > 127;
}

static netdp_i_token trim(const char *begin, const char *stop)
{
    while (begin < stop && is_blank(*begin))
        begin++;
    while (stop > begin && is_blank(stop[-1]))
        stop--;
    return (netdp_i_token){begin, stop - begin};
}

/* Behind the quote that closes the one at `p`, "" being a quote inside; NULL: none does. */
static const char *close_quote(const char *p, const char *stop)
{
    for (p++; p < stop; p++) {
        if (*p != '"')
            continue;
        if (p + 1 == stop || p[1] != '"')
            return p + 1;
        p++;
    }
    return NULL;
}

char netdp_i_separator(netdp_i_token line)
{
    const netdp_i_token rest = trim(line.text, line.text + line.length);
    const char *p = rest.text, *const stop = rest.text + rest.length;
    bool tab = false, semicolon = false, comma = false, blank = false;
    while (p != NULL && p < stop && *p != '#' && *p != '{') {
        if (*p == '"') {
            p = close_quote(p, stop);
            continue;
        }
        tab = tab || *p == '\t';
        semicolon = semicolon || *p == ';';
        comma = comma || *p == ',';
        blank = blank || *p == ' ';
        p++;
    }
    /* A tab before a comment is no column. */
    if (tab && p != NULL && p < stop && *p == '#')
        return netdp_i_separator((netdp_i_token){rest.text, p - rest.text});
    return tab ? '\t' : semicolon ? ';' : comma ? ',' : blank ? ' ' : '\0';
}

static bool separates(char byte, char separator)
{
    return separator == ' ' || separator == '\0' ? is_blank(byte) : byte == separator;
}

/* The end of a field without quotes; NULL: a '#' inside it, of which nobody knows what it is. */
static const char *end_plain(const char *p, const char *stop, char separator)
{
    for (const char *begin = p; p < stop && !separates(*p, separator); p++) {
        if (*p != '#')
            continue;
        return p == begin || is_blank(p[-1]) || is_digit(p[-1]) ? p : NULL;
    }
    return p;
}

static void add_field(netdp_i_fields *fields, netdp_i_token field, bool quoted)
{
    if (fields->count < NETDP_I_MOST_FIELDS) {
        fields->field[fields->count] = field;
        fields->quoted[fields->count] = quoted;
    }
    if (fields->count <= NETDP_I_MOST_FIELDS)
        fields->count++;
}

const char *netdp_i_split(netdp_i_token line, char separator, netdp_i_fields *fields)
{
    const char *p = line.text, *const stop = line.text + line.length;
    const bool blanks = separator == ' ' || separator == '\0';
    fields->count = 0;
    fields->data = (netdp_i_token){stop, 0};
    for (bool more = false;; more = true) {
        while (p < stop && (*p == ' ' || (*p == '\t' && separator != '\t')))
            p++;
        const bool ended = p == stop || *p == '#';
        if (ended && more && !blanks)
            add_field(fields, (netdp_i_token){p, 0}, false); /* behind the last separator */
        if (ended)
            return NULL;
        if (*p == '{' && fields->count >= 2) {
            fields->data = trim(p, stop);
            return NULL;
        }
        const char *begin = p;
        const bool quoted = *p == '"';
        p = quoted ? close_quote(p, stop) : end_plain(p, stop, separator);
        if (p == NULL)
            return quoted ? "a quote that is not closed" : "a '#' inside a name without quotes";
        add_field(fields, quoted ? (netdp_i_token){begin + 1, p - begin - 2} : trim(begin, p),
                  quoted);
        const char *const behind = p;
        while (p < stop && is_blank(*p) && !separates(*p, separator))
            p++;
        if (p == stop || *p == '#')
            return NULL;
        if (blanks ? p == behind && !is_blank(*p) : *p != separator)
            return "text behind a closing quote";
        p += !blanks;
    }
}

/* A no-break space, a zero-width one and their like, of UTF-8: they look like a separator, and are none. */
static bool has_odd_blank(netdp_i_token name)
{
    static const char *const blanks[] = {
        "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9",
        "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe2\x81\xa0", "\xe3\x80\x80", "\xef\xbb\xbf"};
    for (int64_t i = 0; i + 1 < name.length; i++) {
        const unsigned char *at = (const unsigned char *)name.text + i;
        if (*at < 0x80)
            continue;
        const int64_t left = name.length - i;
        for (size_t k = 0; k < sizeof blanks / sizeof *blanks; k++)
            if (left >= (int64_t)strlen(blanks[k]) && memcmp(at, blanks[k], strlen(blanks[k])) == 0)
                return true;
        /* U+2000 to U+200B; joiners behind it are letters of some scripts. */
        if (left >= 3 && at[0] == 0xe2 && at[1] == 0x80 && at[2] >= 0x80 && at[2] <= 0x8b)
            return true;
    }
    return false;
}

/* Every bracket is closed, in the right order of opening and closing at least. */
static bool is_balanced(netdp_i_token name)
{
    static const char pair[] = "()[]{}<>";
    for (size_t k = 0; k < sizeof pair - 1; k += 2) {
        int64_t open = 0;
        for (int64_t i = 0; i < name.length && open >= 0; i++)
            open += (name.text[i] == pair[k]) - (name.text[i] == pair[k + 1]);
        if (open != 0)
            return false;
    }
    return true;
}

const char *netdp_i_unclear(netdp_i_token name, char separator)
{
    bool digit = false, letter = false, gap = false, comma = false, bracket = false;
    if (name.length == 0)
        return "an empty name";
    for (int64_t i = 0; i < name.length; i++) {
        const char byte = name.text[i];
        if (is_digit(byte) || is_letter(byte) || byte == '_') {
            digit = digit || is_digit(byte);
            letter = letter || !is_digit(byte);
            continue;
        }
        if (byte == '|' || byte == ';' || byte == '"')
            return "a mark that may separate columns, inside a name without quotes";
        comma = comma || byte == ',';
        gap = gap || is_blank(byte);
        bracket = bracket || strchr("()[]{}<>", byte) != NULL;
    }
    if (has_odd_blank(name))
        return "a no-break or zero-width space inside a name without quotes (blanks and tabs "
               "separate)";
    if (!digit && !letter)
        return "a mark where a name should be";
    const char first = name.text[0], last = name.text[name.length - 1];
    if (first == '*' || first == '<' || first == ',' || last == ',' || last == ':' ||
        (bracket && !is_balanced(name)))
        return "a mark around a name without quotes";
    if ((comma || gap) && !letter)
        return "two kinds of marks between numbers";
    if (comma && separator != ';' && separator != '\t')
        return "a comma inside a name without quotes";
    return NULL;
}

/* A Python or JSON string at *at, without its quotes. */
static bool read_string(const char **at, const char *stop, netdp_i_token *string)
{
    const char quote = **at, *p = *at + 1, *const begin = p;
    while (p < stop && *p != quote)
        p += *p == '\\' ? 2 : 1;
    if (p >= stop)
        return false;
    *string = (netdp_i_token){begin, p - begin};
    *at = p + 1;
    return true;
}

static const char *skip_blanks(const char *p, const char *stop)
{
    while (p < stop && is_blank(*p))
        p++;
    return p;
}

bool netdp_i_data_weight(netdp_i_token data, netdp_i_collection *collection, netdp_i_token *weight)
{
    const char *p = data.text + 1, *const stop = data.text + data.length;
    *weight = (netdp_i_token){stop, 0};
    for (bool first = true;; first = false) {
        netdp_i_token key, value;
        p = skip_blanks(p, stop);
        if (first && p < stop && *p == '}')
            break;
        if (p >= stop || (*p != '\'' && *p != '"') || !read_string(&p, stop, &key))
            return false;
        p = skip_blanks(p, stop);
        if (p >= stop || *p++ != ':')
            return false;
        p = skip_blanks(p, stop);
        if (p < stop && (*p == '\'' || *p == '"')) {
            if (!read_string(&p, stop, &value))
                return false;
        } else {
            const char *begin = p;
            while (p < stop && strchr(",}", *p) == NULL)
                p++;
            value = trim(begin, p);
            if (value.length == 0 || memchr(value.text, '{', (size_t)value.length) != NULL ||
                memchr(value.text, '[', (size_t)value.length) != NULL)
                return false;
        }
        if (key.length == 6 && memcmp(key.text, "weight", 6) == 0)
            *weight = value;
        netdp_i_collect_attribute(collection, key);
        p = skip_blanks(p, stop);
        if (p < stop && *p == '}')
            break;
        if (p >= stop || *p++ != ',')
            return false;
    }
    p = skip_blanks(p + 1, stop);
    return p == stop || *p == '#';
}
