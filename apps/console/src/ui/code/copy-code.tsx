import { CodeOutlined } from '@ant-design/icons';
import { Button, Dropdown, Modal, type ButtonProps } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy-button.tsx';

interface CopyCodeProps {
  /** The code, by the name of its form, such as cURL. */
  forms: Record<string, () => string>;
  title: (form: string) => string;
  hint: string;
  size?: ButtonProps['size'];
}

/** Shows a request as code that can be copied. */
export function CopyCode({ forms, title, hint, size = 'middle' }: CopyCodeProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<string | null>(null);
  const code = shown === null ? '' : (forms[shown]?.() ?? '');
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          items: Object.keys(forms).map((form) => ({
            key: form,
            label: t('code.copyAs', { form }),
            onClick: () => setShown(form),
          })),
        }}
      >
        <Button size={size} type={size === 'small' ? 'text' : 'default'} icon={<CodeOutlined aria-hidden />}>
          {t('code.title')}
        </Button>
      </Dropdown>
      <Modal
        open={shown !== null}
        onCancel={() => setShown(null)}
        title={shown === null ? '' : title(shown)}
        footer={<CopyButton type="primary" text={code} label={t('code.copy')} showLabel />}
        width={680}
      >
        <p className="muted">{hint}</p>
        <pre className="code-block" tabIndex={0} style={{ maxHeight: 380, marginTop: 12 }}>
          {code}
        </pre>
      </Modal>
    </>
  );
}
