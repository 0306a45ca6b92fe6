/* SPDX-License-Identifier: Apache-2.0 */
/* Files for tests that need real ones. All functions fail the test if the system refuses. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set-up and tear-down for cmocka: the test runs in an empty directory of its own, which goes with
 * all that is in it. */
int files_enter(void **state);
int files_leave(void **state);
#define TEST_IN_DIR(name) cmocka_unit_test_setup_teardown(name, files_enter, files_leave)

/* All bytes of a file into *data, with a zero behind them, to be freed. Returns how many. */
size_t files_read(const char *path, uint8_t **data);

void files_write(const char *path, const void *data, size_t size);

/* A symbolic link exists even if it leads nowhere. */
bool files_exist(const char *path);

/* Remove a directory with the files in it, if it is there. */
void files_wipe(const char *path);

#endif
