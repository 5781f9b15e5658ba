// The arguments of `npm start` and `npm run dev`, each another way to set an environment variable. Can use only built-in
// modules, because they are read before anything is installed.
import { resolve } from 'node:path';

const OPTIONS = {
  '--port': { variable: 'PORT', value: 'NUMBER', about: 'the port to listen on, 3000 by default' },
  '--host': { variable: 'HOST', value: 'ADDRESS', about: 'the address to listen on, 127.0.0.1 by default' },
  '--data-dir': {
    variable: 'PLATFORM_DATA_DIR',
    value: 'FOLDER',
    about: 'the folder of the database and the secret key, .platform by default',
  },
};

const KNOWN = [
  ...Object.entries(OPTIONS).map(([name, { variable, value, about }]) => [
    `${name} ${value}`,
    `${about} (or ${variable}=${value})`,
  ]),
  ['--help', 'this list'],
]
  .map(([name, about]) => `  ${name.padEnd(20)} ${about}`)
  .join('\n');

/**
 * Reads `--name value` and `--name=value`. Returns the environment variables that they set; `help`, the text to show
 * instead of starting; or `problem`, why an argument is rejected.
 */
export function readStartArguments(command, args, from = process.cwd()) {
  const usage = command === 'start' ? 'npm start -- ' : `npm run ${command} -- `;
  const known = `Known arguments, as in "${usage}--port 3001":\n${KNOWN}\nAll other settings are environment variables: see docs/operations.md.`;
  const env = {};
  for (let i = 0; i < args.length; i++) {
    const [, name, given] = /^(--[^=]+)(?:=(.*))?$/s.exec(args[i]) ?? [];
    if (name === '--help') return { env: {}, help: known };
    const option = Object.hasOwn(OPTIONS, name ?? '') ? OPTIONS[name] : undefined;
    if (option === undefined) return { env: {}, problem: `Unknown argument "${args[i]}". ${known}` };
    const value = given ?? args[++i];
    if (!value || (given === undefined && value.startsWith('--'))) {
      return { env: {}, problem: `${name} needs a value: ${usage}${name} ${option.value}` };
    }
    env[option.variable] = name === '--data-dir' ? resolve(from, value) : value;
  }
  return { env };
}
