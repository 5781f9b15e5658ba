import { Batched } from './batched.ts';

describe('Batched', () => {
  it('asks the questions of one moment together, and those that come meanwhile', async () => {
    const asked: number[][] = [];
    const doubled = new Batched(async (questions: number[]) => {
      asked.push(questions);
      await Promise.resolve();
      return questions.map((n) => n * 2);
    });
    const first = [1, 2].map((n) => doubled.get(n));
    await Promise.resolve();
    expect(asked).toEqual([[1, 2]]);
    const later = [3, 4, 5].map((n) => doubled.get(n));
    expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10]);
    expect(await doubled.get(6)).toBe(12);
    expect(asked).toEqual([[1, 2], [3, 4, 5], [6]]);
  });

  it('keeps together those whose last answers came together', async () => {
    const asked: number[][] = [];
    const next = new Batched(async (questions: number[]) => {
      asked.push(questions);
      await Promise.resolve();
      return questions.map((n) => n + 10);
    });
    await Promise.all([1, 2, 3].map(async (n) => next.get(await next.get(n))));
    expect(asked).toEqual([
      [1, 2, 3],
      [11, 12, 13],
    ]);
  });

  it('asks at most a hundred at a time', async () => {
    const sizes: number[] = [];
    const same = new Batched(async (questions: number[]) => {
      sizes.push(questions.length);
      return questions;
    });
    await Promise.all(Array.from({ length: 202 }, (_, n) => same.get(n)));
    expect(sizes).toEqual([100, 100, 2]);
  });

  it('fails those who asked together, and goes on', async () => {
    const fussy = new Batched(async (questions: string[]) => {
      if (questions.includes('bad')) throw new Error('No');
      return questions;
    });
    const answers = await Promise.allSettled(['a', 'bad', 'b'].map((question) => fussy.get(question)));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await fussy.get('c')).toBe('c');
  });

  it('asks each by itself where a value is wrong, so that nobody fails for another', async () => {
    const asked: string[][] = [];
    const fussy = new Batched(async (questions: string[]) => {
      asked.push(questions);
      if (questions.includes('bad')) throw Object.assign(new Error('No'), { code: '22021' });
      return questions;
    });
    const answers = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((question) => fussy.get(question)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(asked).toEqual([['a', 'b', 'bad', 'c'], ['a'], ['b'], ['bad'], ['c']]);
  });

  it('does not ask again where the database is in trouble', async () => {
    let asked = 0;
    const broken = new Batched<number, number>(() => {
      asked++;
      return Promise.reject(Object.assign(new Error('Too many connections'), { code: '53300' }));
    });
    const answers = await Promise.allSettled([1, 2, 3].map((n) => broken.get(n)));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(asked).toBe(1);
  });

  describe('with lanes', () => {
    /** Answers a batch when it is told to. */
    const start = () => {
      const asked: string[][] = [];
      const answers: (() => void)[] = [];
      const ask = async (questions: string[]) => {
        asked.push(questions);
        await new Promise<void>((resolve) => answers.push(resolve));
        return questions;
      };
      const laned = new Batched(ask, { laneOf: (question: string) => question.charAt(0) });
      const many = (lane: string, count: number) =>
        Array.from({ length: count }, (_, n) => laned.get(`${lane}${n}`));
      const sizes = () =>
        asked.map(
          (batch) =>
            `${batch.length} ${batch
              .map((question) => question.charAt(0))
              .sort()
              .at(0)}`,
        );
      return { asked, answers, many, sizes };
    };

    it('asks lanes with few questions beside the batch of another one, and together', async () => {
      const { asked, answers, many, sizes } = start();
      const large = many('a', 20);
      await new Promise(setImmediate);
      const few = [...many('b', 1), ...many('c', 2)];
      await new Promise(setImmediate);
      expect(asked.slice(1)).toEqual([['b0', 'c0', 'c1']]);
      answers[1]?.();
      expect(await Promise.all(few)).toEqual(['b0', 'c0', 'c1']);
      answers[0]?.();
      await Promise.all(large);
      expect(sizes()).toEqual(['20 a', '3 b']);
    });

    it('asks one large batch at a time, those that have waited longest first, and loses none', async () => {
      const { answers, many, sizes } = start();
      const all = [...many('a', 20), ...many('b', 20), ...many('c', 1)];
      await new Promise(setImmediate);
      all.push(...many('a', 5), ...many('d', 1));
      for (let answered = 0; answered < answers.length;) {
        await new Promise(setImmediate);
        answers[answered++]?.();
        await new Promise(setImmediate);
      }
      await Promise.all(all);
      expect(sizes()).toEqual(['20 a', '1 c', '20 b', '1 d', '5 a']);
    });

    it('asks questions of one lane one batch after another', async () => {
      const { asked, answers, many } = start();
      const first = many('a', 1);
      await new Promise(setImmediate);
      const second = many('a', 2);
      await new Promise(setImmediate);
      expect(asked).toHaveLength(1);
      answers[0]?.();
      await Promise.all(first);
      await new Promise(setImmediate);
      answers[1]?.();
      await Promise.all(second);
      expect(asked.map(({ length }) => length)).toEqual([1, 2]);
    });
  });

  describe('that gathers', () => {
    const start = (maxMs: number) => {
      const asked: number[][] = [];
      const ask = async (questions: number[]) => {
        asked.push(questions);
        return questions;
      };
      const gathering = { isEnough: (questions: number) => questions >= 3, maxMs };
      return { asked, same: new Batched(ask, { gathering }) };
    };

    it('asks the first question at once, and the next ones when they are enough', async () => {
      const { asked, same } = start(60_000);
      expect(await same.get(1)).toBe(1);
      const first = [2, 3].map((n) => same.get(n));
      await new Promise(setImmediate);
      expect(asked).toEqual([[1]]);
      expect(await Promise.all([...first, same.get(4)])).toEqual([2, 3, 4]);
      expect(await Promise.all([5, 6, 7].map((n) => same.get(n)))).toEqual([5, 6, 7]);
      expect(asked).toEqual([[1], [2, 3, 4], [5, 6, 7]]);
    });

    it('asks fewer once the last batch is long enough ago', async () => {
      const { asked, same } = start(20);
      const since = performance.now();
      await same.get(1);
      expect(await Promise.all([2, 3].map((n) => same.get(n)))).toEqual([2, 3]);
      expect(performance.now() - since).toBeGreaterThan(10);
      expect(asked).toEqual([[1], [2, 3]]);
    });
  });
});
