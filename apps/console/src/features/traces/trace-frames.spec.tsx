import { afterEach, it, jest } from '@jest/globals';
import type { Trace } from '@platform/contracts';
import { cleanup, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { renderInApp } from '../../../test/render.tsx';
import { client } from '../../api.ts';
import { TraceFrames } from './trace-frames.tsx';

afterEach(cleanup);

it('says how many frames at the beginning are not shown', async () => {
  const frame = { type: 'event', method: 'lifecycle', params: { namespace: [], timestamp: 1, data: {} } };
  jest.spyOn(client.agents, 'attachTurn').mockReturnValue({
    async *frames() {
      await Promise.resolve();
      // Of more than a thousand, the first ones are not kept.
      for (let seq = 1; seq <= 1_002; seq++) yield { ...frame, seq };
    },
  } as never);
  const trace = { agentId: 'a', turnId: 't', status: 'COMPLETED', segments: [{ segment: 1, ended: true }] };
  await renderInApp(
    <MemoryRouter>
      <TraceFrames trace={trace as unknown as Trace} />
    </MemoryRouter>,
  );
  await screen.findByText('1000 frames');
  screen.getByText('2 earlier frames are not shown.');
});
