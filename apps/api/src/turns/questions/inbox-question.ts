import type { NewQuestion } from '../../tasks/inbox/new-question.ts';
import { addressOf, approversOf } from '../../tools/policies/recipients.ts';
import { describePurpose } from './call-needs.ts';
import type { Question } from './question.ts';
import { toForm } from './question-form.ts';

/** What a turn asks, as the inbox shows it, and to whom. */
export function toInboxQuestion(
  question: Question,
  { id, name }: { id: string; name: string },
  requesterId: string,
): { asked: NewQuestion; recipients: string[] } {
  const { need } = question;
  if (need === undefined) {
    const asked = { ...toForm(question), approval: false, recipients: 'owner' as const };
    return { asked, recipients: [requesterId] };
  }
  const { to, recipients, exceptUserId } = addressOf(approversOf(need), requesterId);
  const { purpose, call, path, fields = [] } = describePurpose(need);
  return {
    asked: {
      message: need.message,
      fields,
      approval: true,
      purpose,
      need: { ...(call && { call }), ...(path && { path }), agent: { id, name }, requesterId },
      recipients: to,
      exceptUserId,
    },
    recipients,
  };
}
