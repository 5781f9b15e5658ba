// Only bench:mcp needs fastmcp: it installs it itself.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../processes.mjs';

const VERSIONS = { '@modelcontextprotocol/sdk': '1.32.2', fastmcp: '4.20.16', zod: '4.6.7' };

/** Returns the folder whose packages have it. */
export async function installFastMcp() {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/fastmcp');
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    mkdirSync(folder, { recursive: true });
    const manifest = { name: 'fastmcp-proxy', private: true, dependencies: VERSIONS };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code } = await run('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (code !== 0) throw new Error('fastmcp could not be installed');
  }
  return folder;
}
