/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/groups.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"

#define GROUPS 16

/* One part between commas: a group, or a range of them. */
static bool parse_part(const char *text, size_t length, uint32_t *groups)
{
	char part[16], *dash;
	uint64_t first, last;

	if (length >= sizeof(part))
		return false;
	memcpy(part, text, length);
	part[length] = '\0';
	dash = strchr(part, '-');
	if (dash)
		*dash = '\0';
	if (base_number_parse(part, &first))
		return false;
	last = first;
	if (dash && base_number_parse(dash + 1, &last))
		return false;
	if (first > last || last >= GROUPS)
		return false;
	for (uint64_t i = first; i <= last; i++)
		*groups |= 1u << i;
	return true;
}

static bool parse(const char *text, uint32_t *groups)
{
	uint64_t mask;

	*groups = 0;
	if (strcmp(text, "all") == 0)
		*groups = 0xffff;
	if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0)
		return true;
	if (strncmp(text, "0x", 2) == 0) {
		if (base_number_parse(text, &mask) || mask > 0xffff)
			return false;
		*groups = (uint32_t)mask;
		return true;
	}
	for (;;) {
		size_t length = strcspn(text, ",");

		if (!parse_part(text, length, groups))
			return false;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

int cli_groups_parse(struct cli *cli, const char *option, const char *text, uint32_t *groups)
{
	if (parse(text, groups))
		return CLI_GO;
	cli_error(cli, "%s: '%s' is not a list of groups 0..15 (0-3,7), a mask (0x8f), all or none",
		  option, text);
	return CLI_USAGE;
}

void cli_groups_print(uint32_t groups, char *text, size_t size)
{
	size_t used = 0;

	if ((groups & 0xffff) == 0 || (groups & 0xffff) == 0xffff) {
		snprintf(text, size, "%s", groups & 0xffff ? "all" : "none");
		return;
	}
	for (unsigned i = 0; i < GROUPS; i++) {
		unsigned last = i;

		if (!(groups >> i & 1))
			continue;
		while (last + 1 < GROUPS && groups >> (last + 1) & 1)
			last++;
		used += (size_t)snprintf(text + used, size - used, last > i ? "%s%u-%u" : "%s%u",
					 used ? "," : "", i, last);
		i = last;
	}
}
