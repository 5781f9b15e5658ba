import { afterEach, expect, it, jest } from '@jest/globals';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { loadSpaceTexts } from '../../i18n.ts';
import { client } from '../../api.ts';
import { TestDialog } from './test-dialog.tsx';

afterEach(cleanup);

it('asks before an address is lost to which nothing was sent', async () => {
  await loadSpaceTexts();
  jest.spyOn(client.webhooks, 'test').mockReturnValue(new Promise(() => undefined) as never);
  const close = jest.fn();
  const user = await renderInApp(<TestDialog onClose={close} />);
  const address = screen.getByLabelText('Address');
  fireEvent.change(address, { target: { value: 'https://shop.example.com/hooks' } });
  fireEvent.click(screen.getAllByLabelText('Close')[0] as HTMLElement);
  await user.click(await screen.findByText('Stay'));
  expect(close).not.toHaveBeenCalled();
});
