import type { Approvers, QuestionRecipients } from '@platform/contracts';
import { ADMINS } from '../../tasks/inbox/new-question.ts';

/** To whom the inbox addresses the approval of a call. */
export interface ApprovalAddress {
  /** As the question says. */
  to: QuestionRecipients;
  recipients: string[];
  exceptUserId: string | null;
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
