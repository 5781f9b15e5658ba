import type { Task } from '@platform/contracts';
import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { CodeField } from '../../ui/code/code-field.tsx';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { getNumberProblem, parseJsonObject } from '../../ui/code/parse-json.ts';
import { TRIGGERS } from './triggers/triggers.ts';

/** Starts a run by hand, with inputs. */
export function RunDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <DialogForm
      title={t('tasks.runNamed', { name: task.name })}
      submitText={t('tasks.run')}
      fields={['inputs']}
      initialValues={{ inputs: '{}' }}
      width={560}
      save={({ inputs }: { inputs: string }) =>
        client.tasks.run(task.id, { inputs: parseJsonObject(inputs) ?? {} })
      }
      onSaved={async (run) => {
        queryClient.setQueryData(keys.run(run.id), run);
        void queryClient.invalidateQueries({ queryKey: keys.runs, refetchType: 'none' });
        onClose();
        await navigate(paths.run(run.id));
      }}
      onClose={onClose}
    >
      <p className="muted dialog-intro">{t(TRIGGERS[task.type].runHint)}</p>
      <Form.Item
        name="inputs"
        label={t('runs.inputs')}
        rules={[
          {
            validator: (_, text: string) =>
              parseJsonObject(text) === undefined
                ? Promise.reject(new Error(getNumberProblem(text, t) ?? t('emission.notAnObject')))
                : Promise.resolve(),
          },
        ]}
      >
        <CodeField language="json" label={t('runs.inputs')} />
      </Form.Item>
    </DialogForm>
  );
}
