import { describe, expect, it } from '@jest/globals';
import type { AgentVersion } from '@platform/contracts';
import { compareVersions } from './version-diff.ts';

const AGENT = {
  id: 'a',
  spaceId: 's',
  ownerUserId: 'u',
  name: 'Support',
  description: '',
  model: 'platform/offline',
  systemPrompt: 'Be brief.\nBe kind.',
  accessScope: 'SPACE',
  allowedUserIds: [],
  variables: [],
  tools: [{ toolId: 't1', methods: null, status: 'ready' }],
  localTools: [],
  knowledge: { enabled: false, topK: 5 },
  settings: { temperature: 0.5 },
  askUser: true,
  version: 1,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
} as AgentVersion['agent'];
const NAMES: Record<string, string> = { t1: 'Orders', u1: 'Ada' };
const nameOf = (id: string) => NAMES[id] ?? id;
const compare = (change: Partial<AgentVersion['agent']>) =>
  compareVersions(AGENT, { ...AGENT, ...change }, { tool: nameOf, person: nameOf });

describe('the changes between two versions', () => {
  it('ignore what every version has of its own', () => {
    const tools = [{ toolId: 't1', methods: null, status: 'unknown' as const }];
    expect(compare({ version: 2, updatedAt: '2027-01-01T00:00:00Z', tools })).toEqual([]);
  });

  it('show the lines of the prompt that differ', () => {
    expect(compare({ systemPrompt: 'Be brief.\nBe precise.' })).toEqual([
      {
        field: 'systemPrompt',
        lines: [
          { kind: 'same', text: 'Be brief.' },
          { kind: 'removed', text: 'Be kind.' },
          { kind: 'added', text: 'Be precise.' },
        ],
      },
    ]);
  });

  it('name tools and users, and show settings by name', () => {
    const changes = compare({
      tools: [{ toolId: 't1', methods: ['list', 'get'], status: 'ready' }],
      allowedUserIds: ['u1', 'gone'],
      settings: { temperature: null, top_p: 0.9 },
      description: 'New',
    });
    expect(
      changes.map(({ field, lines }) => [field, lines.map((line) => ('text' in line ? line.text : ''))]),
    ).toEqual([
      ['description', ['New']],
      ['tools', ['Orders: *', 'Orders: list, get']],
      ['settings', ['temperature: 0.5', 'top_p: 0.9']],
      ['allowedUserIds', ['Ada', 'gone']],
    ]);
  });
});
