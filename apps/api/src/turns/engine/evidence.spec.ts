import { countTokens } from '../../models/port/tokens.ts';
import type { Step, StoredDocument, StoredSearch } from '../records/steps.ts';
import type { TurnSettings } from '../records/turn.ts';
import { evidenceBlock } from '../context/evidence-block.ts';
import { fitSearch, queryOf, roomFor, searchesOf } from './evidence.ts';
import type { ActiveTurn } from './active-turn.ts';

const document = (id: string, text: string): StoredDocument => ({
  id,
  title: `Title ${id}`,
  heading: 'Heading',
  text,
  score: 0.5,
  source: 'knowledge',
});
const search = (...documents: StoredDocument[]): StoredSearch => ({ query: 'q', documents, retrievalMs: 1 });
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
const settings = (more: Partial<TurnSettings>) => ({ disableWebSearch: false, ...more }) as TurnSettings;

describe('what a turn asks to be searched', () => {
  it('follows its settings', () => {
    expect(searchesOf(settings({}))).toEqual([]);
    expect(searchesOf(settings({ knowledge: true, internet: true }))).toEqual(['knowledge', 'web']);
    expect(searchesOf(settings({ internet: true, disableWebSearch: true }))).toEqual([]);
  });

  it('is the beginning of the first text of the user', () => {
    const step = (...texts: string[]): Step => ({
      id: 's',
      n: 1,
      tokens: 1,
      kind: 'user',
      content: { parts: texts.map((text) => ({ type: 'text', text })) },
    });
    expect(queryOf([step('first', 'second')])).toBe('first');
    expect(queryOf([step('x'.repeat(5_000))])).toHaveLength(1_000);
    expect(queryOf([step(`${'x'.repeat(999)}😀`)]).isWellFormed()).toBe(true);
    expect(queryOf([])).toBe('');
  });
});

describe('the room of evidence', () => {
  const room = (contextWindow: number, own: number, others: number) =>
    roomFor({ model: { contextWindow }, steps: [{ tokens: own }] } as unknown as ActiveTurn, others);

  it('is a quarter of the window, or what the message leaves', () => {
    expect(room(8_000, 100, 1_000)).toBe(1_900);
    expect(room(8_000, 6_000, 1_000)).toBe(900);
    expect(room(8_000, 7_500, 1_000)).toBe(0);
  });

  it('is kept', async () => {
    const found = search(...['a', 'b', 'c', 'd'].map((id) => document(id, words(100))));
    for (const tokens of [200, 400, 700, 1_000, 5_000]) {
      const fitted = await fitSearch(found, tokens);
      expect(await countTokens(evidenceBlock([fitted]))).toBeLessThanOrEqual(tokens + 100);
      expect(fitted.documents.map(({ id }) => id)).toEqual(
        ['a', 'b', 'c', 'd'].slice(0, fitted.documents.length),
      );
    }
    expect((await fitSearch(found, 5_000)).documents).toHaveLength(4);
    const huge = search(document('a', 'x'.repeat(60_000)), document('b', 'x'.repeat(60_000)));
    expect((await fitSearch(huge, 1_000_000)).documents).toHaveLength(1);
  });

  it('cuts the best document if none fits, and says so if even that is too much', async () => {
    const found = search(document('a', words(500)), document('b', 'short'));
    const { documents } = await fitSearch(found, 400);
    expect(documents.map(({ id, text }) => [id, text.endsWith('…')])).toEqual([['a', true]]);
    expect(await fitSearch(found, 10)).toMatchObject({
      documents: [],
      notice: 'The text that was found does not fit into the context of the model',
    });
    expect(await fitSearch(search(), 0)).toEqual(search());
  });
});
