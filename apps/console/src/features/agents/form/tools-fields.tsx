import { Form, InputNumber, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { AgentToolsField } from './agent-tools-field.tsx';
import { CURRENT_TIME } from './agent-values.ts';

/** The built-in tools of the agent, and its search of the documents. */
export function ToolSwitches() {
  const { t } = useTranslation();
  const isSearching = Form.useWatch<boolean | undefined>(['knowledge', 'enabled']) === true;
  return (
    <ul className="switches">
      {(['currentTime', 'askUser'] as const).map((name) => (
        <li key={name}>
          <span className="grow">
            <span id={`switch-${name}`}>{t(`tools.${name}`)}</span>
            <small className="muted">{t(`tools.${name}Text`)}</small>
          </span>
          <Form.Item name={name} valuePropName="checked" noStyle>
            <Switch aria-labelledby={`switch-${name}`} />
          </Form.Item>
        </li>
      ))}
      <li>
        <span className="grow">
          <span id="switch-knowledge">{t('tools.knowledge')}</span>
          <small className="muted">{t('tools.knowledgeText')}</small>
          {isSearching && (
            <Form.Item
              className="knowledge-count"
              name={['knowledge', 'topK']}
              label={t('tools.topK')}
              layout="horizontal"
            >
              <InputNumber min={1} max={50} precision={0} />
            </Form.Item>
          )}
        </span>
        <Form.Item name={['knowledge', 'enabled']} valuePropName="checked" noStyle>
          <Switch aria-labelledby="switch-knowledge" />
        </Form.Item>
      </li>
    </ul>
  );
}

export function SpaceToolsField() {
  const { t } = useTranslation();
  return (
    <Form.Item name="tools" label={t('tools.ofSpace')}>
      <AgentToolsField hidden={[CURRENT_TIME]} />
    </Form.Item>
  );
}
