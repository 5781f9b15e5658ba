/** Prints the results of `bench:turns`: the service, the bare client, their ratio, and the target. */
export function printTurns({
  ours,
  bare,
  followed,
  jobs,
  callers,
  short,
  streams,
  rate,
  seconds,
  turns,
  tokens,
}) {
  const row = (name, unit, pick, aim) => {
    const [own, other] = [pick(ours), pick(bare)];
    return { name, unit, figures: [own, other, own / other], aim: aim?.(own, other) };
  };
  const alone = (name, unit, figure) => ({ name, unit, figures: [figure, NaN, NaN] });
  print(
    ['service', 'openai', 'ratio'],
    [
      `${streams} streams × ${rate} tokens/s for ${seconds} s, counted while all are open`,
      row('CPU per token', 'µs', (of) => of.paced.cpu, atMostShare(0.8)),
      row('delay of a delta, p50', 'ms', (of) => of.paced.p50),
      row('delay of a delta, p99', 'ms', (of) => of.paced.p99, atMost(100)),
      row('memory per stream, above idle', 'MB', (of) => of.paced.memory, atMost(0.8)),
      `${turns} turns, one after the other`,
      row('request in → model called, p50', 'ms', (of) => of.idle.called, atMost(6)),
      row('first byte → first delta, p50', 'ms', (of) => of.idle.first, atMost(2)),
      `Turns of ${short} tokens in one space, ${callers} callers without a pause for ${seconds} s`,
      row('turns per second', '1/s', (of) => of.closed.rate),
      row('CPU per turn', 'ms', (of) => of.closed.cpu),
      row('CPU of PostgreSQL per turn', 'ms', (of) => of.closed.database),
      `${jobs} job streams × ${rate} tokens/s, followed from a second process`,
      alone('its CPU per token', 'µs', followed.cpu),
      alone('delay of a delta, p50', 'ms', followed.p50),
      alone('delay of a delta, p99', 'ms', followed.p99),
      alone('its memory per stream, above idle', 'MB', followed.memory),
      `One burst of ${tokens.toLocaleString('en')} tokens`,
      row('CPU per token', 'µs', (of) => of.burst.cpu),
      row('the whole turn', 'ms', (of) => of.burst.ms),
    ],
  );
}

/** Prints the results of `bench:relay`: the relay, Portkey's gateway, their ratio, the server alone, and the target. */
export function printRelay({
  ours,
  portkey,
  bare,
  database,
  callers,
  seconds,
  streams,
  rate,
  calls,
  tokens,
}) {
  const row = (name, unit, pick, aim) => {
    const [own, other, server] = [ours, portkey, bare].map((of) => pick(of) ?? NaN);
    return { name, unit, figures: [own, other, own / other, server], aim: aim?.(own, other) };
  };
  const databases = (cpu) => ({ name: 'CPU of its PostgreSQL', unit: 'µs', figures: [cpu, NaN, NaN, NaN] });
  print(
    ['relay', 'portkey', 'ratio', 'server'],
    [
      `Whole answers of 100 tokens, ${callers} callers without a pause for ${seconds} s`,
      row('requests per second', '1/s', (of) => of.whole.rate, moreThanOther),
      row('CPU per request', 'µs', (of) => of.whole.cpu, lessThanOther),
      databases(database.whole),
      `Streams of 100 tokens, ${callers} callers without a pause for ${seconds} s`,
      row('requests per second', '1/s', (of) => of.streams.rate, moreThanOther),
      row('CPU per request', 'µs', (of) => of.streams.cpu, lessThanOther),
      databases(database.streams),
      `${streams} streams × ${rate} tokens/s for ${seconds} s`,
      row('CPU per token', 'µs', (of) => of.paced.cpu, lessThanOther),
      `One burst of ${tokens.toLocaleString('en')} tokens`,
      row('CPU per token', 'µs', (of) => of.burst.cpu, lessThanOther),
      row('the whole answer', 'ms', (of) => of.burst.ms),
      `${calls} streams, one after the other: p50 of the first byte above the server's own`,
      row('without a balance limit', 'ms', (of) => of.added, atMost(1.2)),
      row('with a balance limit', 'ms', (of) => of.addedLimited, atMost(2)),
    ],
  );
}

