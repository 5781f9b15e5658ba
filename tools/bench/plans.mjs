// Which indexes PostgreSQL uses for the statements of a call, and which large tables it reads as a whole.

/** Reading a smaller table as a whole is faster than any index. */
const LARGE_ROWS = 20_000;
const READS = /^\s*(select|with)\b/i;

/** Plans the statements that read. Each has the values with which it was sent. */
export async function planOf(client, statements) {
  const large = await largeTables(client);
  const indexes = new Set();
  const scanned = new Set();
  for (const { text, values } of statements.filter(({ text }) => READS.test(text))) {
    const { rows } = await client.query({ text: `explain (format json) ${text}`, values });
    visit(rows[0]['QUERY PLAN'][0].Plan, (node) => {
      if (node['Index Name'] !== undefined) indexes.add(node['Index Name']);
      if (node['Node Type'] === 'Seq Scan' && large.has(node['Relation Name']))
        scanned.add(node['Relation Name']);
    });
  }
  return { indexes: [...indexes], scanned: [...scanned] };
}

async function largeTables(client) {
  const { rows } = await client.query(`select relname from pg_class where relkind = 'r' and reltuples > $1`, [
    LARGE_ROWS,
  ]);
  return new Set(rows.map(({ relname }) => relname));
}

function visit(node, look) {
  look(node);
  for (const child of node.Plans ?? []) visit(child, look);
}
