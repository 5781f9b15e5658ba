import { Collapse, Form, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';

const FIELDS = [
  { name: 'temperature', min: 0, max: 2, step: 0.1 },
  { name: 'top_p', min: 0, max: 1, step: 0.05 },
  { name: 'max_tokens', min: 1, step: 256, precision: 0 },
  { name: 'frequency_penalty', step: 0.1 },
  { name: 'presence_penalty', step: 0.1 },
] as const;

/** The agent's default model settings. An empty field means the default of the model. */
export function SettingsFields() {
  const { t } = useTranslation();
  return (
    <Collapse
      ghost
      className="settings-collapse"
      items={[
        {
          key: 'settings',
          label: t('agentForm.settings'),
          forceRender: true,
          children: (
            <div className="settings-grid">
              {FIELDS.map(({ name, ...limits }) => (
                <Form.Item
                  key={name}
                  name={['settings', name]}
                  label={t(`settings.${name}`)}
                  required={false}
                >
                  <InputNumber {...limits} placeholder={t('settings.default')} style={{ width: '100%' }} />
                </Form.Item>
              ))}
            </div>
          ),
        },
      ]}
    />
  );
}
