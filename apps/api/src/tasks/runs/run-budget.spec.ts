import { MAX_LOG_BYTES, MAX_VALUE_BYTES, MAX_VALUES_BYTES, RunBudget } from './run-budget.ts';

describe('the budget of an attempt', () => {
  it('drops what exceeds the log, once and for all steps, and says so', () => {
    const budget = new RunBudget();
    const first = budget.openLog();
    const line = 'ä'.repeat(10_000);
    for (let i = 0; i < 20; i++) first.add(line);
    first.add('short enough, but too late');
    const second = budget.openLog();
    second.add('also dropped');
    expect(first.text.split('\n').slice(0, 13)).toEqual(Array(13).fill(line));
    expect(first.text.split('\n')).toHaveLength(15);
    expect(first.text).toMatch(/the rest was dropped\.\n$/);
    expect(second.text).toBe('');
    expect(Buffer.byteLength(first.text)).toBeLessThan(MAX_LOG_BYTES + 100);
  });

  it('keeps a log that fits exactly', () => {
    const log = new RunBudget().openLog();
    log.add('x'.repeat(MAX_LOG_BYTES - 1));
    expect(log.text).toHaveLength(MAX_LOG_BYTES);
    log.add('');
    expect(log.text).toContain('the rest was dropped');
  });

  it('counts the bytes of values, each and together', () => {
    const budget = new RunBudget();
    const most = 'x'.repeat(MAX_VALUE_BYTES - 2);
    expect(budget.format(most, 'It')).toHaveLength(MAX_VALUE_BYTES);
    expect(() => budget.format(`${most}y`, 'It')).toThrow(`It has ${MAX_VALUE_BYTES + 1} bytes`);
    for (let i = 1; i < MAX_VALUES_BYTES / MAX_VALUE_BYTES; i++) budget.format(most, 'It');
    expect(() => budget.format('x', 'This')).toThrow('This exceeds them');
  });

  it('refuses what is no JSON, and takes undefined for null', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(() => new RunBudget().format(circle, 'The output')).toThrow('The output is not a JSON value');
    expect(() => new RunBudget().format(1n, 'The output')).toThrow('The output is not a JSON value');
    expect(new RunBudget().format(undefined, 'The output')).toBe('null');
    expect(new RunBudget().format(() => 1, 'The output')).toBe('null');
  });

  it('continues with what an attempt that was handed over has left', () => {
    const used = { logBytes: MAX_LOG_BYTES - 3, valueBytes: MAX_VALUES_BYTES - 3 };
    const budget = new RunBudget(used);
    expect(budget.format(12, 'It')).toBe('12');
    expect(() => budget.format(12, 'It')).toThrow('exceeds them');
    const log = budget.openLog();
    for (const line of ['a', 'b', 'c']) log.add(line);
    expect(log.text).toBe('a\n… The log of a run has at most 256 KB; the rest was dropped.\n');
    const full = new RunBudget({ ...used, logBytes: MAX_LOG_BYTES }).openLog();
    full.add('a');
    expect(full.text).toBe('');
  });
});
