import type { Interaction } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button, Form, Input } from 'antd';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUnsavedInput } from '../../ui/browser/unsaved-input.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { useIsAdmin, useSession } from '../auth/session.ts';
import { onConnectedElsewhere } from '../connections/connected-elsewhere.ts';
import { AskedCallView, readEdited } from './asked-call.tsx';
import { FieldItem, toValues } from './value-fields.tsx';
import type { Choice } from '../playground/turns/question.ts';
import { askedText, type NeedPurpose } from './need.ts';
import './approvals.css';

interface NeedFormProps {
  interaction: Interaction;
  purpose: NeedPurpose;
  onAnswer: (choice: Choice) => Promise<void>;
}

interface Values {
  values?: Record<string, unknown>;
  reason?: string;
}

/** What a call of the agent needs from the user: an approval, a connection, or values. */
export function NeedForm({ interaction, purpose, onAnswer }: NeedFormProps) {
  const { t } = useTranslation();
  const id = useId();
  const [form] = Form.useForm<Values>();
  const { call, path, fields = [] } = interaction;
  const [text, setText] = useState<string | null>(null);
  const [isRejecting, setRejecting] = useState(false);
  const answer = useMutation({ mutationFn: onAnswer });
  useUnsavedInput('?session', () => (text !== null || form.isFieldsTouched()) && !answer.isSuccess);
  const { isConnecting, setConnecting } = useConnecting(() =>
    answer.mutate({ selectedOptionIds: ['approve'] }),
  );
  const mayDecide = useMayDecide(interaction);
  const link = useLink(path);
  const edited = call && readEdited(call, text);
  const approve = ({ values = {} }: Values) =>
    answer.mutate({
      selectedOptionIds: ['approve'],
      ...(edited && { arguments: edited }),
      ...(purpose === 'form' && { values: toValues(fields, values) }),
    });
  const reject = () => {
    const reason = form.getFieldValue('reason') as string | undefined;
    if (purpose === 'connection') answer.mutate({ selectedOptionIds: ['reject'] });
    else if (purpose === 'approval' && !isRejecting) setRejecting(true);
    else
      answer.mutate({ selectedOptionIds: ['reject'], ...(reason?.trim() && { otherText: reason.trim() }) });
  };
  const sent = answer.isPending ? answer.variables.selectedOptionIds[0] : undefined;
  const title = call ? t('approvals.title') : askedText(interaction);
  return (
    <Form
      form={form}
      layout="vertical"
      className="question need"
      aria-labelledby={id}
      disabled={answer.isPending}
      onFinish={approve}
    >
      <h2 id={id}>{title}</h2>
      {call && <AskedCallView call={call} text={text} {...(mayDecide && { onText: setText })} />}
      {fields.map((field) => (
        <FieldItem key={field.key} field={field} />
      ))}
      {isRejecting && (
        <Form.Item name="reason" label={t('approvals.reason')}>
          <Input.TextArea autoFocus autoSize={{ minRows: 2, maxRows: 6 }} maxLength={2_000} />
        </Form.Item>
      )}
      {answer.isError && (
        <p role="alert" className="danger-text">
          {getErrorMessage(answer.error, t)}
        </p>
      )}
      {link !== path && <p className="muted">{t('approvals.ofSpace')}</p>}
      {mayDecide ? (
        <div className="inbox-actions">
          {link !== undefined && (
            <ConnectLink path={link} isOpened={isConnecting} onOpen={() => setConnecting(true)} />
          )}
          <Button
            type={link === undefined || isConnecting ? 'primary' : 'default'}
            htmlType="submit"
            disabled={edited === null}
            loading={sent === 'approve'}
          >
            {t(`approvals.approve.${purpose}`)}
          </Button>
          <Button danger onClick={reject} loading={sent === 'reject'}>
            {t(`approvals.reject.${purpose}`)}
          </Button>
        </div>
      ) : (
        <p className="muted">{t('approvals.waits')}</p>
      )}
    </Form>
  );
}

/** The page is another tab, so that the conversation stays. */
function ConnectLink({ path, isOpened, onOpen }: { path: string; isOpened: boolean; onOpen: () => void }) {
  const { t } = useTranslation();
  return (
    <Button type={isOpened ? 'default' : 'primary'} href={path} target="_blank" onClick={onOpen}>
      {t('approvals.connect')}
    </Button>
  );
}

/** Whether the user connects an account in another tab. Calls back when that is done. */
function useConnecting(onConnected: () => void) {
  const [isConnecting, setConnecting] = useState(false);
  const listener = useEffectEvent(onConnected);
  useEffect(() => (isConnecting ? onConnectedElsewhere(listener) : undefined), [isConnecting]);
  return { isConnecting, setConnecting };
}

/** The page that is linked, if the user may open it: only admins connect for the space. */
function useLink(path: string | undefined): string | undefined {
  const isAdmin = useIsAdmin();
  return isAdmin || !path?.startsWith('/connections?connection=') ? path : undefined;
}

/** Whether the user of the turn decides, and not only others. */
function useMayDecide({ call }: Interaction): boolean {
  const { user } = useSession();
  const isAdmin = useIsAdmin();
  switch (call?.approvers) {
    case undefined:
    case 'requester':
      return true;
    case 'admins':
      return isAdmin;
    case 'others':
      return false;
    default:
      return call?.approvers.userIds.includes(user.id) ?? false;
  }
}
