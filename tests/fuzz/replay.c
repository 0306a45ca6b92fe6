/* SPDX-License-Identifier: Apache-2.0 */
/* Give every file of a folder to a fuzz target, as a test without libFuzzer. The target stops the
 * program if it finds something; the name printed last is the input that did it. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Returns false if the file cannot be read. Exactly sized, so that a sanitizer sees overruns. */
static int replay(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	if (!file)
		return 0;
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	rewind(file);
	uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
	int good = data && size >= 0 && fread(data, 1, (size_t)size, file) == (size_t)size;
	if (good)
		LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	fclose(file);
	return good;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count = argc == 2 ? scandir(argv[1], &entries, not_hidden, alphasort) : -1;

	if (count <= 0) {
		fprintf(stderr, "usage: %s FOLDER (with at least one file)\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < count; i++) {
		printf("%s\n", entries[i]->d_name);
		fflush(stdout);
		if (!replay(argv[1], entries[i]->d_name)) {
			perror(entries[i]->d_name);
			return 1;
		}
		free(entries[i]);
	}
	free(entries);
	return 0;
}
