/** Prints what was measured: the service, the bare client, their ratio and the aim. */
export function printTable({ ours, bare, streams, rate, seconds, turns, tokens }) {
  const row = (name, unit, pick, aim) => ({ name, unit, ours: pick(ours), bare: pick(bare), aim });
  const atMost = (limit) => ({ text: `≤ ${limit}`, met: ({ ours }) => ours <= limit });
  const above = (limit) => ({ text: `≤ ${limit} above it`, met: ({ ours, bare }) => ours - bare <= limit });
  print([
    `${streams} streams × ${rate} tokens/s for ${seconds} s, counted while all are open`,
    row('CPU per token', 'µs', (of) => of.paced.cpu, above(25)),
    row('delay of a delta, p50', 'ms', (of) => of.paced.p50),
    row('delay of a delta, p99', 'ms', (of) => of.paced.p99, atMost(150)),
    row('memory per stream, above idle', 'MB', (of) => of.paced.memory, atMost(1)),
    `${turns} turns, one after the other`,
    row('request in → model called, p50', 'ms', (of) => of.idle.called, atMost(8)),
    row('first byte → first delta, p50', 'ms', (of) => of.idle.first, atMost(3)),
    `One burst of ${tokens.toLocaleString('en')} tokens`,
    row('CPU per token', 'µs', (of) => of.burst.cpu),
    row('the whole turn', 'ms', (of) => of.burst.ms),
  ]);
}

function print(lines) {
  console.log(`\n${columns(['', 'service', 'openai', 'ratio'])}   aim`);
  for (const line of lines) {
    if (typeof line === 'string') console.log(`\n${line}`);
    else {
      const { name, unit, ours, bare, aim } = line;
      const verdict = aim ? `   ${aim.text}${aim.met(line) ? '' : '  MISSED'}` : '';
      console.log(columns([`  ${name}, ${unit}`, figure(ours), figure(bare), figure(ours / bare)]) + verdict);
    }
  }
}

const columns = ([name, ...figures]) => name.padEnd(38) + figures.map((text) => text.padStart(9)).join('');

/** Three digits are more than the noise leaves. */
const figure = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(value < 1 ? 2 : 3));
