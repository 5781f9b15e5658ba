import { afterEach, expect, it, jest } from '@jest/globals';
import { cleanup, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { renderInApp } from '../../../test/render.tsx';
import { lazyPart } from './lazy-part.tsx';

const ready = { default: ({ name }: { name: string }) => <h2>{name}</h2> };
const show = (load: () => Promise<typeof ready>) => {
  const Part = lazyPart(load);
  return renderInApp(
    <>
      <input aria-label="Draft" defaultValue="three paragraphs" />
      <Suspense fallback="plain">
        <Part name="Ready" />
      </Suspense>
    </>,
  );
};

afterEach(() => {
  jest.restoreAllMocks();
  cleanup();
});

it('waits for the connection', async () => {
  const online = jest.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const load = jest.fn(() => Promise.resolve(ready));
  await show(load);
  await screen.findByText('plain');
  expect(load).not.toHaveBeenCalled();
  online.mockReturnValue(true);
  window.dispatchEvent(new Event('online'));
  await screen.findByRole('heading', { name: 'Ready' });
});

it('leaves the page as it is if its code cannot be loaded, and loads it later', async () => {
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  const load = jest.fn<() => Promise<typeof ready>>().mockRejectedValue(new Error('lost'));
  const user = await show(load);
  const again = await screen.findByRole('button', { name: 'Try again' });
  expect(screen.getByLabelText<HTMLInputElement>('Draft').value).toBe('three paragraphs');
  expect(load).toHaveBeenCalledTimes(3);
  load.mockResolvedValue(ready);
  await user.click(again);
  await screen.findByRole('heading', { name: 'Ready' });
});

it('offers to load the page again if trying again is of no use', async () => {
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  const user = await show(() => Promise.reject(new Error('lost')));
  const again = await screen.findByRole('button', { name: 'Try again' });
  expect(screen.queryByRole('button', { name: 'Reload the page' })).toBeNull();
  await user.click(again);
  await screen.findByRole('button', { name: 'Reload the page' }, { timeout: 5_000 });
  screen.getByRole('button', { name: 'Try again' });
});
