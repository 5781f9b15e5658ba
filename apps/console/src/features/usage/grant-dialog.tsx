import { useMutation } from '@tanstack/react-query';
import { App, Form, Input, InputNumber, Modal, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/use-form-errors.ts';
import { useNumbers } from '../../ui/use-numbers.ts';
import { useSession } from '../auth/session.ts';
import { usePeople } from '../members/use-people.ts';

/** Stands for the space among the ids of its members. */
const SPACE = '';

interface GrantForm {
  userId: string;
  tokens: number;
  note: string;
}

/** Gives tokens to a member or to the whole space. */
export function GrantDialog({ userId, onClose }: { userId: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { space } = useSession();
  const { whole } = useNumbers();
  const people = usePeople();
  const [form] = Form.useForm<GrantForm>();
  const showErrors = useFormErrors(form, ['userId', 'tokens', 'note']);
  const grant = useMutation({
    mutationFn: ({ userId: to, tokens, note }: GrantForm) =>
      client.usage.grant({
        tokens,
        ...(to !== SPACE && { userId: to }),
        ...(note.trim() !== '' && { note: note.trim() }),
      }),
    onSuccess: async ({ tokens }) => {
      await queryClient.invalidateQueries({ queryKey: keys.usage });
      void message.success(t('usage.granted', { tokens: whole(tokens) }));
      onClose();
    },
    onError: showErrors,
  });

  return (
    <Modal
      open
      title={t('usage.grant')}
      okText={t('usage.grantSubmit')}
      cancelText={t('common.cancel')}
      onOk={form.submit}
      onCancel={onClose}
      confirmLoading={grant.isPending}
      width={460}
    >
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ userId: userId ?? SPACE, note: '' }}
        onFinish={(values) => grant.mutate(values)}
      >
        <Form.Item name="userId" label={t('usage.grantTo')} extra={t('usage.grantHint')}>
          <Select
            loading={people.loading}
            showSearch={{ optionFilterProp: 'search' }}
            options={[
              { value: SPACE, label: space.name, search: space.name },
              ...people.options.map(({ value, label, search }) => ({ value, label, search })),
            ]}
          />
        </Form.Item>
        <Form.Item
          name="tokens"
          label={t('usage.grantTokens')}
          rules={[{ required: true, message: t('common.required') }]}
        >
          <InputNumber
            min={1}
            max={1_000_000_000_000}
            precision={0}
            step={100_000}
            placeholder="1000000"
            style={{ width: '100%' }}
          />
        </Form.Item>
        <Form.Item name="note" label={t('usage.note')}>
          <Input maxLength={500} />
        </Form.Item>
      </Form>
    </Modal>
  );
}
