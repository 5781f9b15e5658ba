import { expect, it, jest } from '@jest/globals';
import type { EnvelopeVolume } from '@platform/contracts';
import { cleanup, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { renderInApp } from '../../../../test/render.tsx';
import { client } from '../../../api.ts';
import { LogPicture } from './log-picture.tsx';

const volumeOf = (dispatched: number) => ({
  bucketSeconds: 900,
  buckets: [{ start: '2026-01-01T00:00:00.000Z', dispatched, pending: 0, skipped: 0, failed: 0 }],
});

function Example() {
  const [from, setFrom] = useState<string>();
  return (
    <>
      <button type="button" onClick={() => setFrom('2026-01-01T00:00:00.000Z')}>
        Choose
      </button>
      <LogPicture query={from === undefined ? {} : { from }} onTime={() => undefined} isTimed={false} />
    </>
  );
}

it('says that it is busy while it shows the bars of another time', async () => {
  let arrive: (volume: EnvelopeVolume) => void = () => undefined;
  jest
    .spyOn(client.events, 'volume')
    .mockResolvedValueOnce(volumeOf(3))
    .mockReturnValueOnce(new Promise((resolve) => (arrive = resolve)) as never);
  const user = await renderInApp(<Example />);
  const figure = await screen.findByRole('figure');
  expect(figure.getAttribute('aria-busy')).toBe('false');
  await user.click(screen.getByRole('button', { name: 'Choose' }));
  expect(figure.getAttribute('aria-busy')).toBe('true');
  arrive(volumeOf(5));
  await waitFor(() => expect(figure.getAttribute('aria-busy')).toBe('false'));
  screen.getByText(/5 events/);
  cleanup();
});
