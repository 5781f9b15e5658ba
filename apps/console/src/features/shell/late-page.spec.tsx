import { expect, it, jest } from '@jest/globals';
import { screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { LatePage, page } from './late-page.tsx';

const ready = { Component: () => <h1>Ready</h1> };

it('asks again for code that could not be loaded, before anybody is bothered', async () => {
  const load = jest
    .fn<() => Promise<typeof ready>>()
    .mockRejectedValueOnce(new Error('lost'))
    .mockResolvedValue(ready);
  expect(await page(load)()).toBe(ready);
  expect(load).toHaveBeenCalledTimes(2);
});

it('keeps the console if it stays away, and loads it when the user wants', async () => {
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((done: () => void) => {
    queueMicrotask(done);
    return 0;
  }) as never);
  const load = jest.fn<() => Promise<typeof ready>>().mockRejectedValue(new Error('lost'));
  const { Component } = await page(load)();
  expect(load).toHaveBeenCalledTimes(3);
  jest.restoreAllMocks();
  load.mockResolvedValue(ready);
  const user = await renderInApp(<Component />);
  screen.getByRole('heading', { name: 'This page could not be loaded', level: 2 });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByRole('heading', { name: 'Ready' });
});

it('says that a new version is the reason', async () => {
  await renderInApp(<LatePage load={() => Promise.resolve(ready)} isOutdated />);
  screen.getByText('A new version is here');
  screen.getByRole('button', { name: 'Reload the page' });
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});
