import { Collapse, Form, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { MODEL_PARAMETERS } from './model-parameters.ts';

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
              {MODEL_PARAMETERS.map(({ name, ...limits }) => (
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
