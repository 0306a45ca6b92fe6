/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of the oracle ask of each other. Tests include multikron_oracle.h only. */
#ifndef MULTIKRON2_ORACLE_H
#define MULTIKRON2_ORACLE_H

#include "oracle/multikron_oracle.h"

#define ORACLE_STAMP_MAX ((UINT64_C(1) << 56) - 1)

/* MultiKron II's own, in multikron2_oracle.c. A false from an access means: withhold ACK. */
void oracle2_count(struct oracle *o, struct multikron_pins in, bool stamp_clock);
bool oracle2_read(struct oracle *o, uint64_t *value);
bool oracle2_write(struct oracle *o, struct multikron_pins in);

/* Shared by both chips, in multikron_oracle.c. */
bool oracle_bit(uint64_t value, unsigned i);
bool oracle_in_test_mode(struct multikron_pins in);
bool oracle_external_event(const struct oracle *o, struct multikron_pins in, unsigned i);
void oracle_bump(struct oracle *o, unsigned i);
void oracle_increment_stamp(struct oracle *o);
uint32_t oracle_head_group(struct oracle *o, unsigned group);
void oracle_load_pattern(struct oracle *o, uint32_t pattern);
void oracle_advance(struct oracle *o);
bool oracle_trigger(struct oracle *o, struct multikron_pins in, uint64_t data);
void oracle_row(struct oracle *o, enum oracle_hit hit);
uint64_t oracle_read_csr(const struct oracle *o);
void oracle_write_csr(struct oracle *o, uint64_t data);
void oracle_write_filter(struct oracle *o, uint64_t data);
bool oracle_read_with_copy(struct oracle *o, bool *stale);
void oracle_soft_reset(struct oracle *o);

#endif