/** Prints the results of `bench:mcp`: the service, with and without the tasks extension, fastmcp, and the server alone. */
export function printMcp({ found, callers, seconds, calls }) {
  const { service, tasks, fastmcp, server } = found;
  const row = (name, unit, pick, aim) => {
    const figures = [service, tasks, fastmcp, server].map(pick);
    const [own, extended, other] = figures;
    const limited = aim && {
      text: `≤ ${aim} × fastmcp`,
      met: Math.max(own, extended) <= aim * other,
    };
    return { name, unit, figures: [...figures, own / other], aim: limited };
  };
  print(
    ['service', 'with tasks', 'fastmcp', 'server', 'ratio'],
    [
      `${calls} calls of each, one after the other: the time above that of the server`,
      row('p50', 'ms', ({ added }) => added.p50, 1.5),
      row('p99', 'ms', ({ added }) => added.p99, 1.5),
      `${callers} callers without a pause for ${seconds} s`,
      row('calls per second', '1/s', ({ rate }) => rate),
      row('CPU of the process', 'µs', ({ cpu }) => cpu),
      row('CPU of PostgreSQL', 'µs', ({ database }) => database),
    ],
  );
}

const cpuRow = (name, pick, { service, insert, route }) => {
  const figures = [service, insert, route].map(({ cpu }) => cpu[pick]);
  return { name, unit: 'µs', figures: [...figures, NaN, figures[0] / figures[2]] };
};

/** Prints the first results of `bench:events`: emissions of the service beside the bare insert and the bare route. */
export function printEmissions({ emit, batches, batch, batchClients, seconds }) {
  const closed = (clients) => {
    const of = emit[clients];
    const rates = [of.service.rate, of.insert.rate, of.route.rate];
    const shares = [of.service.rate / of.insert.rate, of.service.rate / of.route.rate];
    const aims = [
      { text: '≥ 30 % of the insert', met: shares[0] >= 0.3 },
      { text: '≥ 60 % of the route', met: shares[1] >= 0.6 },
    ];
    return [
      {
        name: `${clients} clients`,
        unit: '1/s',
        figures: [...rates, ...shares],
        aim: clients === 32 ? allOf(...aims) : undefined,
      },
      { name: 'response, p50', unit: 'ms', figures: [of.service.p50, of.insert.p50, of.route.p50, NaN, NaN] },
      { name: 'response, p99', unit: 'ms', figures: [of.service.p99, of.insert.p99, of.route.p99, NaN, NaN] },
      cpuRow('CPU of the process', 'process', of),
      cpuRow('CPU of PostgreSQL', 'database', of),
    ];
  };
  const alone = (name, unit, value, aim) => ({ name, unit, figures: [value, NaN, NaN, NaN, NaN], aim });
  print(
    ['service', 'insert', 'route', '÷ insert', '÷ route'],
    [
      `Emissions for ${seconds} s, without a subscription`,
      ...Object.keys(emit).flatMap((n) => closed(Number(n))),
      `Emissions in batches of ${batch}, ${batchClients} clients`,
      alone('events', '1/s', batches.rate, {
        text: '≥ 5 × single emissions',
        met: batches.rate >= 5 * emit[32].service.rate,
      }),
      alone('response, p50', 'ms', batches.p50),
      alone('response, p99', 'ms', batches.p99),
      alone('CPU of the process, per event', 'µs', batches.cpu.process),
      alone('CPU of PostgreSQL, per event', 'µs', batches.cpu.database),
    ],
  );
}

/** Prints the other results of `bench:events`: from the emission to the end of the run, beside the queues. */
export function printQueues({ endToEnd, idle, count, calls, batch }) {
  const subjects = ['service', 'redis', 'batches', 'dbos', 'graphile', 'boss', 'bull'];
  const { service, redis, batches, dbos, boss } = endToEnd;
  const row = (name, unit, pick, aim) => ({
    name,
    unit,
    figures: subjects.map((subject) => pick(endToEnd[subject])),
    aim,
  });
  const inAll = ({ cpu }) => cpu.process + cpu.children + cpu.database;
  const latency = (name, share, aim) => ({
    name,
    unit: 'ms',
    figures: subjects.map((subject) => idle[subject]?.[share] ?? NaN),
    aim,
  });
  print(
    ['in-process', 'on Redis', 'batches', 'dbos', 'graphile', 'pg-boss', 'bull'],
    [
      `${count.toLocaleString('en')} events from 32 clients, alone or in batches of ${batch}, until the last result is stored; queues`,
      'are behind a bare route, and their handlers run the code of the step in the sandbox of the service',
      row(
        'end to end',
        '1/s',
        ({ rate }) => rate,
        allOf(
          { text: '≥ 2.5 × dbos', met: Math.min(service.rate, redis.rate) >= 2.5 * dbos.rate },
          { text: 'batches ≥ 1.5 × in-process', met: batches.rate >= 1.5 * service.rate },
        ),
      ),
      row('CPU of the process, per event', 'µs', ({ cpu }) => cpu.process),
      row('CPU of its sandbox, per event', 'µs', ({ cpu }) => cpu.children),
      row('CPU of PostgreSQL, per event', 'µs', ({ cpu }) => cpu.database),
      row('CPU in all, per event', 'µs', inAll, {
        text: '≤ 0.85 × pg-boss',
        met: Math.max(inAll(service), inAll(redis)) <= 0.85 * inAll(boss),
      }),
      `${calls} events, one after the other: from the request to the start of the work`,
      latency('idle latency, p50', 'p50', {
        text: '< 15',
        met: idle.service.p50 < 15 && idle.redis.p50 < 15,
      }),
      latency('idle latency, p99', 'p99'),
      latency('until the run has ended, p50', 'done'),
    ],
  );
}

