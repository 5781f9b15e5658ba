import { globSync, readFileSync } from 'node:fs';
import { requirements } from './requirements.ts';

const CITES = /verifies\(\s*(\[[^\]]*\]|'[^']*')/g;

describe('requirements', () => {
  it('each has at least one test that cites it', () => {
    const specs = globSync('**/*.e2e-spec.ts', { cwd: import.meta.dirname });
    const cited = new Set(
      specs.flatMap((file) => {
        const text = readFileSync(`${import.meta.dirname}/${file}`, 'utf8');
        return Array.from(text.matchAll(CITES), ([, ids = '']) => ids.match(/[a-z0-9.-]{3,}/g) ?? []).flat();
      }),
    );
    expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
  });
});
