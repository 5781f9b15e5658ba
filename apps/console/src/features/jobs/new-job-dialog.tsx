import type { Job } from '@platform/contracts';
import { Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { AgentSelect } from '../agents/agent-select.tsx';

interface JobForm {
  agentId: string;
  text: string;
}

export function NewJobDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (job: Job) => void }) {
  const { t } = useTranslation();

  return (
    <DialogForm
      title={t('jobs.create')}
      submitText={t('jobs.submit')}
      fields={['agentId']}
      width={520}
      save={({ agentId, text }: JobForm) =>
        client.jobs.create({ agentId, contents: [{ type: 'text', text }] })
      }
      onSaved={async (job) => {
        await queryClient.invalidateQueries({ queryKey: keys.jobs });
        onCreated(job);
      }}
      onClose={onClose}
    >
      <Form.Item
        name="agentId"
        label={t('agents.agent')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <AgentSelect filter={{ accessibleOnly: true }} />
      </Form.Item>
      <Form.Item
        name="text"
        label={t('jobs.message')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input.TextArea autoSize={{ minRows: 4, maxRows: 14 }} />
      </Form.Item>
    </DialogForm>
  );
}
