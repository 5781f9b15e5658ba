import type { EventFilter } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { keptPlanRows, rows } from '../../infra/database/rows.ts';
import type { WaitKey } from './waits.store.ts';

/** A run that waits for an event. */
export interface EventWait extends WaitKey {
  filter: EventFilter | null;
  createdAt: Date;
}

/** A field whose value a wait for an event names; empty if it names none. */
export interface WaitedField {
  applicationId: string;
  event: string;
  field: string;
}

/** By how many fields waits are found, of one event and of a space: a dispatch looks up each. */
export const MAX_WAITED_FIELDS = { ofEvent: 10, ofSpace: 1_000 };

/** Lists the fields by which runs of a space wait for events; one without a field is empty. One lookup for each. */
export function listWaitedFields(tx: EntityManager, spaceId: string): Promise<WaitedField[]> {
  return keptPlanRows(
    tx,
    'list_waited_fields',
    `with recursive f as (
       (select application_id, event, field from run_wait where kind = 'EVENT' and space_id = $1
        order by application_id, event, field limit 1)
       union all
       select n.application_id, n.event, n.field from f cross join lateral (
         select application_id, event, field from run_wait
         where kind = 'EVENT' and space_id = $1 and (application_id, event, field) > (f.application_id, f.event, f.field)
         order by application_id, event, field limit 1
       ) n
     ) select application_id, event, field from f`,
    [spaceId],
  );
}

/** How many waits are read at once: any number can be for one event, each with a filter. */
export const WAITS_PAGE = 2_000;

/**
 * Lists the next page of the runs that wait for an event with a value of a field, in the order in which waits are locked. Those whose
 * wait has a result are left out.
 */
export function listEventWaits(
  tx: EntityManager,
  event: { spaceId: string; applicationId: string; event: string },
  keys: readonly { field: string; value: string }[],
  after: WaitKey | null,
): Promise<EventWait[]> {
  return rows(
    tx,
    `select w.run_id, w.scope, w.filter, w.created_at
     from unnest($4::text[], $5::text[]) as k(field, value)
       join run_wait w on w.kind = 'EVENT' and w.space_id = $1 and w.application_id = $2 and w.event = $3
         and w.field = k.field and w.value = k.value
     where w.result is null and ($6::uuid is null or (w.run_id, w.scope) > ($6::uuid, $7::text))
     order by w.run_id, w.scope limit ${WAITS_PAGE}`,
    [
      event.spaceId,
      event.applicationId,
      event.event,
      keys.map(({ field }) => field),
      keys.map(({ value }) => value),
      after?.runId ?? null,
      after?.scope ?? null,
    ],
  );
}
