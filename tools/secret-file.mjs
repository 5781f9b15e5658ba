import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

/** Reads a secret, which is created on first use, readable only by its owner. The rename makes the creation atomic. */
export function readOrCreateSecret(path, make) {
  if (!existsSync(path)) {
    const draft = `${path}.draft`;
    const file = openSync(draft, 'w', 0o600);
    writeSync(file, make());
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, path);
  }
  return readFileSync(path, 'utf8');
}
