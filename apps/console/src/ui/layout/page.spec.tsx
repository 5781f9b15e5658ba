import { afterEach, expect, it } from '@jest/globals';
import { cleanup, renderHook } from '@testing-library/react';
import { useDocumentTitle } from './page.tsx';

afterEach(cleanup);

it('leaves no title of the page before to what has none, such as an entry that is not found', () => {
  const { rerender, unmount } = renderHook(useDocumentTitle, { initialProps: 'Tasks' });
  rerender('Ship orders');
  expect(document.title).toBe('Ship orders · Platform');
  unmount();
  expect(document.title).toBe('Platform');
});
