import { expect, it, jest } from '@jest/globals';
import { PlatformConnectionError } from '@platform/client';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { uploads as queue } from './uploads.ts';
import { Uploads, UploadZone } from './upload-zone.tsx';

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

it('says which dropped files are not uploaded, and offers JSON files', async () => {
  cleanup();
  const add = jest.spyOn(queue, 'add').mockReturnValue();
  await renderInApp(<UploadZone />);
  const many = Array.from({ length: 2_003 }, (_, i) => ({
    name: `${i}.md`,
    isDirectory: false,
    file: (found: (file: File) => void) => found(new File(['x'], `${i}.md`)),
  }));
  const gone = {
    name: 'gone.md',
    isDirectory: false,
    file: (_: unknown, failed: (error: Error) => void) => failed(new Error('Gone')),
  };
  const items = [gone, ...many].map((entry) => ({ webkitGetAsEntry: () => entry }));
  fireEvent.drop(screen.getByRole('region', { name: 'Upload' }), { dataTransfer: { items, files: [] } });
  await screen.findByText('3 files were left out: at most 2000 are uploaded at once.');
  screen.getByText('1 file or folder could not be read: gone.md');
  expect(add.mock.calls[0]?.[0]).toHaveLength(2_000);
  expect(screen.getByLabelText<HTMLInputElement>('Choose files').accept).toContain('.json');

  add.mockClear();
  const inFolder = (name: string, value: string) =>
    Object.defineProperty(new File(['x'], name), 'webkitRelativePath', { value });
  fireEvent.change(screen.getByLabelText('Choose a folder'), {
    target: { files: [inFolder('config', 'docs/.git/config'), inFolder('a.md', 'docs/a.md')] },
  });
  expect(add.mock.calls[0]?.[0].map(({ name }) => name)).toEqual(['a.md']);
});
