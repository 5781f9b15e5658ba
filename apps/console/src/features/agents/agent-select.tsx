import type { Agent, AgentListing } from '@platform/contracts';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { NameSelect } from '../../ui/names/name-select.tsx';
import { agentNames, type AgentNameFilter } from './agent-names.ts';

type AgentSelectProps<Value extends string | string[]> = Omit<
  ComponentProps<typeof NameSelect<Agent | AgentListing, AgentNameFilter, Value>>,
  'source' | 'describe' | 'nameOf'
>;

/** A field for agents. Those that the user may not invoke cannot be chosen. */
export function AgentSelect<Value extends string | string[] = string>(props: AgentSelectProps<Value>) {
  const { t } = useTranslation();
  return (
    <NameSelect<Agent | AgentListing, AgentNameFilter, Value>
      placeholder={t('jobs.agentPlaceholder')}
      {...props}
      source={agentNames}
      describe={({ accessible }) => (accessible ? {} : { hint: t('access.notYou'), disabled: true })}
    />
  );
}
