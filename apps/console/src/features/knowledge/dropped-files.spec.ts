import { expect, it } from '@jest/globals';
import { droppedFiles, isShown } from './dropped-files.ts';

const file = (name: string) => ({
  name,
  isDirectory: false,
  file: (found: (file: File) => void) => found(new File(['x'], name)),
});

/** A folder that, like that of a browser, is read in parts. */
const folder = (name: string, ...entries: object[]) => ({
  name,
  isDirectory: true,
  createReader: () => {
    const parts = [...entries.map((entry) => [entry]), []];
    return { readEntries: (found: (part: object[]) => void) => found(parts.shift() ?? []) };
  },
});

const fail = (_: unknown, failed: (error: Error) => void) => failed(new Error('Gone'));

const dropped = (...entries: object[]) =>
  droppedFiles({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: [],
  } as unknown as DataTransfer);

const namesOf = (files: File[]) => files.map(({ name }) => name);

it('finds the files of dropped folders, and leaves out hidden files and folders', async () => {
  const hidden = [folder('.git', file('config')), folder('__MACOSX', file('a.md')), file('.DS_Store')];
  const docs = folder('docs', file('b.txt'), ...hidden, folder('more', file('c.pdf'), file('Thumbs.db')));
  const { files, leftOut, unreadable } = await dropped(file('a.md'), docs, folder('.notes', file('d.md')));
  expect(namesOf(files)).toEqual(['a.md', 'b.txt', 'd.md', 'c.pdf']);
  expect([leftOut, unreadable]).toEqual([0, []]);
});

it('knows a hidden file of a chosen folder by its whole path', () => {
  const shown = [
    'docs/a.md',
    'docs/.git/config',
    '.docs/a.md',
    'docs/__MACOSX/a.md',
    'docs/Desktop.ini',
  ].filter((webkitRelativePath) => isShown({ name: 'x', webkitRelativePath } as File));
  // Whoever chooses a hidden folder means it.
  expect(shown).toEqual(['docs/a.md', '.docs/a.md']);
});

it('counts what is beyond 2,000 files', async () => {
  const many = Array.from({ length: 2_400 }, (_, i) => file(`${i}.md`));
  const { files, leftOut, hasMore } = await dropped(folder('docs', ...many), file('last.md'));
  expect([files.length, leftOut, hasMore]).toEqual([2_000, 401, false]);
});

it('stops counting somewhere', async () => {
  const many = Array.from({ length: 53_000 }, (_, i) => file(`${i}.md`));
  const { files, leftOut, hasMore } = await dropped(...many);
  expect([files.length, leftOut, hasMore]).toEqual([2_000, 50_000, true]);
});

it('says what cannot be read, and takes the rest', async () => {
  const locked = { name: 'locked', isDirectory: true, createReader: () => ({ readEntries: fail }) };
  const gone = { name: 'gone.md', isDirectory: false, file: fail };
  const { files, unreadable } = await dropped(gone, locked, file('a.md'));
  expect(namesOf(files)).toEqual(['a.md']);
  expect(unreadable).toEqual(['gone.md', 'locked']);
});

it('takes the files themselves if there are no entries', async () => {
  const files = [new File(['x'], 'a.md')];
  expect(await droppedFiles({ items: [], files } as unknown as DataTransfer)).toMatchObject({ files });
});