/** Prints the results of `bench:workflows`. */
export function printWorkflows({ found, count, calls }) {
  const { service, dbos, restate } = found;
  const subjects = [service, dbos, found.openworkflow, restate];
  const row = (name, unit, pick, aim) => ({ name, unit, figures: subjects.map(pick), aim });
  const inAll = ({ cpu }) => cpu.process + cpu.children + cpu.database;
  print(
    ['service', 'dbos', 'openwf', 'restate'],
    [
      `${count.toLocaleString('en')} workflows of three stored steps from 32 clients; engines are behind a bare route, with the same sandbox`,
      row('workflows', '1/s', ({ rate }) => rate, { text: '≥ 2 × dbos', met: service.rate >= 2 * dbos.rate }),
      row('CPU of the process', 'µs', ({ cpu }) => cpu.process),
      row('CPU of its children', 'µs', ({ cpu }) => cpu.children),
      row('CPU of PostgreSQL', 'µs', ({ cpu }) => cpu.database),
      row('CPU in all', 'µs', inAll, { text: '≤ 0.5 × dbos', met: inAll(service) <= 0.5 * inAll(dbos) }),
      row('rows inserted', '1', ({ inserted }) => inserted),
      row('rows updated', '1', ({ updated }) => updated),
      `${calls} workflows, one after the other: from the request to the end`,
      row('idle latency, p50', 'ms', ({ idle }) => idle, {
        text: '≤ 1.5 × restate',
        met: service.idle <= 1.5 * restate.idle,
      }),
    ],
  );
}

/** Prints the results of `bench:workflows -- --waiting`. */
export function printWaiting({ count, tasks, before, idle, seconds, cpu, lost, calls, p50, p99 }) {
  const share = (used) => 100 * used;
  const row = (name, unit, figure, aim) => ({ name, unit, figures: [figure], aim });
  const more = share(idle - before);
  print(
    ['service'],
    [
      `${count.toLocaleString('en')} runs that wait, copied from ${tasks} that the API has started`,
      row('CPU of an idle minute without them', '% of a core', share(before)),
      row('the same with them', '% of a core', share(idle), { text: '≤ 1 above', met: more <= 1 }),
      'All of them are due at once',
      row('until all have ended', 's', seconds),
      row('runs', '1/s', count / seconds),
      row('CPU in all, per run', 'µs', cpu.process + cpu.children + cpu.database),
      row('runs or steps that are lost', '1', lost, { text: '0', met: lost === 0 }),
      row('calls of the API meanwhile', '1', calls),
      row('p50', 'ms', p50),
      row('p99', 'ms', p99, { text: '≤ 250', met: p99 <= 250 }),
    ],
  );
}

/** Prints the indexes that serve each read, and marks those that read a large table as a whole. */
export function printPlans(plans) {
  console.log('\nIndexes');
  for (const [name, { indexes, scanned }] of Object.entries(plans)) {
    const missed = scanned.length === 0 ? '' : `   MISSED: reads ${scanned.join(', ')} as a whole`;
    console.log(`  ${name.padEnd(36)}${indexes.join(', ') || '–'}${missed}`);
  }
}

/** Prints the results of `bench:events-scale`. */
export function printScale({ envelopes, runs, rowCount, backlog, fresh, large, reads, calls }) {
  const number = (n) => n.toLocaleString('en');
  const rows = Object.entries(reads).map(([name, { p50, p95 }]) => ({
    name,
    unit: 'ms',
    figures: [p50, p95],
    aim: { text: 'p95 < 200', met: p95 < 200 },
  }));
  print(
    ['p50', 'p95'],
    [
      `${number(envelopes)} envelopes of 29 days, ${number(runs)} runs, ${number(rowCount)} rows of a table; ${calls} calls each`,
      ...rows,
    ],
  );
  const share = large.rate / fresh.rate;
  print(
    [`${fresh.count / 1_000} k`, `${backlog / 1_000} k`, 'ratio'],
    [
      `Events that wait when the service starts (the claim uses ${large.index})`,
      {
        name: 'a claim of 64, p95',
        unit: 'ms',
        figures: [fresh.claimMs, large.claimMs, large.claimMs / fresh.claimMs],
      },
      {
        name: 'dispatch',
        unit: '1/s',
        figures: [fresh.rate, large.rate, share],
        aim: { text: '≥ 70 %', met: share >= 0.7 },
      },
    ],
  );
}

