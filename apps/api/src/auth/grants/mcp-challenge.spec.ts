import { spaceOfAddress } from './mcp-address.ts';
import { mcpChallenge } from './mcp-challenge.ts';

const SPACE = '01980000-0000-7000-8000-000000000001';
const PUBLIC = 'https://platform.example';

describe('the MCP server of a space', () => {
  it('tells clients where to sign in, and nothing that the path contains', () => {
    const metadata = `resource_metadata="${PUBLIC}/.well-known/oauth-protected-resource/mcp/${SPACE}"`;
    expect(mcpChallenge(PUBLIC, SPACE, false)).toBe(`Bearer ${metadata}, scope="invoke use"`);
    expect(mcpChallenge(PUBLIC, SPACE, true)).toContain('Bearer error="invalid_token", ');
    expect(mcpChallenge(PUBLIC, 'x", error="y', false)).toBe('Bearer');
  });

  it('is known by its address alone', () => {
    const spaceOf = (address: string) => spaceOfAddress(PUBLIC, address);
    for (const own of [SPACE, `${SPACE}/`, SPACE.toUpperCase()])
      expect(spaceOf(`${PUBLIC}/mcp/${own}`)).toBe(SPACE);
    for (const other of [
      `http://platform.example/mcp/${SPACE}`,
      `${PUBLIC}.attacker.example/mcp/${SPACE}`,
      `${PUBLIC}/mcp/${SPACE}/more`,
      `${PUBLIC}/mcp/${SPACE}?x`,
      `${PUBLIC}/api/${SPACE}`,
      PUBLIC,
    ])
      expect([other, spaceOf(other)]).toEqual([other, null]);
  });
});
