import fc from 'fast-check';
import { checkAgainstPayload, checkAgainstType, checkTemplates, closed } from './template-fit.ts';
import { resolveTemplates, type TemplateScope } from './template.ts';

const SCOPE: TemplateScope = {
  inputs: { name: 'Ada', n: 3, no: false, nothing: null, empty: '', list: [{ id: 'x' }, 2], 'a b': 1 },
  trigger: { payload: { total: 12.5, tags: ['new'] } },
  steps: { load: { output: { rows: [[1, 2]] } }, none: { output: null } },
};
const resolve = (value: unknown, scope: Partial<TemplateScope> = {}) =>
  resolveTemplates(value, { ...SCOPE, ...scope });

describe('an expression on its own', () => {
  it.each<[string, unknown]>([
    ['{{inputs.name}}', 'Ada'],
    ['{{ inputs.n }}', 3],
    ['{{inputs.no}}', false],
    ['{{inputs.nothing}}', null],
    ['{{inputs.empty}}', ''],
    ['{{inputs.a b}}', 1],
    ['{{inputs.list}}', [{ id: 'x' }, 2]],
    ['{{inputs.list.0.id}}', 'x'],
    ['{{inputs.list.length}}', 2],
    ['{{trigger.payload.total}}', 12.5],
    ['{{steps.load.output.rows.0.1}}', 2],
    ['{{steps.none.output}}', null],
    ['{{inputs}}', SCOPE.inputs],
  ])('%s keeps its type', (text, value) => expect(resolve(text)).toEqual(value));
});

describe('an expression in a text', () => {
  it.each<[string, string]>([
    ['Hello {{inputs.name}}!', 'Hello Ada!'],
    [' {{inputs.n}}', ' 3'],
    ['{{inputs.n}}{{inputs.no}}{{inputs.nothing}}{{inputs.empty}}', '3falsenull'],
    ['{{inputs.list}} and {{trigger.payload}}', '[{"id":"x"},2] and {"total":12.5,"tags":["new"]}'],
    ['no {expression} {{', 'no {expression} {{'],
    ['{{{inputs.n}}}', '{3}'],
  ])('%s becomes text', (text, value) => expect(resolve(text)).toBe(value));
});

describe('a missing value', () => {
  it.each([
    '{{inputs.other}}',
    '{{inputs.list.2}}',
    '{{inputs.list.push}}',
    '{{inputs.list.00}}',
    '{{inputs.list.-1}}',
    '{{inputs.name.length}}',
    '{{inputs.name.0}}',
    '{{inputs.nothing.x}}',
    '{{inputs.constructor}}',
    '{{inputs.__proto__}}',
    '{{inputs.toString}}',
    '{{steps.later.output}}',
    '{{}}',
    '{{env.HOME}}',
  ])('%s is an error that names it', (text) => {
    expect(() => resolve(text)).toThrow(`${text} has no value`);
    expect(() => resolve(`It is ${text}.`)).toThrow(`${text} has no value`);
  });

  it('of a run without an event says why', () => {
    expect(() => resolve('{{trigger.payload.total}}', { trigger: null })).toThrow(
      '{{trigger.payload.total}} has no value: the run was not started by an event',
    );
  });
});

