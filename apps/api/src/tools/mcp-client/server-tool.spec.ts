import { methodName, readServerTool, type ServerTool } from './server-tool.ts';

const read = (tool: object): ServerTool => {
  const found = readServerTool({ name: 't', inputSchema: { type: 'object' }, ...tool });
  if (typeof found === 'string') throw new Error(found);
  return found;
};

describe('readServerTool', () => {
  it('takes the schemas as ports, in the dialect that is validated', () => {
    const { definition } = read({
      inputSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'urn:x',
        type: 'object',
        properties: { pair: { type: 'array', items: [{ type: 'string' }], additionalItems: false } },
        required: ['pair'],
      },
      outputSchema: { type: 'array', items: { type: 'string' } },
    });
    expect(definition.inputSchema).toEqual({
      type: 'object',
      properties: {
        pair: {
          type: 'array',
          prefixItems: [{ type: 'string' }],
          items: false,
          additionalItems: false,
          isPort: true,
        },
      },
      required: ['pair'],
    });
    expect(definition.outputSchema).toEqual({ type: 'array', items: { type: 'string' } });
  });

  it('acts unless the server says, as a boolean, that it only reads', () => {
    const acts = (annotations: unknown) => read({ annotations }).definition.acts;
    expect([true, false, 'true', null].map((readOnlyHint) => acts({ readOnlyHint }))).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect([acts('readOnly'), acts([{ readOnlyHint: true }]), acts(undefined)]).toEqual([true, true, true]);
  });

  it('has another hash for whatever the server says differently, and the same for another order of keys', () => {
    const one = read({ description: 'a', annotations: { title: 'x' } }).hash;
    expect(read({ annotations: {}, description: 'a' }).hash).toBe(one);
    const other = [
      { description: 'b' },
      { description: 'a', title: 'T' },
      { description: 'a', inputSchema: { type: 'object', properties: {} } },
      { description: 'a', outputSchema: { type: 'object' } },
      { description: 'a', annotations: { readOnlyHint: true } },
      // What is not imported can change the meaning of what is.
      { description: 'a', inputSchema: { type: 'object', $comment: 'x' } },
    ].map((tool) => read(tool).hash);
    expect(new Set([one, ...other]).size).toBe(7);
    let deep: unknown = { type: 'string' };
    for (let i = 0; i < 900; i++) deep = { items: deep };
    expect(read({ inputSchema: { type: 'object', properties: { deep } } }).hash).not.toBe(one);
  });

  it('cuts references that cannot be followed, and keeps those that can', () => {
    const { definition, reasons } = read({
      inputSchema: {
        type: 'object',
        properties: {
          tree: { $ref: '#/$defs/tree' },
          far: { $ref: 'https://example.com/x', title: 'Far' },
          loop: { $ref: '#/properties/loop' },
        },
        $defs: { tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } } },
      },
    });
    expect(definition.inputSchema.properties).toEqual({
      tree: { $ref: '#/$defs/tree', isPort: true },
      far: { title: 'Far', isPort: true },
      loop: { isPort: true },
    });
    expect(reasons).toHaveLength(2);
    const chain = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
    );
    expect(read({ inputSchema: { type: 'object', $defs: chain } }).reasons[0]).toContain('without end');
  });

  it('keeps values as they are, and schemas of fields that are named like keywords', () => {
    const order = { items: ['a'], $ref: 'b', default: { items: ['c'] } };
    const { definition, reasons } = read({
      inputSchema: {
        type: 'object',
        properties: {
          order: { type: 'object', default: order, examples: [order], enum: [order] },
          fixed: { const: order },
          default: { items: [{ type: 'string' }] },
        },
      },
    });
    expect(definition.inputSchema.properties).toEqual({
      order: { type: 'object', default: order, examples: [order], enum: [order], isPort: true },
      fixed: { const: order, isPort: true },
      default: { prefixItems: [{ type: 'string' }], isPort: true },
    });
    expect(reasons).toEqual([]);
  });

  it('keeps names and types of what is too large, so that no valid call is refused', () => {
    const properties = { a: { type: 'array', description: 'x'.repeat(300_000) }, b: { anyOf: [] } };
    const { definition, reasons } = read({
      inputSchema: { type: 'object', properties, required: ['a', 7] },
      outputSchema: { type: 'object', properties },
    });
    expect(definition).toMatchObject({
      inputSchema: {
        properties: { a: { type: 'array', isPort: true }, b: { isPort: true } },
        required: ['a'],
      },
      outputSchema: { type: 'object', properties: {} },
    });
    expect(reasons).toHaveLength(2);
  });

  it('stores no text that the database refuses', () => {
    const { definition } = read({
      description: 'a\0b\ud800',
      inputSchema: { type: 'object', properties: { 'k\0': { title: '\0' } } },
    });
    expect(definition.description).toBe('ab\ufffd');
    expect(JSON.stringify(definition)).not.toContain('\\u0000');
    expect(readServerTool({ name: 'a\nb', inputSchema: {} })).toBe('A tool without a name was skipped');
  });
});

describe('annotations of headers', () => {
  const isTaken = (property: object) => {
    const inputSchema = { type: 'object', properties: { a: property } };
    return typeof readServerTool({ name: 't', inputSchema }) !== 'string';
  };
  const header = { type: 'string', 'x-mcp-header': 'Region' };

  it('are taken where values are plain and names are tokens', () => {
    expect(isTaken(header)).toBe(true);
    expect(isTaken({ type: 'object', properties: { b: header } })).toBe(true);
    expect(isTaken({ type: 'object', properties: { 'x-mcp-header': { type: 'number' } } })).toBe(true);
    expect(isTaken({ type: 'string', default: { 'x-mcp-header': 1 } })).toBe(true);
  });

  it('exclude their tool anywhere else', () => {
    for (const name of ['', 'a b', 'a:b', 'größe', 'a\n', 7, null])
      expect(isTaken({ type: 'string', 'x-mcp-header': name })).toBe(false);
    for (const type of ['number', 'object', 'array', 'null', undefined, ['string']])
      expect(isTaken({ ...header, type })).toBe(false);
    expect(isTaken({ type: 'array', items: header })).toBe(false);
    expect(isTaken({ oneOf: [header] })).toBe(false);
    const lower = { ...header, 'x-mcp-header': 'region' };
    expect(isTaken({ type: 'object', properties: { b: header, c: lower } })).toBe(false);
  });
});

describe('methodName', () => {
  it('keeps a name that can be one, and makes others unique, ignoring case', () => {
    expect(methodName('get_forecast', new Set())).toBe('get_forecast');
    const taken = new Set(['get_forecast']);
    expect(methodName('GET_forecast', taken)).toMatch(/^GET_forecast_[0-9a-f]{8}$/);
    expect(methodName('a/b', new Set())).toBe('a_b');
    expect(methodName('a.b', new Set(['a_b']))).toMatch(/^a_b_[0-9a-f]{8}$/);
    const long = methodName('天气'.repeat(60), new Set());
    expect([long.length <= 64, /^[A-Za-z0-9_-]+$/.test(long)]).toEqual([true, true]);
    const second = methodName('a.b', new Set(['a_b']));
    expect(methodName('a.b', new Set(['a_b', second]))).not.toBe(second);
  });
});
