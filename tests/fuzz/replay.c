/* Gives a target every file of a corpus, without libFuzzer: what was once found stays found. */
#include "fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static void replay(const char *path)
{
    FILE *stream = fopen(path, "rb");
    FUZZ_HOLDS(stream != NULL && fseek(stream, 0, SEEK_END) == 0);
    const size_t size = (size_t)ftell(stream);
    uint8_t *data = malloc(size); /* to the byte: what reads beyond it is seen */
    rewind(stream);
    FUZZ_HOLDS(size == 0 || (data != NULL && fread(data, 1, size, stream) == size));
    fclose(stream);
    fprintf(stderr, "%s\n", path); /* the last one is the one that ended it */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    int count = 0;
    FUZZ_HOLDS(argc == 2);
    DIR *listing = opendir(argv[1]);
    FUZZ_HOLDS(listing != NULL);
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        replay(path);
        count++;
    }
    closedir(listing);
    fprintf(stderr, "%d inputs\n", count);
    FUZZ_HOLDS(count > 0);
    return 0;
}
