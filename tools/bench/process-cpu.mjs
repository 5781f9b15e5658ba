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
    const server = statOf(postmaster);
    return server ? toMicroseconds(server.ticks) + childrenCpu(postmaster) : NaN;
  };
}

/** Reads the CPU time of the child processes of a process in µs, including ended ones; NaN if unknown. */
export function childrenCpu(pid) {
  const own = statOf(pid);
  if (!own) return NaN;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat?.parent === pid);
  return toMicroseconds(children.reduce((sum, { ticks, ended }) => sum + ticks + ended, own.ended));
}

const toMicroseconds = (ticks) => ticks * (1e6 / TICKS_PER_SECOND);

/** Returns null if the process has ended. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name before it can contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
    // `ended`: of its children that have ended.
    return { parent: Number(fields[1]), ticks: user + system, ended: endedUser + endedSystem };
  } catch {
    return null;
  }
}
