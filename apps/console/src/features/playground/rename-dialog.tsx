import type { Session } from '@platform/contracts';
import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';

export function RenameDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const { t } = useTranslation();
  const { agentId, sessionId, title } = session;
  return (
    <DialogForm
      title={t('sessions.rename')}
      submitText={t('common.save')}
      fields={['title']}
      width={420}
      initialValues={{ title }}
      save={(values: { title: string }) => client.agents.renameSession(agentId, sessionId, values)}
      onSaved={async () => {
        await queryClient.invalidateQueries({ queryKey: keys.sessions(agentId) });
        onClose();
      }}
      onClose={onClose}
    >
      <Form.Item
        name="title"
        label={t('common.name')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input maxLength={200} />
      </Form.Item>
    </DialogForm>
  );
}
