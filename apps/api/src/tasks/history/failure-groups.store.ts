import { readableJson } from '../../infra/errors/storable.ts';

/** The id of a group of failures, as `FAILURE_GROUP` computes it. */
export const FAILURE_ID = /^[0-9a-f]{32}$/;

/** What of a message counts: enough to tell errors apart, and little to read. */
const MESSAGE_LENGTH = 300;
/** UUIDs, long hexadecimal numbers, and numbers. */
const VARIABLE = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}|[0-9]+';

const ERROR = readableJson('r.error');

export const ERROR_CODE = `${ERROR}->>'code'`;

/** The step with which the current attempt of a run `r` has failed; null if none did. */
export const FAILED_STEP = `(
  select s.step_id from run_step s where s.run_id = r.id and s.attempt = r.attempt and s.status in ('FAILED', 'INTERRUPTED')
  order by s.position desc limit 1)`;

/** The message of a run `r` with its numbers and ids replaced. */
export const FAILURE_MESSAGE = `
  regexp_replace(left(${ERROR}->>'message', ${MESSAGE_LENGTH}), '${VARIABLE}', '#', 'g')
    || case when length(${ERROR}->>'message') > ${MESSAGE_LENGTH} then '…' else '' end`;

/** Names what a run `r` has in common with others that failed in the same way. */
export const FAILURE_GROUP = `
  md5(concat_ws(chr(10), r.task_id, coalesce(${FAILED_STEP}, ''), ${ERROR_CODE}, ${FAILURE_MESSAGE}))`;
