import { globSync } from 'node:fs';
import { migrations } from './index.ts';

describe('migrations', () => {
  it('are the only exports of all numbered files of the folder, in order, each with the number of its file', async () => {
    const files = globSync('[0-9]*.ts', { cwd: import.meta.dirname }).sort();
    expect(files.length).toBeGreaterThan(60);
    const exported = await Promise.all(
      files.map(async (file) => Object.keys((await import(`./${file}`)) as object)),
    );
    expect(exported).toEqual(migrations.map(({ name }) => [name]));
    expect(migrations.map(({ name }) => Number(name.slice(-13)))).toEqual(
      files.map((file) => 1_763_600_000_000 + Number(file.slice(0, 4))),
    );
  });
});
