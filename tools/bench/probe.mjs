// Preloaded into the measured processes: reports their resource usage, and profiles them and records their SQL on demand.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { answer } from './child.mjs';

const session = new Session();

/** The statements since `startStatements`; null: they are not recorded. */
let statements = null;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (config, values, ...rest) {
  if (statements !== null) {
    const parameters = (config.values ?? (Array.isArray(values) ? values : [])).map(prepareValue);
    statements.push({
      text: config.text ?? config,
      values: parameters.map((value) => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value)),
    });
  }
  return query.call(this, config, values, ...rest);
};

answer({
  startStatements() {
    statements = [];
  },
  takeStatements() {
    const taken = statements;
    statements = null;
    return taken;
  },
  async startProfile() {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  },
  async writeProfile(file) {
    const { profile } = await session.post('Profiler.stop');
    writeFileSync(file, JSON.stringify(profile));
    session.disconnect();
  },
});
