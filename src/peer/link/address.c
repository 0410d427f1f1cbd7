#include "peer/link/address.h"

#include <netinet/in.h>
#include <sodium.h>
#include <stddef.h>
#include <string.h>

_Static_assert((int)NETDP_I_SOURCE_SALT == (int)crypto_shorthash_KEYBYTES, "the hash's key");

int netdp_i_port_read(const char *text)
{
    int port = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || port > 65535)
            return -1;
        port = 10 * port + (*at - '0');
    }
    return text[0] == '\0' || (text[0] == '0' && text[1] != '\0') || port > 65535 ? -1 : port;
}

bool netdp_i_address_split(const char *text, char host[NETDP_I_HOST], char port[NETDP_I_PORT])
{
    const char *colon = strrchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= NETDP_I_HOST || strlen(colon + 1) >= NETDP_I_PORT ||
        netdp_i_port_read(colon + 1) < 0)
        return false;
    if (text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    memcpy(host, text, length);
    host[length] = '\0';
    strcpy(port, colon + 1);
    return true;
}

const char *netdp_i_address_relay(const char *text)
{
    static const char mark[] = "relay:";
    const size_t length = sizeof mark - 1;
    return strncmp(text, mark, length) == 0 ? text + length : NULL;
}

uint8_t netdp_i_address_source(const struct sockaddr_storage *address,
                               const uint8_t salt[NETDP_I_SOURCE_SALT])
{
    uint8_t hash[crypto_shorthash_BYTES];
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    const bool mapped = address->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
    const uint8_t *from = address->ss_family == AF_INET6
                              ? six->sin6_addr.s6_addr + (mapped ? 12 : 0)
                              : (const uint8_t *)&four->sin_addr;
    crypto_shorthash(hash, from, address->ss_family == AF_INET6 && !mapped ? 8 : 4, salt);
    return hash[0];
}
