import { App, Form, Input, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { useSession } from '../auth/session.ts';
import { PersonSelect } from '../members/person-select.tsx';

/** Represents the space among the ids of its members. */
const SPACE = '';

interface GrantForm {
  userId: string;
  tokens: number;
  note: string;
}

/** Grants tokens to a member or to the space. */
export function GrantDialog({ userId, onClose }: { userId: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { space } = useSession();
  const { whole } = useNumbers();

  return (
    <DialogForm
      title={t('usage.grant')}
      submitText={t('usage.grantSubmit')}
      fields={['userId', 'tokens', 'note']}
      initialValues={{ userId: userId ?? SPACE, note: '' }}
      save={({ userId: recipient, tokens, note }: GrantForm) =>
        client.usage.grant({
          tokens,
          ...(recipient !== SPACE && { userId: recipient }),
          ...(note.trim() !== '' && { note: note.trim() }),
        })
      }
      onSaved={async ({ tokens }) => {
        await queryClient.invalidateQueries({ queryKey: keys.usage });
        void message.success(t('usage.granted', { tokens: whole(tokens) }));
        onClose();
      }}
      onClose={onClose}
    >
      <Form.Item name="userId" label={t('usage.grantTo')} extra={t('usage.grantHint')}>
        <PersonSelect others={[{ value: SPACE, label: space.name }]} />
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
    </DialogForm>
  );
}
