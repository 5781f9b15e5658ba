import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

/** Reads a secret that is made once and kept for the owner's eyes only; it is complete or not there. */
export function secretFile(path, make) {
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
