import type { Agent } from '@platform/contracts';
import { Form, Radio } from 'antd';
import { useTranslation } from 'react-i18next';
import { useOffered } from '../../../ui/names/use-offered.ts';
import { useSession } from '../../auth/session.ts';
import { personNames } from '../../members/person-names.ts';
import { PersonSelect } from '../../members/person-select.tsx';
import type { AgentForm } from './agent-values.ts';

/** Access for the space or for listed users. Choosing the list adds the current user to it. */
export function AccessFields() {
  const { t } = useTranslation();
  const { user } = useSession();
  const form = Form.useFormInstance<AgentForm>();
  const scope = Form.useWatch<Agent['accessScope'] | undefined>('accessScope', form);
  const listed = Form.useWatch<string[] | undefined>('allowedUserIds', { form, preserve: true }) ?? [];

  const onScope = (next: Agent['accessScope']) => {
    if (next === 'RESTRICTED' && listed.length === 0) form.setFieldValue('allowedUserIds', [user.id]);
  };

  return (
    <>
      <Form.Item name="accessScope" noStyle>
        <Radio.Group
          className="access-choice"
          aria-label={t('agentForm.access')}
          onChange={(event) => onScope(event.target.value as Agent['accessScope'])}
        >
          <Radio value="SPACE">
            {t('access.spaceTitle')}
            <small>{t('access.spaceText')}</small>
          </Radio>
          <Radio value="RESTRICTED">
            {t('access.restrictedTitle')}
            <small>{t('access.restrictedText')}</small>
          </Radio>
        </Radio.Group>
      </Form.Item>
      {scope === 'RESTRICTED' && (
        <Form.Item
          name="allowedUserIds"
          label={t('access.people')}
          className="people-field"
          extra={
            <>
              {!listed.includes(user.id) && (
                <span className="hint-warning">{t('access.youAreNotListed')} </span>
              )}
              <PeopleHint />
            </>
          }
        >
          <PersonSelect multiple />
        </Form.Item>
      )}
    </>
  );
}

function PeopleHint() {
  const { t } = useTranslation();
  const { isError } = useOffered(personNames, '');
  return t(isError ? 'access.peopleByIdHint' : 'access.peopleHint');
}
