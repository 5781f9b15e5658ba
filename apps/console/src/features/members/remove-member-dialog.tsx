import type { Member, MemberRemoval } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Modal } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { useSession } from '../auth/session.ts';
import { PersonSelect } from './person-select.tsx';
import { usePersonName } from './person-names.ts';

/** Removes a member: shows what stops, and offers to whom the tasks go. */
export function RemoveMemberDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { space } = useSession();
  const { id, name } = member.user;
  const [transferTo, setTransferTo] = useState<string | null>(null);
  const query = transferTo === null ? {} : { transferTo };
  const preview = useQuery({
    queryKey: [...keys.members, 'removal', id, transferTo],
    queryFn: () => client.members.previewRemoval(id, query),
    // The list of the tasks stays while another person is checked.
    placeholderData: (previous) => previous,
  });
  const remove = useMutation({
    mutationFn: () => client.members.remove(id, query),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keys.members });
      await queryClient.invalidateQueries({ queryKey: keys.tasks });
      onClose();
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const isReady = preview.data?.refused.length === 0 && !preview.isPlaceholderData;
  return (
    <Modal
      open
      title={t('members.removeTitle', { name, space: space.name })}
      okText={t('members.remove')}
      okButtonProps={{ danger: true, disabled: !isReady }}
      cancelText={t('common.cancel')}
      confirmLoading={remove.isPending}
      onOk={() => remove.mutate()}
      onCancel={onClose}
    >
      <p className="muted dialog-intro">{t('members.removeText')}</p>
      <Loaded query={preview}>
        {(removal) => (
          <div className="stack">
            <Holdings removal={removal} isTransferred={transferTo !== null} />
            {removal.tasks.count > 0 && (
              <TransferField leaving={id} transferTo={transferTo} onChange={setTransferTo} />
            )}
            <Refused removal={removal} transferTo={transferTo} />
          </div>
        )}
      </Loaded>
    </Modal>
  );
}

const OF_TASKS = ['tasks', 'schedules', 'subscriptions'] as const;
/** Ends in any case: nobody can take it over. */
const PERSONAL = ['apiKeys', 'connections', 'clients'] as const;
type Kind = (typeof OF_TASKS | typeof PERSONAL)[number];

function Holdings({ removal, isTransferred }: { removal: MemberRemoval; isTransferred: boolean }) {
  const { t } = useTranslation();
  const parts = OF_TASKS.filter((part) => removal[part].count > 0);
  const stopping = isTransferred ? [] : parts;
  const listed = (kinds: readonly Kind[]) => (
    <Facts>
      {kinds.map((kind) => (
        <Fact key={kind} name={`${t(`members.holdings.${kind}`)} (${removal[kind].count})`}>
          <Names {...removal[kind]} />
        </Fact>
      ))}
    </Facts>
  );
  const ending = [...stopping, ...PERSONAL.filter((part) => removal[part].count > 0)];
  return (
    <>
      {ending.length > 0 && <strong>{t('members.stops')}</strong>}
      {ending.length > 0 && listed(ending)}
      {isTransferred && parts.length > 0 && <strong>{t('members.goOn')}</strong>}
      {isTransferred && parts.length > 0 && listed(parts)}
    </>
  );
}

function Names({ count, names }: MemberRemoval['tasks']) {
  const { t } = useTranslation();
  const more = count - names.length;
  return [...names, ...(more > 0 ? [t('members.more', { number: more })] : [])].join(', ');
}

function TransferField({
  leaving,
  transferTo,
  onChange,
}: {
  leaving: string;
  transferTo: string | null;
  onChange: (userId: string | null) => void;
}) {
  const { t } = useTranslation();
  return (
    <label className="stack">
      <span>{t('members.transferTo')}</span>
      <PersonSelect
        aria-label={t('members.transferTo')}
        value={transferTo ?? ''}
        onChange={(value) => onChange(value === '' ? null : value)}
        others={[{ value: '', label: t('members.transferNobody') }]}
        except={[leaving]}
      />
      {transferTo !== null && <span className="muted">{t('members.transferHint')}</span>}
    </label>
  );
}

function Refused({
  removal: { refused },
  transferTo,
}: {
  removal: MemberRemoval;
  transferTo: string | null;
}) {
  const { t } = useTranslation();
  const personName = usePersonName();
  if (refused.length === 0) return null;
  const name = (transferTo !== null && personName(transferTo)) || '';
  return (
    <Alert
      type="error"
      showIcon
      title={t('members.refused', { name })}
      description={
        <ul>
          {refused.map((task) => (
            <li key={task.taskId}>
              <strong>{task.name}</strong>: {task.reason}
            </li>
          ))}
        </ul>
      }
    />
  );
}
