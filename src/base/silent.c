/* LAPACKE says what is wrong on standard output; inside the library, where it is linked statically, nobody does. */
#include <lapacke.h>

void LAPACKE_xerbla(const char *name, lapack_int info); /* the header leaves it out */

void LAPACKE_xerbla(const char *name, lapack_int info)
{
    (void)name, (void)info;
}
