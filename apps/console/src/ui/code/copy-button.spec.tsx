import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { cleanup, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { CopyButton } from './copy-button.tsx';

/** Takes the place of something that jsdom lacks, until the test ends. */
const replaced: [object, string, PropertyDescriptor | undefined][] = [];
function replace(target: object, name: string, value: unknown): void {
  replaced.push([target, name, Object.getOwnPropertyDescriptor(target, name)]);
  Object.defineProperty(target, name, { value, configurable: true });
}

const write = jest.fn<(text: string) => Promise<void>>();
const command = jest.fn<() => boolean>();

const show = async () => {
  const user = await renderInApp(<CopyButton text="secret" label="Copy key" />);
  // The library for events has a clipboard of its own.
  replace(navigator, 'clipboard', { writeText: write });
  return user;
};
const button = () => screen.getByRole('button', { name: /^(Copy key|Copied)$/ });

beforeEach(() => {
  replace(document, 'execCommand', command);
  write.mockReset().mockResolvedValue(undefined);
  command.mockReset().mockReturnValue(false);
});

afterEach(() => {
  cleanup();
  for (const [target, name, before] of replaced.splice(0).reverse())
    if (before === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, before);
});

it('copies to the clipboard', async () => {
  replace(window, 'isSecureContext', true);
  const user = await show();
  await user.click(button());
  await screen.findByRole('button', { name: 'Copied' });
  expect(write).toHaveBeenCalledWith('secret');
  expect(command).not.toHaveBeenCalled();
});

it('copies with a command where the browser refuses the clipboard', async () => {
  replace(window, 'isSecureContext', true);
  write.mockRejectedValue(new DOMException('Write permission denied', 'NotAllowedError'));
  let copied = '';
  command.mockImplementation(() => {
    copied = (document.activeElement as HTMLTextAreaElement).value;
    return true;
  });
  const user = await show();
  await user.click(button());
  await screen.findByRole('button', { name: 'Copied' });
  expect(copied).toBe('secret');
  // The keyboard stays where it was.
  expect(document.activeElement).toBe(button());
});

it.each([
  { where: 'although the clipboard is allowed', isSecure: true },
  { where: 'without a secure origin', isSecure: false },
])('says that nothing was copied $where', async ({ isSecure }) => {
  replace(window, 'isSecureContext', isSecure);
  write.mockRejectedValue(new DOMException('Write permission denied', 'NotAllowedError'));
  const user = await show();
  await user.click(button());
  await screen.findByText('Nothing was copied: the browser does not allow it.', { exact: false });
  expect(screen.queryByRole('button', { name: 'Copied' })).toBeNull();
});
