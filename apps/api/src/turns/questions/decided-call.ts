import type { JsonObject } from '../../infra/runtime/json.ts';
import { unmasked } from '../../tasks/inbox/hidden-values.ts';
import type { CallAnswer } from '../../tools/calls/call-pause.ts';
import { toConsent, type CallConsent } from '../../tools/policies/call-approval.ts';
import type { DecidedNeed } from './call-needs.ts';

/** A call after the decisions of people. */
export interface DecidedCall {
  /** Without it, the call is made. */
  refusal?: { code: string; message: string };
  input: JsonObject;
  /** What people have given to it. */
  given: { consent?: CallConsent; answer?: CallAnswer };
  approvedBy?: string;
  edited?: true;
}

/** What the decisions of people make of the call that the model wrote: each is about what those before it have made of it. */
export function decideCall(input: JsonObject, decided: readonly DecidedNeed[]): DecidedCall {
  let call: DecidedCall = { input, given: {} };
  for (const { need, decision } of decided) {
    const { approved, by, note } = decision;
    if (need.kind === 'FORM') {
      const values = approved ? (decision.values ?? {}) : null;
      call = { ...call, given: { ...call.given, answer: { state: need.state, values } } };
    } else if (!approved) {
      return { ...call, refusal: refuse(need.kind, note) };
    } else if (need.kind === 'APPROVAL') {
      const edited = decision.arguments
        ? (unmasked(decision.arguments, need.call.arguments, call.input) as JsonObject)
        : null;
      call = {
        ...call,
        input: edited ?? call.input,
        given: { ...call.given, consent: toConsent(need.call, edited, by) },
        approvedBy: by,
        ...(edited !== null && { edited: true }),
      };
    }
  }
  return call;
}

function refuse(kind: 'APPROVAL' | 'CONNECTION', note: string | null): DecidedCall['refusal'] & object {
  const what =
    kind === 'APPROVAL' ? 'A person has rejected the call' : 'The person goes on without the account';
  return { code: 'REJECTED', message: note === null ? what : `${what}: ${note}` };
}

/** The model learns that the call was not the one that it wrote, but no secret that a person has entered. `shown`: the arguments. */
export function withEdits(text: string, { edited }: DecidedCall, shown: JsonObject): string {
  return edited ? `[A person has changed the arguments to ${JSON.stringify(shown)}]\n${text}` : text;
}