describe('values', () => {
  it('are resolved at every depth; keys are not', () => {
    const value = { '{{inputs.n}}': [{ to: '{{inputs.name}}', n: 1, no: null }, true] };
    expect(resolve(value)).toEqual({ '{{inputs.n}}': [{ to: 'Ada', n: 1, no: null }, true] });
  });

  it('with keys of the prototype stay own properties', () => {
    const value = JSON.parse('{"__proto__":{"a":"{{inputs.n}}"},"constructor":1}') as object;
    const resolved = resolve(value) as object;
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
    expect(JSON.stringify(resolved)).toBe('{"__proto__":{"a":3},"constructor":1}');
  });

  it('that are inserted are not expanded again', () => {
    const scope = {
      inputs: { text: '{{inputs.secret}} $& $1', secret: 'hidden', object: { a: '{{inputs.secret}}' } },
    };
    expect(resolve('{{inputs.text}}', scope)).toBe('{{inputs.secret}} $& $1');
    expect(resolve('<{{inputs.text}}>', scope)).toBe('<{{inputs.secret}} $& $1>');
    expect(resolve('{{inputs.object}}', scope)).toEqual({ a: '{{inputs.secret}}' });
    expect(resolve('<{{inputs.object}}>', scope)).toBe('<{"a":"{{inputs.secret}}"}>');
  });

  it('never have more than 1 MB', () => {
    const inputs = { big: 'x'.repeat(1024 * 512) };
    expect(resolve('{{inputs.big}}', { inputs })).toBe(inputs.big);
    const twice = Array.from({ length: 2 }, () => '{{inputs.big}}');
    expect(() => resolve(twice, { inputs })).toThrow('at most 1048576 bytes');
    expect(() => resolve('{{inputs.big}}{{inputs.big}}', { inputs })).toThrow('at most 1048576 bytes');
    // The first values that are too much end the work.
    const often = Array.from({ length: 100_000 }, () => '{{inputs.big}}');
    expect(() => resolve(often, { inputs })).toThrow('at most 1048576 bytes');
  });
});

describe('what a task may contain', () => {
  const earlier = new Map([
    ['load', true as const],
    ['tell', closed({ envelopeId: {}, status: {} })],
  ]);
  it.each<[unknown, string[]]>([
    [{ a: ['{{inputs.x}} {{trigger.payload}} {{steps.load.output.a}}'] }, []],
    ['{{ steps.load.output }}', []],
    [1, []],
    ['{{steps.later.output}}', ['has {{steps.later.output}}, but no earlier step has the id later']],
    [
      '{{steps.laod.output}}',
      ['has {{steps.laod.output}}, but no earlier step has the id laod (did you mean load?)'],
    ],
    ['{{steps.tell.output.status.x}}', []],
    [
      '{{steps.tell.output.envelopId}}',
      [
        'has {{steps.tell.output.envelopId}}, but the output of the step has no field envelopId (did you mean envelopeId?)',
      ],
    ],
    [
      '{{trigger.paylod.x}}',
      ['has {{trigger.paylod.x}}, but the trigger has no field paylod (did you mean payload?)'],
    ],
    [
      '{{trigger.depth.x}}',
      ['has {{trigger.depth.x}}, but the trigger has in depth a value of type integer, without a field x'],
    ],
    ['{{trigger.actorUserId}} {{trigger}}', []],
    [
      Array.from({ length: 30 }, () => '{{x}}'),
      ['has {{x}}, which must be a path that starts with inputs, trigger, or steps'],
    ],
    ['{{steps.load}}', ['has {{steps.load}}, which must be {{steps.<id>.output…}}']],
    ['{{steps}}', ['has {{steps}}, which must be {{steps.<id>.output…}}']],
    ['{{input.x}}', ['has {{input.x}}, which must be a path that starts with inputs, trigger, or steps']],
    ['{{inputs..x}}', ['has {{inputs..x}}, which must be a path that starts with inputs, trigger, or steps']],
    ['{{inputs.}}', ['has {{inputs.}}, which must be a path that starts with inputs, trigger, or steps']],
    [`{{inputs.${'x'.repeat(500)}}}`, ['has an expression of more than 500 characters']],
  ])('%j', (value, problems) =>
    expect(checkTemplates(value, { outputs: earlier, names: [] })).toEqual(problems),
  );
});

