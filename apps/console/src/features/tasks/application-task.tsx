import type { Task, TaskApplication, UpdateTaskRequest } from '@platform/contracts';
import { Alert, Button, Form, InputNumber, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/layout/card.tsx';
import { usePageForm } from '../../ui/forms/use-page-form.ts';
import { useIsAdmin } from '../auth/session.ts';
import { StepsView } from './steps/steps-view.tsx';
import { inSeconds } from './task-form.tsx';
import { TestPanel } from './testing/test-panel.tsx';
import type { TaskTest } from './testing/use-task-test.ts';
import type { SaveTask } from './use-update-task.ts';

interface ApplicationTaskProps {
  task: Task;
  application: TaskApplication;
  /** Changes when the form has to be drawn anew. */
  drawn: string;
  onSave: SaveTask;
  test: TaskTest;
}

/** A task that the manifest of an application defines. Only its limits can be changed. */
export function ApplicationTask({ task, application, drawn, onSave, test }: ApplicationTaskProps) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  return (
    <div className={test.isOpen ? 'task-tested' : undefined}>
      <div className="stack-cards">
        <Alert
          type={application.installed ? 'info' : 'warning'}
          showIcon
          title={
            <>
              {t('tasks.ofApplication')}{' '}
              <Link to={paths.application(application.identifier)}>{application.identifier}</Link>
            </>
          }
          description={t(application.installed ? 'tasks.ofApplicationText' : 'tasks.applicationGone')}
        />
        <Card title={t('taskForm.steps')} text={t('taskForm.stepsText')}>
          <StepsView steps={task.workflow.steps} />
        </Card>
        {isAdmin && application.installed && <Limits key={drawn} task={task} onSave={onSave} />}
      </div>
      {test.isOpen && <TestPanel test={test} readWorkflow={() => Promise.resolve({})} />}
    </div>
  );
}

function Limits({ task, onSave }: Pick<ApplicationTaskProps, 'task' | 'onSave'>) {
  const { t } = useTranslation();
  const { concurrency, timeoutMs, enabled } = task;
  const { formProps, isSending } = usePageForm<UpdateTaskRequest>({
    initial: { concurrency, timeoutMs, enabled },
    fields: ['concurrency', 'timeoutMs', 'enabled'],
    saved: false,
    onSubmit: onSave,
  });
  const required = [{ required: true, message: t('common.required') }];
  return (
    <Card title={t('taskForm.limits')}>
      <Form<UpdateTaskRequest> {...formProps}>
        <div className="settings-grid">
          <Form.Item name="concurrency" label={t('taskForm.concurrency')} rules={required}>
            <InputNumber min={1} max={100} precision={0} style={{ width: '100%' }} />
          </Form.Item>
          <Form.Item name="timeoutMs" label={t('taskForm.timeout')} rules={required} {...inSeconds}>
            <InputNumber min={1} max={86_400} style={{ width: '100%' }} />
          </Form.Item>
          <Form.Item name="enabled" label={t('tasks.enabled')} valuePropName="checked">
            <Switch />
          </Form.Item>
        </div>
        <Button htmlType="submit" loading={isSending}>
          {t('common.save')}
        </Button>
      </Form>
    </Card>
  );
}
