import type { Approvers, QuestionRecipients } from '@platform/contracts';
import { ADMINS } from '../../tasks/inbox/new-question.ts';
import type { CallNeed } from '../calls/call-pause.ts';

/** To whom the inbox addresses the approval of a call. */
export interface ApprovalAddress {
  /** As the question says. */
  to: QuestionRecipients;
  recipients: string[];
  exceptUserId: string | null;
}

/** Who can give a call what it needs. */
export function approversOf(need: CallNeed): Approvers {
  if (need.kind === 'APPROVAL') return need.call.approvers;
  return need.kind === 'CONNECTION' && need.owner === 'space' ? 'admins' : 'requester';
}

export function addressOf(approvers: Approvers, requesterId: string): ApprovalAddress {
  switch (approvers) {
    case 'requester':
      return { to: 'owner', recipients: [requesterId], exceptUserId: null };
    case 'admins':
      return { to: 'admins', recipients: [ADMINS], exceptUserId: null };
    case 'others':
      return { to: 'admins', recipients: [ADMINS], exceptUserId: requesterId };
    default:
      return { to: approvers, recipients: approvers.userIds, exceptUserId: null };
  }
}
