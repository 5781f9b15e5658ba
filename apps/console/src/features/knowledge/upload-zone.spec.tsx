import { expect, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { cleanup, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { Uploads } from './upload-zone.tsx';

it('offers to send a file again that the service did not get', async () => {
  const again = jest.fn();
  const failed = (key: number, name: string, error: Error) => ({
    key,
    name,
    state: 'failed' as const,
    error,
  });
  const uploads = [
    failed(1, 'large.md', new Error('Too large')),
    failed(2, 'tides.md', new PlatformConnectionError('No response')),
  ];
  const user = await renderInApp(
    <Uploads uploads={uploads} onStop={ignore} onClear={ignore} onAgain={again} />,
  );
  await user.click(screen.getByRole('button', { name: /^Try again/ }));
  expect(again).toHaveBeenCalledWith(2);
  cleanup();
});

const ignore = () => undefined;

it('says which files of an archive were skipped, and why', async () => {
  const skipped = [
    { fileName: 'tools/tool.exe', reason: 'The file must be text, Markdown, or HTML.' },
    { fileName: 'empty.txt', reason: 'The file is empty.' },
  ];
  const uploads = [
    { key: 1, name: 'handbook.zip', state: 'done' as const, skipped },
    { key: 2, name: 'a.md', state: 'done' as const, skipped: [] },
  ];
  await renderInApp(<Uploads uploads={uploads} onStop={ignore} onClear={ignore} onAgain={ignore} />);
  expect(screen.getAllByText(/were skipped$/).map(({ textContent }) => textContent)).toEqual([
    '2 files of the archive were skipped',
  ]);
  screen.getByText('tools/tool.exe: The file must be text, Markdown, or HTML.');
  screen.getByText('empty.txt: The file is empty.');
});
