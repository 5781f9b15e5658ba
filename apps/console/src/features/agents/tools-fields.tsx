import { Form, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { LocalToolsFields } from './local-tools-fields.tsx';

/** The built-in tools of the agent. */
export function ToolsFields() {
  const { t } = useTranslation();
  return (
    <>
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
      </ul>
      <LocalToolsFields />
    </>
  );
}
