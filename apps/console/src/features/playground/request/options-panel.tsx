import type { Agent, AgentListing } from '@platform/contracts';
import { Button, Input, InputNumber, Switch } from 'antd';
import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { isFullAgent } from '../../agents/agent.ts';
import { MODEL_PARAMETERS } from '../../agents/form/model-parameters.ts';
import {
  getVariable,
  hasInputs,
  listMissing,
  listPromptVariables,
  NEW_OPTIONS,
  type RunOptions,
} from './call.ts';
import { ModelSelect } from './model-select.tsx';
import { SaveOptions } from './save-options.tsx';
import './options-panel.css';
import { VariableRows } from './variable-rows.tsx';

interface OptionsPanelProps {
  /** Null for options that several agents share. */
  agent: Agent | AgentListing | null;
  options: RunOptions;
  onChange: (options: RunOptions) => void;
}

/** What the next messages are sent with: the variables of the prompt, the model, its parameters, and switches. */
export function OptionsPanel({ agent, options, onChange }: OptionsPanelProps) {
  const { t } = useTranslation();
  const change = (changes: Partial<RunOptions>) => onChange({ ...options, ...changes });
  const isChat = options.kind === 'chat';
  const touched = JSON.stringify(options) !== JSON.stringify({ ...NEW_OPTIONS, kind: options.kind });
  return (
    <div className="options-panel">
      {agent && <Variables agent={agent} options={options} onChange={(variables) => change({ variables })} />}
      {agent && isFullAgent(agent) && (
        <section>
          <h2>{t('run.model')}</h2>
          <ModelSelect
            label={t('run.model')}
            agent={agent}
            model={options.model}
            onChange={(model) => onChange(without(options, model))}
          />
        </section>
      )}
      <ParameterFields agent={agent} options={options} onChange={(parameters) => change({ parameters })} />
      <section>
        <h2>{t('run.switches')}</h2>
        {isChat || (options.kind === 'job' && !hasInputs(options)) ? (
          <>
            <Toggle
              label={t('run.askOnly')}
              hint={t('run.askOnlyHint')}
              checked={options.askOnly}
              onChange={(askOnly) => change({ askOnly })}
            />
            <Toggle
              label={t('run.noWebSearch')}
              checked={options.noWebSearch}
              onChange={(noWebSearch) => change({ noWebSearch })}
            />
          </>
        ) : null}
        {!isChat && (
          <>
            <Toggle
              label={t('run.memory')}
              hint={t('run.memoryHint')}
              checked={options.memory}
              onChange={(memory) => change({ memory })}
            />
            <Toggle
              label={t('run.context')}
              checked={options.context}
              onChange={(context) => change({ context })}
            />
            <Toggle
              label={t('run.internet')}
              checked={options.internet}
              onChange={(internet) => change({ internet })}
            />
          </>
        )}
      </section>
      <div className="row wrap">
        {agent && isFullAgent(agent) && <SaveOptions agent={agent} options={options} onSaved={onChange} />}
        <Button
          size="small"
          disabled={!touched}
          onClick={() => onChange({ ...NEW_OPTIONS, kind: options.kind })}
        >
          {t('run.reset')}
        </Button>
        {agent && isFullAgent(agent) && <Link to={paths.agent(agent.id)}>{t('playground.configure')}</Link>}
      </div>
    </div>
  );
}

function without({ model: _, ...options }: RunOptions, model: string | undefined): RunOptions {
  return model === undefined ? options : { ...options, model };
}

function Variables({
  agent,
  options,
  onChange,
}: {
  agent: Agent | AgentListing;
  options: RunOptions;
  onChange: (values: RunOptions['variables']) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  const variables = listPromptVariables(agent);
  const isChat = options.kind === 'chat';
  if (variables?.length === 0) return null;
  if (variables === null && isChat) return null;
  const missing = variables === null || isChat ? [] : listMissing(variables, options.variables);
  return (
    <section>
      <h2>{t('run.variables')}</h2>
      <p className="muted">{t(isChat ? 'run.variablesOfChat' : 'run.variablesText')}</p>
      {variables === null ? (
        <VariableRows values={options.variables} onChange={onChange} />
      ) : (
        variables.map(({ name, description, default: value }) => (
          <div key={name} className="option">
            <label htmlFor={`${id}${name}`} className="mono">
              {name}
              {missing.includes(name) && <span className="muted"> · {t('run.required')}</span>}
            </label>
            <Input.TextArea
              id={`${id}${name}`}
              autoSize={{ minRows: 1, maxRows: 6 }}
              disabled={isChat}
              value={getVariable(options.variables, name)}
              placeholder={value}
              onChange={({ target }) => onChange({ ...options.variables, [name]: target.value })}
            />
            {description !== undefined && description !== '' && (
              <small className="muted">{description}</small>
            )}
          </div>
        ))
      )}
    </section>
  );
}

function ParameterFields({
  agent,
  options,
  onChange,
}: {
  agent: Agent | AgentListing | null;
  options: RunOptions;
  onChange: (parameters: RunOptions['parameters']) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  const { kind, parameters } = options;
  const set = (name: (typeof MODEL_PARAMETERS)[number]['name'], value: number | null) => {
    const { [name]: _, ...others } = parameters;
    onChange(value === null ? others : { ...others, [name]: value });
  };
  return (
    <section>
      <h2>{t('run.parameters')}</h2>
      {MODEL_PARAMETERS.map(({ name, ...limits }) => {
        const own = agent && isFullAgent(agent) ? agent.settings[name] : undefined;
        // An execution takes a narrower range than a chat.
        const range = name === 'temperature' && kind !== 'chat' ? { ...limits, max: 1 } : limits;
        return (
          <div key={name} className="option inline">
            <label htmlFor={`${id}${name}`}>{t(`settings.${name}`)}</label>
            <InputNumber
              id={`${id}${name}`}
              {...range}
              size="small"
              value={parameters[name] ?? null}
              placeholder={own === undefined || own === null ? t('run.default') : String(own)}
              onChange={(value) => set(name, value)}
            />
          </div>
        );
      })}
    </section>
  );
}

function Toggle({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="option inline">
      <span>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && <small className="muted">{hint}</small>}
      </span>
      <Switch id={id} size="small" checked={checked} onChange={onChange} />
    </div>
  );
}
