import { expect, it } from '@jest/globals';
import { act, screen } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { renderInApp } from '../../../test/render.tsx';
import { queryClient, setSession } from '../../api.ts';
import { endWaitForSignIn, waitForSignIn } from '../../ui/browser/expiry.ts';
import { LateExpiredSession } from './late-expired-session.tsx';

const space = { id: 's1', name: 'Space', role: 'ADMIN' as const };
const user = { id: 'u1', name: 'Ada', email: 'ada@example.com' };

it('asks for the password each time the session has ended', async () => {
  setSession({ accessToken: 'old', user, space, spaces: [space] } as never);
  await renderInApp(
    <QueryClientProvider client={queryClient}>
      <LateExpiredSession />
    </QueryClientProvider>,
  );
  expect(screen.queryByRole('dialog')).toBeNull();
  for (const reason of ['It has ended', 'It has ended again']) {
    let token: Promise<string | null> | undefined;
    act(() => {
      token = waitForSignIn(reason);
    });
    await screen.findByText(reason);
    act(() => endWaitForSignIn());
    expect(await token).toBeNull();
  }
});
