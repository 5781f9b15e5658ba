import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUnsavedInput } from '../../../ui/browser/unsaved-input.ts';
import { useSession } from '../../auth/session.ts';
import { keepText, readText } from '../kept-text.ts';
import { applyError, createUnnamedId, type LiveTurn } from './live-turn.ts';

/** A message that the service has not answered, so that nobody else has it. */
type Unsent = LiveTurn & { call: NonNullable<LiveTurn['call']>; contents: NonNullable<LiveTurn['contents']> };

const isUnsent = (turn: LiveTurn): turn is Unsent =>
  turn.call !== null && turn.jobId === null && turn.lastSeq === 0 && turn.answered.length === 0;

/**
 * Keeps the last message as long as it is not sent, like what is written: in this tab, for this user in this space. `left` is the one
 * of an earlier page. A chat can be sent again under its id; whether anything else should be, the user decides.
 */
export function useUnsent(agentId: string, sessionId: string) {
  const { t } = useTranslation();
  const { user, space } = useSession();
  const name = `unsent.${user.id}.${space.id}.${agentId}.${sessionId}`;
  const [left] = useState((): Unsent | null => {
    const turn = JSON.parse(readText(name) ?? 'null') as Unsent | null;
    if (turn === null || turn.call.kind === 'chat') return turn;
    const failed = turn.state === 'ended' ? turn : applyError(turn, new Error(t('playground.unsent')));
    return { ...failed, call: turn.call, contents: turn.contents, turnId: createUnnamedId() };
  });
  const isLost = useRef(false);
  useUnsavedInput('?session', () => isLost.current);
  const useKept = (last: LiveTurn | undefined) => {
    const text = last !== undefined && isUnsent(last) ? JSON.stringify(last) : '';
    useEffect(() => {
      isLost.current = !keepText(name, text);
    }, [text]);
  };
  return { left, useKept, forget: () => keepText(name, '') };
}
