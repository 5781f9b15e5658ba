import type { Job } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Form, Input, Modal, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/use-form-errors.ts';
import { allAgentsQuery } from '../agents/agents-query.ts';

interface JobForm {
  agentId: string;
  text: string;
}

export function NewJobDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (job: Job) => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<JobForm>();
  const showErrors = useFormErrors(form, ['agentId']);
  const agents = useQuery(allAgentsQuery);
  const create = useMutation({
    mutationFn: ({ agentId, text }: JobForm) =>
      client.jobs.create({ agentId, contents: [{ type: 'text', text }] }),
    onSuccess: async (job) => {
      await queryClient.invalidateQueries({ queryKey: keys.jobs });
      onCreated(job);
    },
    onError: showErrors,
  });
  const callable = agents.data?.filter(({ accessible }) => accessible) ?? [];

  return (
    <Modal
      open
      title={t('jobs.create')}
      okText={t('jobs.submit')}
      cancelText={t('common.cancel')}
      onOk={form.submit}
      onCancel={onClose}
      confirmLoading={create.isPending}
      width={520}
    >
      <Form form={form} layout="vertical" requiredMark={false} onFinish={(values) => create.mutate(values)}>
        <Form.Item
          name="agentId"
          label={t('agents.agent')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <Select
            loading={agents.isPending}
            placeholder={t('jobs.agentPlaceholder')}
            showSearch={{ optionFilterProp: 'label' }}
            options={callable.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Form.Item>
        <Form.Item
          name="text"
          label={t('jobs.message')}
          rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        >
          <Input.TextArea autoSize={{ minRows: 4, maxRows: 14 }} />
        </Form.Item>
      </Form>
    </Modal>
  );
}
