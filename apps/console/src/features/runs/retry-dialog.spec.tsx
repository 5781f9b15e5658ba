import { afterEach, expect, it, jest } from '@jest/globals';
import { PlatformError } from '@platform/client';
import type { PlannedStep, RetryPreview, Run, Task } from '@platform/contracts';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { RetryDialog } from './retry-dialog.tsx';

const planned = (scope: string, hasEffects = false): PlannedStep => ({
  id: scope.split('.').at(-1) ?? '',
  scope,
  kind: 'code',
  name: null,
  hasEffects,
});
const RUN = {
  id: 'r',
  taskId: 't',
  taskName: 'Ship',
  taskVersion: 1,
  attempt: 1,
  steps: [
    { id: 'load', scope: 'load', status: 'SUCCEEDED' },
    { id: 'ship', scope: 'ship', status: 'FAILED' },
  ],
} as Run;
const PREVIEW: RetryPreview = {
  version: 2,
  repeated: [planned('all[0].charge', true), planned('all[1].charge'), planned('ship')],
  kept: [planned('load')],
};

async function open(from: string | null = null) {
  jest.spyOn(client.tasks, 'get').mockResolvedValue({ version: 2 } as Task);
  const onRetried = jest.fn();
  const onClose = jest.fn();
  const user = await renderInApp(
    <RetryDialog run={RUN} from={from} onRetried={onRetried} onClose={onClose} />,
  );
  return { user, onRetried, onClose };
}

afterEach(cleanup);

it('lists what is executed again, which of it has effects, and what is kept', async () => {
  const preview = jest.spyOn(client.runs, 'previewRetry').mockResolvedValue(PREVIEW);
  const retry = jest.spyOn(client.runs, 'retry').mockResolvedValue(RUN);
  const { user, onRetried } = await open('load');
  const repeated = await screen.findByRole('region', { name: 'Executed again' });
  expect(
    within(repeated)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['all.chargeCode · 2 timeshas effects', 'shipCode']);
  expect(screen.getByText('1 step is kept')).toBeDefined();
  expect(preview).toHaveBeenCalledWith('r', { from: 'load' });
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(onRetried).toHaveBeenCalledWith(RUN));
  expect(retry).toHaveBeenCalledWith('r', { from: 'load' });
});

const refusalOf = (message: string) =>
  new PlatformError({
    status: 409,
    code: 'CONFLICT',
    message,
    requestId: null,
    turnId: null,
    retryAfter: null,
  });

it('shows what has changed if what the run did does not fit, and goes on with its own version', async () => {
  const refusal = refusalOf('Steps that have ended differ');
  const preview = jest
    .spyOn(client.runs, 'previewRetry')
    .mockImplementation(
      (_, request) => (request?.version === 1 ? Promise.resolve(PREVIEW) : Promise.reject(refusal)) as never,
    );
  const fields = [{ field: 'source', before: 'return 1;', after: 'return 2;' }];
  const change = { change: 'changed', isMoved: false, fields };
  jest.spyOn(client.tasks, 'compareVersions').mockResolvedValue({
    steps: [
      { id: 'load', ...change },
      { id: 'ship', ...change },
    ],
  } as never);
  const { user } = await open();
  await screen.findByText('return 2;');
  expect(screen.queryByRole('heading', { name: /ship/ })).toBeNull();
  expect(screen.getByRole('button', { name: 'Retry' })).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('button', { name: 'Use version 1' }));
  await screen.findByRole('region', { name: 'Executed again' });
  expect(preview).toHaveBeenLastCalledWith('r', { version: 1 });
});

it.each([
  ['the payload was erased', () => Promise.resolve({ steps: [] })],
  ['the differences cannot be loaded', () => Promise.reject(new Error('The service is busy'))],
])('says why a retry is refused if %s', async (_, compare) => {
  jest.spyOn(client.runs, 'previewRetry').mockRejectedValue(refusalOf('The payload of run r was erased'));
  jest.spyOn(client.tasks, 'compareVersions').mockImplementation(compare as never);
  await open();
  await screen.findByText('The payload of run r was erased');
  expect(screen.queryByText('Steps that the run has executed have changed')).toBeNull();
});

it('forgets why the last choice was refused when another one is made', async () => {
  jest.spyOn(client.runs, 'previewRetry').mockResolvedValue(PREVIEW);
  jest.spyOn(client.runs, 'retry').mockRejectedValue(new Error('The service is busy'));
  const { user } = await open();
  await screen.findByRole('region', { name: 'Executed again' });
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByText('The service is busy');
  await user.click(screen.getByLabelText('Begin at'));
  await user.click(await screen.findByTitle('load'));
  await screen.findByRole('region', { name: 'Executed again' });
  expect(screen.queryByText('The service is busy')).toBeNull();
});
