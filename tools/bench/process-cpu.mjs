// CPU usage of processes without a preload, read from /proc if available.
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

const TICKS_PER_SECOND = 100;

/** Returns a function that reads the CPU time of a PostgreSQL server in µs, including ended processes; NaN if unknown. */
export async function postgresCpu(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const postmaster = statOf(rows[0].pid)?.parent;
  await client.end();
  return () => {
    if (postmaster === undefined) return NaN;
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const own = pids
      .map(statOf)
      .filter((stat) => stat && (stat.pid === postmaster || stat.parent === postmaster));
    return own.reduce((sum, stat) => sum + stat.ticks, 0) * (1e6 / TICKS_PER_SECOND);
  };
}

/** Returns null if the process has ended. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name before it can contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid: Number(pid), parent: Number(fields[1]), ticks };
  } catch {
    return null;
  }
}