describe('what the starts of a task allow', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: {
      customer: { type: 'object', additionalProperties: false, properties: { id: { type: 'string' } } },
      items: { type: 'array', items: { type: 'string' } },
      note: { type: ['string', 'null'] },
      open: { type: 'object', properties: { known: {} } },
    },
  };
  it.each([
    ['customer.id', null],
    ['items', null],
    ['items.0', null],
    ['items.length', null],
    ['items.0.anything', null],
    ['open.other.deep', null],
    ['note', null],
    ['custmer.id', 'has no field custmer (did you mean customer?)'],
    ['customer.ib', 'has no field ib (did you mean id?)'],
    ['customer.id.x', 'has in customer.id a value of type string, without a field x'],
    ['items.first', 'has in items a value of type array, without a field first'],
    ['note.length', 'has in note a value of type string or null, without a field length'],
    ['note.x', 'has in note a value of type string or null, without a field x'],
  ])('{{trigger.payload.%s}}', (path, problem) => {
    const expression = `{{trigger.payload.${path}}}`;
    expect(checkAgainstPayload({ a: [`x ${expression}`] }, schema, false)).toEqual(
      problem === null ? [] : [`has ${expression}, but the event ${problem}`],
    );
    const item = expression.replace('payload', 'items.0.payload');
    expect(checkAgainstPayload(item, schema, true)).toEqual(
      problem === null ? [] : [`has ${item}, but the event ${problem}`],
    );
    expect(checkAgainstPayload(expression, true, false)).toEqual([]);
    expect(checkAgainstPayload(expression, { anyOf: [schema] }, false)).toEqual([]);
  });

  it('a batch has items in place of a payload', () => {
    const check = (expression: string, isBatch: boolean) => checkAgainstPayload(expression, schema, isBatch);
    for (const items of ['{{trigger.items}}', '{{trigger.items.0.id}}', '{{trigger.itemCount}}']) {
      expect(check(items, true)).toEqual([]);
      expect(check(items, false)).toEqual([`has ${items}, but the events are not collected in batches`]);
    }
    expect(check('{{trigger.items ?? []}}', false)).toEqual([]);
    expect(check('{{trigger.payload.total}}', true)).toEqual([
      'has {{trigger.payload.total}}, but a batch has a payload for each event, such as {{trigger.items.0.payload}}',
    ]);
    expect(check('{{trigger.payload.total ?? 0}}', true)).toEqual([]);
    expect(check('{{trigger.id}}', true)).toEqual([]);
  });

  it('a task that no event starts has no trigger', () => {
    expect(checkAgainstType('{{trigger.id}}', 'EVENT')).toEqual([]);
    expect(checkAgainstType('{{inputs.trigger}}', 'MANUAL')).toEqual([]);
    expect(checkAgainstType('{{trigger.id}}', 'SCHEDULE')).toEqual([
      'has {{trigger.id}}, but no event starts a task of type SCHEDULE',
    ]);
  });
});

describe('any value', () => {
  const json = fc.jsonValue({ depthSize: 'medium' });
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('{', '}', '{{', '}}', 'inputs.', 'n', ' ') }),
  );

  it('without expressions stays as it is', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('{{'));
    fc.assert(fc.property(plain, (value) => expect(resolve(value)).toEqual(value)));
  });

  it('is inserted unchanged, on its own', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(resolve('{{inputs.value}}', { inputs: { value } })).toEqual(value);
        expect(resolve({ a: ['{{inputs.value}}'] }, { inputs: { value } })).toEqual({ a: [value] });
      }),
    );
  });

  it('is inserted into a text once, as text or JSON', () => {
    fc.assert(
      fc.property(json, (value) => {
        const inserted = typeof value === 'string' ? value : JSON.stringify(value);
        expect(resolve('<{{inputs.value}}>', { inputs: { value } })).toBe(`<${inserted}>`);
      }),
    );
  });

  it('is found by the path that leads to it', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '0', '_', '-'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 5 }), json, (path, value) => {
        const inputs = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
        const scope = { inputs: inputs as Record<string, unknown> };
        expect(resolve(`{{inputs.${path.join('.')}}}`, scope)).toEqual(value);
      }),
    );
  });

  it('resolves or has a problem, whatever the text is: what passes the check is missing at worst', () => {
    fc.assert(
      fc.property(text, (template) => {
        try {
          resolve(template);
        } catch (error) {
          expect((error as Error).message).toMatch(/ has no value$/);
        }
      }),
    );
  });
});
