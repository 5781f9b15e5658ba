import { expect, it, jest } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { loadCode } from './load-code.ts';

it('loads a style sheet again at its place, which was lost with the code', async () => {
  document.head.innerHTML =
    '<link rel="stylesheet" href="/assets/a.css"><link rel="stylesheet" href="/assets/b.css">';
  const [lost, other] = document.querySelectorAll<HTMLLinkElement>('link');
  const load = jest
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error(`Unable to preload CSS for ${lost?.href}`))
    .mockResolvedValue('code');
  const loaded = loadCode(load);
  await waitFor(() => expect(document.querySelector('link')).not.toBe(lost));
  expect(load).toHaveBeenCalledTimes(1);
  const again = document.querySelector('link');
  again?.dispatchEvent(new Event('load'));
  expect(await loaded).toBe('code');
  expect([...document.querySelectorAll('link')].map(({ href }) => href)).toEqual([lost?.href, other?.href]);
  document.head.innerHTML = '';
});
