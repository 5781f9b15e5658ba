import type { TokenUsage } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useWasVisible } from '../../ui/use-was-visible.ts';
import { turnQuery } from './turn-query.ts';
import type { TurnView } from './turn-list.ts';

/** Model, tokens, cost, and duration of an answer. Those of older answers are loaded when they become visible. */
export function TurnFigures({ agentId, turn }: { agentId: string; turn: TurnView }) {
  const { t, i18n } = useTranslation();
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
  const number = new Intl.NumberFormat(i18n.language);
  const cost = new Intl.NumberFormat(i18n.language, { maximumSignificantDigits: 3 });

  const parts = [
    model,
    usage &&
      t(usage.estimated ? 'figures.tokensEstimated' : 'figures.tokens', {
        total: number.format(usage.total_tokens),
        input: number.format(usage.prompt_tokens),
        output: number.format(usage.completion_tokens),
      }),
    usage && (usage.cost > 0 ? t('figures.cost', { cost: cost.format(usage.cost) }) : t('figures.free')),
    seconds !== null && t('figures.seconds', { seconds: seconds.toFixed(seconds < 10 ? 2 : 1) }),
  ];
  return (
    <span ref={line} className="figures">
      {parts.filter(Boolean).join(' · ')}
    </span>
  );
}
