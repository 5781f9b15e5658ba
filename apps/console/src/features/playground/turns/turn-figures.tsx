import type { TokenUsage } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useNumbers } from '../../../ui/format/use-numbers.ts';
import { useWasVisible } from '../../../ui/browser/use-was-visible.ts';
import { getFirstTextMs } from './live-turn.ts';
import { turnQuery } from './turn-query.ts';
import type { TurnView } from './turn-list.ts';

/** Model, tokens, cost, and duration of an answer. Those of older answers are loaded when they become visible. */
export function TurnFigures({ agentId, turn }: { agentId: string; turn: TurnView }) {
  const { t } = useTranslation();
  const line = useRef<HTMLSpanElement>(null);
  const completed = turn.live?.completed ?? null;
  const seen = useWasVisible(line);
  const stored = useQuery({
    ...turnQuery(agentId, turn.turnId),
    enabled: seen && completed === null && turn.live === null,
  });

  const usage: TokenUsage | undefined = completed?.token_usage ?? stored.data?.token_usage;
  const seconds = completed?.execution_time ?? stored.data?.execution_time ?? null;
  const model = turn.live?.model ?? stored.data?.model ?? null;
  const firstText = turn.live && getFirstTextMs(turn.live);
  const { whole, charged } = useNumbers();

  const parts = [
    model,
    usage &&
      t(usage.estimated ? 'figures.tokensEstimated' : 'figures.tokens', {
        total: whole(usage.total_tokens),
        input: whole(usage.prompt_tokens),
        output: whole(usage.completion_tokens),
      }),
    usage && t('figures.cost', { cost: charged(usage.cost, usage.total_tokens) }),
    firstText !== null && t('run.firstText', { seconds: (firstText / 1_000).toFixed(2) }),
    seconds !== null && t('figures.seconds', { seconds: seconds.toFixed(seconds < 10 ? 2 : 1) }),
  ];
  return (
    <span ref={line} className="figures">
      {parts.filter(Boolean).join(' · ')}
    </span>
  );
}
