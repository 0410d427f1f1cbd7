/* The data sets that the product knows by name, and where they are on this machine. */
#include <netdp/learn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sodium.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/place.h"
#include "base/text.h"
#include "base/try.h"

#define OPENML "https://www.openml.org/d/823"
#define SNAP "https://snap.stanford.edu/data/ego-Facebook.html"
#define EGO(number, digest)                                                                        \
    {                                                                                              \
        "facebook-" number, "facebook/" number ".edges", digest, SNAP, false, 0, 0, NULL           \
    }

/*
 * Public ranges, round numbers that anybody may declare who knows what is counted: districts of the 1990
 * census of California, with 600 to 3,000 people as a rule; incomes in 10,000 dollars.
 */
static const char *const of_houses[] = {"N", "P"};
static const netdp_range houses[] = {
    {.column = "median_house_value", .low = 0, .high = 500000},
    {.column = "median_income", .low = 0, .high = 10},
    {.column = "housing_median_age", .low = 0, .high = 52},
    {.column = "total_rooms", .low = 0, .high = 6000},
    {.column = "total_bedrooms", .low = 0, .high = 1200},
    {.column = "population", .low = 0, .high = 3000},
    {.column = "households", .low = 0, .high = 1200},
    {.column = "latitude", .low = 32.5, .high = 42},
    {.column = "label", .values = 2, .value = of_houses},
};

#define HOUR(name)                                                                                 \
    {                                                                                              \
        .column = name, .low = 0, .high = 5                                                        \
    }
static const netdp_range meters[] = {
    HOUR("h0"),  HOUR("h1"),  HOUR("h2"),  HOUR("h3"),  HOUR("h4"),  HOUR("h5"),
    HOUR("h6"),  HOUR("h7"),  HOUR("h8"),  HOUR("h9"),  HOUR("h10"), HOUR("h11"),
    HOUR("h12"), HOUR("h13"), HOUR("h14"), HOUR("h15"), HOUR("h16"), HOUR("h17"),
    HOUR("h18"), HOUR("h19"), HOUR("h20"), HOUR("h21"), HOUR("h22"), HOUR("h23"),
};
#define RANGES(of) (int32_t)(sizeof of / sizeof *of), of

static const netdp_dataset datasets[] = {
    {"houses", "houses.csv", "279ae50882dd180c1041878a6056c9eb257429558919b5f93b5de5fcd3844532",
     OPENML, false, 20640, RANGES(houses)},
    EGO("0", "88630d87ec4fd88d4401727c25ca2992456b2f4498eebc5d7e7563933b53d704"),
    EGO("107", "e3ecc900ccaf3c40c872c90d8d3e051ee817500c3bd9242498e8ce85523a8369"),
    EGO("348", "fd48b3a16047b27a8905dfc15acb84f498a58701ba2398b1f6945ba4b22fbb49"),
    EGO("414", "3d35fd3e1affbecfc2bd947d2784adb4c72e7dd4bff3628fda99c2bbbc9834ac"),
    EGO("686", "b45891968e56825550cf26627d6691745e0a01df557f7506d41520db64c97193"),
    EGO("698", "01d4d89c9a61ff2da0688f61757385ba74e5cea06c9b93a7b304061a475e8d9c"),
    EGO("1684", "a449bfc76765832ff381dfeddffd6544d52e64c954101b83ec44944735e0ca36"),
    EGO("1912", "4f8692142881f1be9018c6a5f1c03602e9fac03adebcb55598c3e37b4740389f"),
    EGO("3437", "5fd25ffcc6d9fe359bcf54adb4e6842d380b080abbe5d3c3dd642c18a9b0f867"),
    EGO("3980", "eb504cffd8ccff96873aa8ad28b756e6c0472bd5df607dfab55469797bef9055"),
    {"meters", "meters.csv", "903dc0c9135ba447ae5220bbf1b214cd4437b8bbc30e15c2d2f75e896be7a33e",
     "bundled; made by tools/meters.c", true, 32, RANGES(meters)},
    {NULL, NULL, NULL, NULL, false, 0, 0, NULL},
};

const netdp_dataset *netdp_datasets(void)
{
    return datasets;
}

/* folder/file into *path where such a file exists, *path NULL where not. */
static netdp_status look_in(const char *folder, const char *file, char **path, netdp_error *error)
{
    struct stat shape;
    OWNED char *candidate = NULL;
    *path = NULL;
    if (folder == NULL || folder[0] == '\0')
        return NETDP_OK;
    size_t room = strlen(folder) + strlen(file) + 2;
    candidate = netdp_i_new((int64_t)room, 1);
    if (candidate == NULL)
        return netdp_i_no_memory(error);
    snprintf(candidate, room, "%s/%s", folder, file);
    if (stat(candidate, &shape) == 0 && !S_ISDIR(shape.st_mode)) {
        /* The caller frees it with free(): it leaves the library's own accounting here. */
        *path = strdup(candidate);
        if (*path == NULL)
            return netdp_i_no_memory(error);
    }
    return NETDP_OK;
}

static netdp_status fail_nowhere(const char *folder, const char *file, netdp_error *error)
{
    const char *from = NULL;
    for (const netdp_dataset *set = datasets; set->name != NULL; set++)
        if (strcmp(set->file, file) == 0 && !set->bundled)
            from = set->from;
    char asked[128] = "";
    if (folder != NULL && folder[0] != '\0')
        snprintf(asked, sizeof asked, "%s, ", netdp_i_show_text(folder).text);
    return netdp_i_fail(error, NETDP_ENVIRONMENT,
                        "%s: not in %s$NETDP_DATA, ./data, ../shared/data or with the product; "
                        "%s%s%s",
                        netdp_i_show_text(file).text, asked, from != NULL ? "get it from " : "",
                        from != NULL ? from : "check the name",
                        " and name its folder with --data DIR");
}

netdp_status netdp_data_find(const char *folder, const char *file, char **path, netdp_error *error)
{
    NETDP_I_GIVEN(error, file && path);
    char product[NETDP_I_PATH_ROOM];
    const bool has_product = netdp_i_place("netdp", product);
    const char *const folders[] = {
        folder, getenv("NETDP_DATA"), "./data", "../shared/data", has_product ? product : NULL,
    };
    if (file[0] == '\0')
        return netdp_i_fail(error, NETDP_INVALID, "the data file's name is empty; name a file");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *found;
        TRY(look_in(folders[i], file, &found, error));
        if (found != NULL) {
            *path = found;
            return NETDP_OK;
        }
    }
    return fail_nowhere(folder, file, error);
}

netdp_status netdp_data_digest(const char *path, char digest[65], netdp_error *error)
{
    NETDP_I_GIVEN(error, path && digest);
    char *bytes = NULL;
    int64_t count = 0;
    if (sodium_init() < 0)
        return netdp_i_fail(error, NETDP_ENVIRONMENT,
                            "libsodium cannot start; check the system's random device");
    TRY(netdp_i_file_load(path, &bytes, &count, error));
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(hash, (const unsigned char *)bytes, (unsigned long long)count);
    sodium_bin2hex(digest, 65, hash, sizeof hash);
    netdp_i_free(bytes);
    return NETDP_OK;
}
