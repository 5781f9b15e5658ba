import { expect, it } from '@jest/globals';
import { droppedFiles } from './dropped-files.ts';

const file = (name: string) => ({
  isDirectory: false,
  file: (found: (file: File) => void) => found(new File(['x'], name)),
});

/** A folder that, like that of a browser, is read in parts. */
const folder = (...entries: object[]) => ({
  isDirectory: true,
  createReader: () => {
    const parts = [...entries.map((entry) => [entry]), []];
    return { readEntries: (found: (part: object[]) => void) => found(parts.shift() ?? []) };
  },
});

const dropped = (...entries: object[]) =>
  droppedFiles({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: [],
  } as unknown as DataTransfer);

it('finds the files of dropped folders, and leaves out hidden ones', async () => {
  const found = await dropped(file('a.md'), folder(file('b.txt'), file('.DS_Store'), folder(file('c.pdf'))));
  expect(found.map(({ name }) => name)).toEqual(['a.md', 'b.txt', 'c.pdf']);
});

it('takes the files themselves if there are no entries', async () => {
  const files = [new File(['x'], 'a.md')];
  expect(await droppedFiles({ items: [], files } as unknown as DataTransfer)).toEqual(files);
});
