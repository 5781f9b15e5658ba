import type { Task } from '@platform/contracts';
import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { useIsAdmin, useSession } from '../auth/session.ts';
import { PersonSelect } from '../members/person-select.tsx';

interface OwnerDialogProps {
  task: Task;
  onSaved: (task: Task) => void;
  onClose: () => void;
}

/** For admins, who give the task to another member. */
export function OwnerButton({ task, onSaved }: Omit<OwnerDialogProps, 'onClose'>) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (!useIsAdmin()) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('tasks.changeOwner')}</Button>
      {isOpen && <OwnerDialog task={task} onSaved={onSaved} onClose={() => setOpen(false)} />}
    </>
  );
}

/** An admin who opens it takes the task over by default. */
function OwnerDialog({ task, onSaved, onClose }: OwnerDialogProps) {
  const { t } = useTranslation();
  const { user } = useSession();
  return (
    <DialogForm
      title={t('tasks.ownerTitle', { name: task.name })}
      submitText={t('tasks.changeOwner')}
      fields={['ownerUserId']}
      initialValues={{ ownerUserId: user.id }}
      save={({ ownerUserId }: { ownerUserId: string }) => client.tasks.changeOwner(task.id, { ownerUserId })}
      onSaved={(stored) => {
        onSaved(stored);
        onClose();
      }}
      onClose={onClose}
    >
      <p className="muted dialog-intro">{t('tasks.ownerText')}</p>
      <Form.Item name="ownerUserId" label={t('tasks.owner')}>
        <PersonSelect except={[task.ownerUserId]} />
      </Form.Item>
    </DialogForm>
  );
}
