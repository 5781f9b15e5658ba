import { OFFLINE_MODEL, type Agent } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { chatModelsQuery } from '../../models/models-query.ts';
import { listChoices } from './chosen-model.ts';

interface ModelSelectProps {
  label: string;
  agent: Agent;
  /** The model in place of the agent's. */
  model: string | undefined;
  onChange: (model: string | undefined) => void;
}

/** The model of the agent, or another one of the space. */
export function ModelSelect({ label, agent, model, onChange }: ModelSelectProps) {
  const { t } = useTranslation();
  const models = useQuery(chatModelsQuery);
  const names = models.data?.map(({ name }) => name) ?? [OFFLINE_MODEL];
  return (
    <FilterSelect
      label={label}
      any={t('run.ownModel', { model: agent.model })}
      value={model}
      onChange={onChange}
      options={listChoices(names, agent, model).map((name) => ({ value: name, label: name }))}
      loading={models.isPending}
      width="100%"
    />
  );
}
