import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirements } from './requirements.ts';

const APPS = join(import.meta.dirname, '../..');
const CITES = /verifies\(\s*(\[[^\]]*\]|'[^']*')/g;

describe('requirements', () => {
  it('each has at least one test that cites it', () => {
    const specs = globSync('{api,console}/e2e/**/*.e2e-spec.ts', { cwd: APPS });
    const cited = new Set(
      specs.flatMap((file) => {
        const text = readFileSync(join(APPS, file), 'utf8');
        return Array.from(text.matchAll(CITES), ([, ids = '']) => ids.match(/[a-z0-9.-]{3,}/g) ?? []).flat();
      }),
    );
    expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
  });
});
