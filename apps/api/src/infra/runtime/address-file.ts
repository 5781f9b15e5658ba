import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const fileIn = (dataDir: string) => join(dataDir, 'address');

/** Stores the address of this process, so that a second start on the same data folder can name it. */
export async function keepAddress(dataDir: string, address: string): Promise<void> {
  await writeFile(fileIn(dataDir), `${address}\n`);
}

export async function dropAddress(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}
