import { CodeOutlined } from '@ant-design/icons';
import { Button, Dropdown, Modal, type ButtonProps } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/copy-button.tsx';
import type { Call } from './call.ts';
import { formatCurl, formatTypescript } from './request-code.ts';

const FORMS = { cURL: formatCurl, TypeScript: formatTypescript };
type Form = keyof typeof FORMS;

interface CopyAsProps {
  agentId: string;
  call: Call;
  size?: ButtonProps['size'];
}

/** Shows a message as an API request that can be copied. */
export function CopyAs({ agentId, call, size = 'middle' }: CopyAsProps) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<Form | null>(null);
  const code =
    shown === null
      ? ''
      : FORMS[shown]({
          baseUrl: window.location.origin,
          agentId,
          call,
        });
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          items: (Object.keys(FORMS) as Form[]).map((form) => ({
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
        title={t('code.dialog', { form: shown })}
        footer={<CopyButton type="primary" text={code} label={t('code.copy')} showLabel />}
        width={680}
      >
        <p className="muted">{t('code.hint')}</p>
        <pre className="code-block" tabIndex={0} style={{ maxHeight: 380, marginTop: 12 }}>
          {code}
        </pre>
      </Modal>
    </>
  );
}
