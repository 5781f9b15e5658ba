import { CALL_MODES, type Approvers, type CallPolicy } from '@platform/contracts';
import fc from 'fast-check';
import { verifies } from '../../../e2e/verifies.ts';
import {
  mayApprove,
  policiesProblem,
  policyOf,
  policyProblem,
  resolvePolicy,
  toPolicy,
} from './call-policy.ts';

const ID = '0199d0f4-0000-7000-8000-000000000001';
const approvers: fc.Arbitrary<Approvers> = fc.constantFrom<Approvers>('requester', 'admins', 'others', {
  userIds: [ID],
});
const policy: fc.Arbitrary<CallPolicy> = fc.record({ mode: fc.constantFrom(...CALL_MODES), approvers });
const caller = fc.option(fc.record({ rule: fc.constantFrom<'agent' | 'step'>('agent', 'step'), policy }));
const rules = fc.record({
  kind: fc.constantFrom('http', 'builtin', 'speech', 'mcp'),
  acts: fc.boolean(),
  method: fc.option(policy),
  caller,
});
const strictness = ({ mode }: CallPolicy) => CALL_MODES.indexOf(mode);

describe('the policy of a call', () => {
  verifies(
    'approval.policy',
    'is never more lenient than what an admin has set, nor approved by others',
    async () => {
      fc.assert(
        fc.property(rules, (given) => {
          const { policy: resolved, rule } = resolvePolicy(given);
          if (given.method !== null) {
            expect(strictness(resolved)).toBeGreaterThanOrEqual(strictness(given.method));
            if (given.method.mode.startsWith('ask'))
              expect(resolved.approvers).toEqual(given.method.approvers);
          }
          // The rule that is named has set the mode.
          const by = {
            default: null,
            method: given.method,
            agent: given.caller?.policy,
            step: given.caller?.policy,
          };
          if (rule !== 'default') expect(by[rule]?.mode).toBe(resolved.mode);
          else expect([given.method, given.caller]).toEqual([null, null]);
          if (
            [given.method, given.method === null ? null : given.caller?.policy].some(
              (one) => one?.mode === 'never',
            )
          )
            expect(resolved.mode).toBe('never');
        }),
      );
    },
  );

  verifies(
    'approval.policy',
    'runs what existed before, and asks for methods of MCP servers that act',
    async () => {
      const modeOf = (kind: string, acts: boolean) =>
        resolvePolicy({ kind, acts, method: null, caller: null });
      for (const kind of ['http', 'builtin', 'speech']) expect(modeOf(kind, true).policy.mode).toBe('run');
      expect(modeOf('mcp', false).policy.mode).toBe('run');
      expect(modeOf('mcp', true)).toEqual({
        policy: { mode: 'ask', approvers: 'requester' },
        rule: 'default',
      });
    },
  );

  it('of an agent is that of the method, or of all others', () => {
    const policies = { '*': { mode: 'ask' as const }, find: { mode: 'run' as const } };
    expect(policyOf(policies, 'find')?.mode).toBe('run');
    expect(policyOf(policies, 'constructor')?.mode).toBe('ask');
    expect(policyOf({}, 'constructor')).toBeNull();
    expect(policyOf(null, 'find')).toBeNull();
    expect(toPolicy({ mode: 'ask', approvers: { userIds: [ID.toUpperCase(), ID] } })).toEqual({
      mode: 'ask',
      approvers: { userIds: [ID] },
    });
  });

  it('names what is wrong with it', () => {
    for (const wrong of [null, 'ask', {}, { mode: 'maybe' }, { mode: 'ask', approvers: [] }])
      expect(policyProblem(wrong)).toMatch(/^must/);
    for (const userIds of [[], ['me'], Array.from({ length: 51 }, () => ID)])
      expect(policyProblem({ mode: 'ask', approvers: { userIds } })).toMatch(/^must/);
    expect(policyProblem({ mode: 'ask', by: 'me' })).toMatch(/^must/);
    expect(policyProblem({ mode: 'never' })).toBeNull();
    expect(policiesProblem({ 'a b': { mode: 'ask' } })).toMatch(/^must/);
    expect(policiesProblem({ a: { mode: 'no' } })).toContain('that of a must');
    expect(policiesProblem({ '*': { mode: 'ask', approvers: { userIds: [ID] } } })).toBeNull();
  });

  it('says who approves', () => {
    const person = (userId: string, role = 'MEMBER') => ({ userId, role });
    const admin = person('admin', 'ADMIN');
    expect(mayApprove('requester', person('a'), 'a')).toBe(true);
    expect(mayApprove('requester', admin, 'a')).toBe(false);
    expect(mayApprove('admins', admin, 'admin')).toBe(true);
    expect(mayApprove('admins', person('a'), 'a')).toBe(false);
    expect(mayApprove('others', admin, 'admin')).toBe(false);
    expect(mayApprove('others', admin, 'a')).toBe(true);
    expect(mayApprove('others', person('b'), 'a')).toBe(false);
    expect(mayApprove({ userIds: ['b'] }, person('b'), 'a')).toBe(true);
    expect(mayApprove({ userIds: ['b'] }, admin, 'a')).toBe(false);
  });
});
