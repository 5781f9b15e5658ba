import { expect, it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { renderInApp } from '../../../test/render.tsx';
import { Uploads } from './upload-zone.tsx';

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
  await renderInApp(<Uploads uploads={uploads} onStop={ignore} onClear={ignore} />);
  expect(screen.getAllByText(/were skipped$/).map(({ textContent }) => textContent)).toEqual([
    '2 files of the archive were skipped',
  ]);
  screen.getByText('tools/tool.exe: The file must be text, Markdown, or HTML.');
  screen.getByText('empty.txt: The file is empty.');
});