const allOf = (...aims) => ({
  text: aims.map(({ text }) => text).join(', '),
  met: aims.every(({ met }) => met),
});
const atMost = (limit) => (own) => ({ text: `≤ ${limit}`, met: own <= limit });
const atMostShare = (share) => (own, other) => ({ text: `≤ ${share} × openai`, met: own <= share * other });
const moreThanOther = (own, other) => ({ text: 'more than portkey', met: own > other });
const lessThanOther = (own, other) => ({ text: 'less than portkey', met: own < other });

function print(headings, lines) {
  console.log(`\n${columns(['', ...headings])}   target`);
  for (const line of lines) {
    if (typeof line === 'string') console.log(`\n${line}`);
    else {
      const { name, unit, figures, aim } = line;
      const verdict = aim ? `   ${aim.text}${aim.met ? '' : '  MISSED'}` : '';
      console.log(columns([`  ${name}, ${unit}`, ...figures.map(figure)]) + verdict);
    }
  }
}

const columns = ([name, ...figures]) => name.padEnd(38) + figures.map((text) => text.padStart(9)).join('');

/** Three digits are more than the noise justifies. */
const figure = (value) =>
  Number.isNaN(value) ? '–' : value >= 100 ? value.toFixed(0) : value.toPrecision(value < 1 ? 2 : 3);

/** Prints the results of `bench:neighbors`. Returns whether every promise is kept. */
export function printNeighbors(tables) {
  let isKept = true;
  for (const { title, rows } of tables) {
    const [idle] = rows;
    const isMet = ({ started }) => started.p99 <= 1_000 && started.p99 <= 5 * idle.started.p99;
    isKept &&= rows.every(isMet);
    print(
      ['start p50', 'p99', '÷ idle', 'end p50', 'p99'],
      [
        `A quiet space beside another one, ${title}: from the call to the start of the run, and to its end`,
        ...rows.map((row) => ({
          name: row.name,
          unit: 'ms',
          figures: [
            row.started.p50,
            row.started.p99,
            row.started.p99 / idle.started.p99,
            row.finished.p50,
            row.finished.p99,
          ],
          aim: row === idle ? undefined : { text: 'p99 ≤ 1,000 and ≤ 5 × idle', met: isMet(row) },
        })),
      ],
    );
  }
  return isKept;
}

/** Prints the first results of `bench:knowledge`, where `mini` is MiniSearch: hits among the first three, in percent, by search. */
export function printHits({ hits, kinds }) {
  const held = ['same', 'forms', 'typos', 'traditional'];
  const share = ({ found, total }) => (100 * found) / total;
  print(Object.keys(hits), [
    'Questions whose document is among the first three',
    ...kinds.map((kind) => {
      const figures = Object.values(hits).map((of) => share(of[kind]));
      const aim = held.includes(kind) && { text: 'words ≥ 95', met: share(hits.words[kind]) >= 95 };
      return { name: `${kind} (${hits.words[kind].total})`, unit: '%', figures, ...(aim && { aim }) };
    }),
  ]);
}

/** Prints how long searches take, alone and while another space has documents read. */
export function printSearches({ alone, beside, passages, uploads, calls, turns, left }) {
  const row = (name, { p50, p95, p99 }, aim) => ({ name, unit: 'ms', figures: [p50, p95, p99], aim });
  const search = (name, found) => row(name, found, { text: 'p95 < 100', met: found.p95 < 100 });
  const noisy = `beside ${uploads.toLocaleString('en')} uploads`;
  const unharmed = beside.chat.p99 <= 1_000 && beside.chat.p99 <= 5 * alone.chat.p99;
  print(
    ['p50', 'p95', 'p99'],
    [
      `${calls} searches of ${passages.toLocaleString('en')} passages`,
      search('alone', alone.search),
      search(noisy, beside.search),
      `${turns} turns of an agent without knowledge`,
      row('alone', alone.chat),
      row(noisy, beside.chat, { text: 'p99 ≤ 1 s and ≤ 5 × alone', met: unharmed }),
      `${left.toLocaleString('en')} of the uploads were still to be read when the calls ended`,
    ],
  );
}
