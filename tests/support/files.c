/* SPDX-License-Identifier: Apache-2.0 */
#include "support/files.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit/test.h"

int files_enter(void **state)
{
	char *path = strdup("/tmp/kron_test_XXXXXX");

	*state = path;
	return !path || !mkdtemp(path) || chdir(path);
}

int files_leave(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	free(*state);
	return chdir("/") || system(command);
}

size_t files_read(const char *path, uint8_t **data)
{
	FILE *file = fopen(path, "rb");
	struct stat stat;

	assert_non_null(file);
	CHECK_EQUAL(fstat(fileno(file), &stat), 0);
	*data = calloc(1, (size_t)stat.st_size + 1);
	assert_non_null(*data);
	CHECK_EQUAL(fread(*data, 1, (size_t)stat.st_size, file), stat.st_size);
	fclose(file);
	return (size_t)stat.st_size;
}

void files_write(const char *path, const void *data, size_t size)
{
	FILE *file;

	unlink(path); /* a new file: ext4 waits for the disk when one is overwritten */
	file = fopen(path, "wb");
	assert_non_null(file);
	CHECK_EQUAL(fwrite(data, 1, size, file), size);
	CHECK_EQUAL(fclose(file), 0);
}

bool files_exist(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat);
}

void files_wipe(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}
