/*
 * The gradients of one's own model between peers (docs/own-model.md), as step.py has them:
 * cc -o step step.c, beside a data.csv whose last column is y.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 100000, NUMBERS = 64 };

static double cell[ROWS][NUMBERS];

int main(void)
{
    FILE *table = fopen("data.csv", "r");
    char *line = NULL;
    size_t room = 0;
    int rows = 0, numbers = 0;
    if (table == NULL || getline(&line, &room, table) < 0)
        return 1;
    while (rows < ROWS && getline(&line, &room, table) > 0) {
        char *at = line;
        for (numbers = 0; numbers < NUMBERS && *at != '\n' && *at != '\0'; numbers++) {
            cell[rows][numbers] = strtod(at, &at);
            at += *at == ',';
        }
        rows++;
    }
    fclose(table);
    while (getline(&line, &room, stdin) > 0) {
        char *at = line;
        double model[NUMBERS] = {0};
        printf("%ld", strtol(at, &at, 10)); /* the phase */
        for (int j = 0; j + 1 < numbers; j++)
            model[j] = strtod(at, &at);
        for (int i = 0; i < rows; i++) {
            double margin = 0;
            for (int j = 0; j + 1 < numbers; j++)
                margin += cell[i][j] * model[j];
            for (int j = 0; j + 1 < numbers; j++)
                printf(" %.17g", (margin - cell[i][numbers - 1]) * cell[i][j]);
        }
        printf("\n");
        fflush(stdout);
    }
    free(line);
    return 0;
}
