import { expect, it } from '@jest/globals';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useRef, useState } from 'react';
import { useKeptFocus } from './use-kept-focus.ts';

function Page() {
  const main = useRef<HTMLElement>(null);
  const [rows, setRows] = useState(['a', 'b']);
  const [isOpen, setOpen] = useState(true);
  useKeptFocus(main);
  return (
    <>
      <main ref={main} tabIndex={-1}>
        <ul>
          {rows.map((row) => (
            <li key={row}>
              <button onClick={() => setRows(rows.filter((one) => one !== row))}>{`Remove ${row}`}</button>
            </li>
          ))}
        </ul>
        <button>Add</button>
      </main>
      {isOpen && <button onClick={() => setOpen(false)}>Close</button>}
    </>
  );
}

it('keeps the focus near what was removed, or moves it to the content', async () => {
  // The window of these tests knows no visibility.
  Object.assign(HTMLElement.prototype, { checkVisibility: () => true });
  const user = userEvent.setup();
  render(<Page />);
  await user.click(screen.getByRole('button', { name: 'Remove a' }));
  const list = screen.getByRole('list');
  await waitFor(() => expect(document.activeElement).toBe(list));
  await user.tab();
  expect(document.activeElement?.textContent).toBe('Remove b');
  expect(list.hasAttribute('tabindex')).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(document.activeElement).not.toBe(document.body));
  delete (HTMLElement.prototype as { checkVisibility?: unknown }).checkVisibility;
  cleanup();
});
